import { Argument } from "commander";
import { SHELLS, type Shell, VALUE_KINDS, type ValueKind } from "../commands/completion/shells.js";
import type { CommandTree } from "./command-tree.js";

/** `config`, `doctor`, `completion`, `mcp`. */
export function addSetupCommands(tree: CommandTree): void {
  const { add, addBelow, action } = tree;
  const config = add("config", "Show and change profiles.", [
    "authz config",
    "authz config use work",
    "authz config set-issuer https://authz.example.com --profile work",
  ]);
  const show = action(async (context) => await (await import("../commands/config.js")).showConfig(context));
  config.action(async () => await show());
  addBelow(config, "list", "Show the profiles.", ["authz config list"]).action(async () => await show());
  addBelow(config, "use <name>", "Use a profile from now on.", ["authz config use work"]).action(
    action(async (context, name: string) => {
      const { useProfile } = await import("../commands/config.js");
      return await useProfile(context, name);
    }),
  );
  addBelow(config, "set-issuer <url>", "Set the server of a profile before signing in.", [
    "authz config set-issuer https://authz.example.com",
  ]).action(
    action(async (context, url: string) => {
      const { setIssuer } = await import("../commands/config.js");
      return await setIssuer(context, url);
    }),
  );
  addBelow(config, "remove <name>", "Forget a profile that is signed out.", [
    "authz config remove work",
  ]).action(
    action(async (context, name: string) => {
      const { removeProfile } = await import("../commands/config.js");
      return await removeProfile(context, name);
    }),
  );

  add("doctor", "Look for what is wrong, and say what to do.", ["authz doctor"]).action(
    action(async (context) => await (await import("../commands/doctor.js")).doctor(context)),
  );

  addCompletionCommands(tree);

  add("mcp", "Serve skills and requests to an agent over the Model Context Protocol (stdio).", [
    "authz mcp",
  ]).action(action(async (context) => await (await import("../commands/mcp.js")).mcp(context)));
}

/** `completion`, and what its scripts ask for. */
function addCompletionCommands({ root, add, action }: CommandTree): void {
  add("completion", "Print the completion script of a shell.", [
    'eval "$(authz completion bash)"             in ~/.bashrc',
    'eval "$(authz completion zsh)"              in ~/.zshrc',
    "authz completion fish | source              in ~/.config/fish/config.fish",
    "authz completion powershell | Out-String | Invoke-Expression",
  ])
    .addArgument(new Argument("<shell>").choices(SHELLS))
    .action(
      action(async (context, shell: Shell) => {
        const { completion } = await import("../commands/completion/completion.js");
        return await completion(context, shell, root);
      }),
    );

  root
    .command("__complete", { hidden: true })
    .exitOverride()
    .addArgument(new Argument("<kind>").choices(VALUE_KINDS))
    .action(
      action(async (context, kind: ValueKind) => {
        const { completeValues } = await import("../commands/completion/complete-values.js");
        return await completeValues(context, kind);
      }),
    );
}
