import { agentHosts } from "@authz/agent-tools/hosts";
import { Argument } from "commander";
import type { CommandTree } from "./command.js";

/** `authz setup` */
export function addSetup({ add, action }: CommandTree): void {
  add("setup", "Show or write the configuration of an agent host.", [
    "authz setup",
    "authz setup claude-code",
    "authz setup cursor --write",
    "authz setup codex --local",
  ])
    .addArgument(new Argument("[host]", "the agent host").choices(agentHosts.map(({ key }) => key)))
    .option("--issuer <url>", "address of the authorization server; that of the profile unless given")
    .option("--local", "let the host start `authz mcp` instead of calling the server")
    .option("--name <name>", "the name of the entry", "authz")
    .option("--write", "add it to the file of the host")
    .option("--in <folder>", "the project of a file that belongs to one; this folder unless given")
    .action(
      action(async (context, host: string | undefined, options: Record<string, never>) => {
        const { setUpHost } = await import("./setup/set-up-host.js");
        return await setUpHost(context, host, options);
      }),
    );
}
