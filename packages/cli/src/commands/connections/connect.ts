import type { Connection, ConnectionAttempt } from "@authz/client";
import { exitCodes } from "../../exit-code.js";
import { untilInterrupted } from "../../interruption.js";
import { openClient } from "../../profile/open-client.js";
import type { CommandContext } from "../command.js";
import { browserProblem, openBrowser } from "../login/login-method.js";
import { chooseScopes, type ScopeChoice } from "./choose-scopes.js";
import { quoted } from "@authz/skills/invisible";
import { exampleStep, grantedWords } from "./connection-words.js";

/** Options of `authz connections connect`. */
export interface ConnectOptions extends ScopeChoice {
  /** false with `--no-browser`. */
  browser: boolean;
}

/** Connects an account, or connects it again: a browser does it, signed in as the same person, and the command waits. */
export async function connect(
  context: CommandContext,
  name: string,
  options: ConnectOptions,
): Promise<number> {
  const { runtime, output, profile } = context;
  const { client } = await openClient(runtime, profile);
  const before = await client.connections.get(name);
  const scopes = chooseScopes(before, options);
  const attempt = await client.connections.start(name, scopes === undefined ? {} : { scopes });
  const opens = options.browser && browserProblem(runtime) === undefined;
  const connection = await untilInterrupted(async (signal) => {
    // It offers Ctrl-C, which has to be caught by then.
    announce(context, before, attempt, opens);
    // A browser that does not open is no failure: the address is on the screen.
    if (opens) await openBrowser(attempt.url).catch(() => undefined);
    return await client.connections.wait(attempt, { signal, pause: runtime.pause });
  });
  if (output.json) output.data(connection);
  else report(context, connection, scopes);
  return exitCodes.ok;
}

function announce(
  { runtime, output }: CommandContext,
  { name, state, account }: Connection,
  { url, expiresAt }: ConnectionAttempt,
  opens: boolean,
): void {
  if (state === "connected")
    output.note(`You are connected to ${name}${asAccount(account)}. This connects it again.`);
  output.note(
    opens
      ? "Your browser opens. If it does not, visit:"
      : "Open this address in a browser, on any device, and sign in there as yourself:",
  );
  output.note(url);
  const minutes = Math.round((Date.parse(expiresAt) - runtime.clock()) / 60_000);
  output.note(output.quiet(`It works once and expires after ${String(minutes)} minutes.`));
  output.progress("Waiting for the browser …  (Ctrl-C stops)");
}

function report(
  { output, offer }: CommandContext,
  connection: Connection,
  asked: readonly string[] | undefined,
): void {
  const { name, account, grantedScopes, offeredScopes } = connection;
  output.note(`Connected to ${output.bold(name)}${asAccount(account)}.`);
  const wanted =
    asked ??
    offeredScopes.filter(({ byDefault, required }) => byDefault || required).map(({ scope }) => scope);
  const leftOut = wanted.filter((scope) => !grantedScopes.includes(scope));
  if (grantedScopes.length > 0) output.note(`Granted: ${grantedWords(connection).join(", ")}`);
  if (leftOut.length > 0) output.note(`Not granted: ${leftOut.join(", ")}`);
  output.note(output.quiet(`Next: ${offer(exampleStep(connection))}`));
}

function asAccount({ label }: Connection["account"]): string {
  return label === undefined ? "" : ` as ${quoted(label)}`;
}
