/**
 * The configuration with which each agent host reaches Authz: one source for the command, the pages of the authorization server, the plugins and the
 * documentation. Only data; nothing here reads a file or knows a transport.
 *
 * @module
 */
import { agentSkill, type AgentSkill, skillFile } from "./agent-skill.js";
import { chatGpt, claude } from "./chat-hosts.js";
import { claudeCode, codex, copilot, cursor, geminiCli, openCode, vsCode } from "./coding-hosts.js";
import type { Host, LocalServer, RemoteServer, Server, Setup } from "./host.js";
import { installGuide } from "./install-guide.js";

export { agentSkill, type AgentSkill, skillFile };
export { fileText, fileValue } from "./file-text.js";
export { shellWord } from "./host.js";
export type {
  Action,
  ConfigurationValue,
  FileEntry,
  Host,
  LocalServer,
  RemoteServer,
  Server,
  Setup,
} from "./host.js";

/** Every host whose lines are known, in the order in which they are offered. */
export const agentHosts: readonly Host[] = [
  claudeCode,
  codex,
  cursor,
  vsCode,
  copilot,
  openCode,
  geminiCli,
  claude,
  chatGpt,
];

/** The name of the entry in a host's files, unless someone chooses another. */
export const entryName = "authz";

/** A name that every host takes, and that no shell reads as something else. */
export function isEntryName(name: string): boolean {
  return /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/.test(name);
}

/** The server of an installation, at its own address. */
export function remoteServer(issuer: string): RemoteServer {
  return { kind: "remote", url: `${issuer.replace(/\/+$/, "")}/mcp` };
}

/**
 * `authz mcp`, from the installed package or the standalone program.
 *
 * Not through npx: a host starts it in the folder that is open, where npx runs what the repository brings, also when version, registry and
 * prefix are named: `node_modules/.bin` of that folder comes before the shell and the Node that would run the command.
 */
export const commandServer: LocalServer = { kind: "local", command: "authz", args: ["mcp"] };

/** A host by its key. */
export function findHost(key: string): Host | undefined {
  return agentHosts.find((host) => host.key === key);
}

/** The configuration of each host for one server; hosts that cannot reach it are left out. */
export function setUpAll(server: Server, name: string = entryName): { host: Host; setup: Setup }[] {
  return agentHosts.flatMap((host) => {
    const setup = host.setup(name, server);
    return setup === undefined ? [] : [{ host, setup }];
  });
}

/**
 * The page from which an agent sets itself up, for one installation.
 *
 * @param installation Its address and the name that people know it by.
 */
export function installGuideFor(installation: { issuer: string; installationName: string }): string {
  const issuer = installation.issuer.replace(/\/+$/, "");
  return installGuide({ ...installation, issuer, hosts: setUpAll(remoteServer(issuer)) });
}
