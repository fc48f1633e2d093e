import {
  type Action,
  commandServer,
  findHost,
  type Host,
  agentHosts,
  isEntryName,
  remoteServer,
  type Server,
  type Setup,
  fileText,
} from "@authz/agent-tools/hosts";
import { parseIssuer } from "@authz/client";
import { exitCodes } from "../../exit-code.js";
import { CliError } from "../../messages/cli-error.js";
import { isOnThisComputer } from "../../messages/on-this-computer.js";
import { exampleIssuer } from "../../profile/config.js";
import { openProfile } from "../../profile/open-client.js";
import { updateCommand } from "../../runtime.js";
import type { CommandContext } from "../command.js";
import { addEntry } from "./add-entry.js";

const defaultName = "authz";
const installedCommand = "authz";

/** The options of the command. */
export interface SetupOptions {
  issuer?: string;
  local?: boolean;
  name?: string;
  write?: boolean;
  in?: string;
}

/** Shows the configuration of a host, or writes it; without a host, lists the known ones. */
export async function setUpHost(
  context: CommandContext,
  key: string | undefined,
  options: SetupOptions,
): Promise<number> {
  const { output } = context;
  const host = key === undefined ? undefined : findHost(key);
  if (host === undefined) return listHosts(context);
  const { name = defaultName } = options;
  if (!isEntryName(name)) throw badName(name);
  const server = options.local === true ? await localServer(context) : await issuersServer(context, options);
  const setup = host.setup(name, server);
  if (setup === undefined) throw cannotBeLocal(host);
  if (setup.form !== undefined && isOnThisComputer(new URL(setup.form.address)))
    throw cannotReach(host, setup.form.address);
  if (options.write === true) return await write(context, { host, setup, options });
  if (output.json) output.data(asDocument(host, setup));
  else show(context, { host, setup, options });
  return exitCodes.ok;
}

function listHosts({ output, offer }: CommandContext): number {
  if (output.json) output.data({ hosts: agentHosts.map(({ key, name }) => ({ host: key, name })) });
  else {
    output.table(
      ["HOST", "NAME"],
      agentHosts.map(({ key, name }) => [key, name]),
    );
    output.note(
      `Next: ${offer({ do: "run", words: ["setup", agentHosts[0]?.key ?? ""], inEveryProfile: true })}`,
    );
  }
  return exitCodes.ok;
}

async function issuersServer(context: CommandContext, { issuer }: SetupOptions): Promise<Server> {
  if (issuer !== undefined) return remoteServer(parseIssuer(issuer));
  const { profile } = await openProfile(context.runtime, context.profile);
  if (profile !== undefined) return remoteServer(profile.issuer);
  throw new CliError("issuer_missing", {
    what: "No authorization server is known.",
    why: "Nobody has signed in with this profile yet.",
    hint: "Name the server",
    next: { do: "add", lead: "with", words: ["--issuer", exampleIssuer] },
    exitCode: exitCodes.usage,
  });
}

/** The installed command, with the profile that was named. */
async function localServer({ runtime, profile, output }: CommandContext): Promise<Server> {
  const { name } = await openProfile(runtime, profile);
  if (runtime.program !== installedCommand)
    output.note(`The host starts the installed command: ${updateCommand(installedCommand)}`);
  const named = profile === undefined ? [] : ["--profile", name];
  return { ...commandServer, args: [...commandServer.args, ...named] };
}

function show(
  { output, offer }: CommandContext,
  { host, setup, options }: { host: Host; setup: Setup; options: SetupOptions },
): void {
  const { command, file, form, link, signIn, check } = setup;
  const blocks: string[] = [];
  if (command !== undefined) blocks.push(`In a shell:\n\n${indented(command)}`);
  if (file !== undefined) blocks.push(`In ${file.path}:\n\n${indented(fileText(file))}`);
  if (form !== undefined) blocks.push(`${form.menu}:\n\n${indented(form.address)}`);
  if (link !== undefined) blocks.push(`Or open this address:\n\n${indented(link)}`);
  if (signIn !== undefined) blocks.push(`To sign in, ${described(signIn)}`);
  blocks.push(`To see it, ${described(check)}`);
  output.text(blocks.join("\n\n"));
  if (file !== undefined)
    output.note(
      `To add it to the file: ${offer({ do: "run", words: ["setup", host.key, ...words(options), "--write"] })}`,
    );
}

/** The options again, for the next command. */
function words({ issuer, local, name = defaultName, in: folder }: SetupOptions): string[] {
  return [
    ...(issuer === undefined ? [] : ["--issuer", issuer]),
    ...(local === true ? ["--local"] : []),
    ...(name === defaultName ? [] : ["--name", name]),
    ...(folder === undefined ? [] : ["--in", folder]),
  ];
}

function described(action: Action): string {
  if (action.in === "menu") return `in the host: ${action.line}`;
  return `${action.in === "shell" ? "in a shell" : "in the conversation"}: ${action.line}`;
}

async function write(
  { runtime, output }: CommandContext,
  { host, setup, options }: { host: Host; setup: Setup; options: SetupOptions },
): Promise<number> {
  const { file, signIn } = setup;
  if (file === undefined) throw hasNoFile(host, setup);
  const { path, isNew } = await addEntry(file, { home: runtime.home, project: options.in ?? "." });
  if (output.json) {
    output.data({ ...asDocument(host, setup), written: { path, changed: isNew } });
    return exitCodes.ok;
  }
  output.note(isNew ? `${host.name} finds it in ${path}.` : `${path} already has it.`);
  if (signIn !== undefined) output.note(`To sign in, ${described(signIn)}`);
  return exitCodes.ok;
}

function asDocument({ key, name }: Host, setup: Setup): Record<string, unknown> {
  const { file, ...rest } = setup;
  const shown = file && { path: file.path, format: file.format, content: fileText(file) };
  return { host: key, name, ...rest, file: shown };
}

function indented(text: string): string {
  return text.trimEnd().replaceAll(/^/gm, "  ");
}

function badName(name: string): CliError {
  return new CliError("usage", {
    what: `"${name}" is not a valid name for an entry.`,
    why: "Names have at most 64 lowercase letters, digits and hyphens.",
    hint: 'Leave --name out to use "authz".',
    exitCode: exitCodes.usage,
  });
}

function cannotBeLocal({ key, name }: Host): CliError {
  return new CliError("usage", {
    what: `${name} cannot start a program on this computer.`,
    why: "It calls from its maker's data centers.",
    hint: "Let it call the server",
    next: { do: "run", words: ["setup", key] },
    exitCode: exitCodes.usage,
  });
}

function cannotReach({ name }: Host, address: string): CliError {
  const atHand = agentHosts.find((host) => host.setup(defaultName, commandServer) !== undefined);
  return new CliError("usage", {
    what: `${name} cannot reach ${address}.`,
    why: "It calls from its maker's data centers, and this address exists only on this computer.",
    hint: `Give the server a public https address (AUTHZ_ISSUER), for example through a tunnel, or use a host on this computer, such as ${atHand?.name ?? ""}`,
    next: { do: "run", words: ["setup", atHand?.key ?? ""] },
    exitCode: exitCodes.usage,
  });
}

function hasNoFile({ key, name }: Host, { form }: Setup): CliError {
  return new CliError("usage", {
    what: `${name} has no configuration file that could be written.`,
    why: `It asks for the address in a form: ${form?.menu ?? name}.`,
    hint: "See the address",
    next: { do: "run", words: ["setup", key] },
    exitCode: exitCodes.usage,
  });
}
