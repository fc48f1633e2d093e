import { existsSync } from "node:fs";
import { type AuthzClient, AuthzClientError } from "@authz/client";
import { exitCodes, exitCodeFor } from "../exit-code.js";
import { adviceOn, isExpected } from "../messages/advice.js";
import { hintOf } from "../messages/next-step.js";
import { openProfile, signedInClient, signInStep } from "../profile/open-client.js";
import { keyringProblem } from "../profile/system-keyring.js";
import { updateCommand } from "../runtime.js";
import { isNewer, loadUpdateRecord } from "../update/update-record.js";
import type { CommandContext, CommandTree } from "./command.js";
import { connectStep } from "./connections/connection-words.js";

/** `authz doctor` */
export function addDoctor({ add, action }: CommandTree): void {
  add("doctor", "Find out what is wrong and what to do about it.", ["authz doctor"]).action(action(doctor));
}

/** One thing the doctor looked at. */
interface Finding {
  check: string;
  status: "ok" | "warning" | "failure";
  message: string;
  hint?: string;
}

/** Looks at everything a request depends on and says what to do about what is wrong. */
async function doctor(context: CommandContext): Promise<number> {
  const findings: Finding[] = [{ check: "node", status: "ok", message: `Node ${process.versions.node}.` }];
  const collect = async (
    check: string,
    look: () => Promise<Omit<Finding, "check"> | undefined>,
  ): Promise<void> => {
    const found = await look().catch((error: unknown) => failed(context, error));
    if (found !== undefined) findings.push({ check, ...found });
  };
  await collect("version", async () => await checkVersion(context));
  let client: AuthzClient | undefined;
  await collect("configuration", async () => {
    const opened = await openProfile(context.runtime, context.profile);
    client = signedInClient(context.runtime, opened);
    if (client === undefined)
      return {
        status: "warning",
        message: `Nobody has signed in with the profile "${opened.name}" yet.`,
        hint: `Sign in: ${context.offer(signInStep(opened))}`,
      };
    const place = opened.profile?.store === "file" ? "a file" : "the keyring";
    return { status: "ok", message: `Profile "${opened.name}", session kept in ${place}.` };
  });
  await collect("store", async () => await checkStore(context));
  await collect("proxy", async () => checkProxy(context));
  await collect("authorities", async () => checkAuthorities(context));
  if (client !== undefined) {
    const known = client;
    await collect("server", async () => await checkServer(known));
    await collect("session", async () => await checkSession(known));
    await collect("connections", async () => await checkConnections(context, known));
  }
  return report(context, findings);
}

/** The result of an earlier update check; no request is made now. */
async function checkVersion({ runtime }: CommandContext): Promise<Omit<Finding, "check">> {
  const version = runtime.version();
  const { latest } = await loadUpdateRecord(runtime);
  if (latest === undefined || !isNewer(latest, version))
    return { status: "ok", message: `authz ${version}.` };
  return {
    status: "warning",
    message: `authz ${version}; ${latest} is available.`,
    hint: `Update: ${updateCommand(runtime.program)}`,
  };
}

/** Tries the keyring even if it is not in use, so that it is recommended only where it works. */
async function checkStore({ runtime, profile, offer }: CommandContext): Promise<Omit<Finding, "check">> {
  const { profile: known } = await openProfile(runtime, profile);
  const problem = await keyringProblem();
  const usesFile = (known?.store ?? runtime.env.AUTHZ_TOKEN_STORE) === "file";
  if (usesFile && problem === undefined)
    return {
      status: "warning",
      message: "The session is kept in a file, although the keyring works.",
      hint: `The keyring is safer: ${offer({ do: "run", words: ["login"], variables: { AUTHZ_TOKEN_STORE: "keyring" } })}`,
    };
  if (usesFile)
    return {
      status: "ok",
      message: `The session is kept in a file that only you can read. No keyring works here: ${problem ?? ""}`,
    };
  if (problem === undefined) return { status: "ok", message: "The keyring works." };
  return {
    status: "failure",
    message: `The keyring does not work: ${problem}`,
    hint: `Unlock or install one, or use a file: ${offer({ do: "sign_in", inFile: true })}`,
  };
}

function checkProxy({ runtime: { env } }: CommandContext): Omit<Finding, "check"> | undefined {
  const proxy = env.HTTPS_PROXY ?? env.https_proxy ?? "";
  if (proxy === "") return undefined;
  const host = URL.canParse(proxy) ? new URL(proxy).host : proxy;
  return { status: "ok", message: `https goes through ${host}.` };
}

/** Node warns about a file it cannot read and goes on without it, so every certificate from there then fails. */
function checkAuthorities({ runtime: { env } }: CommandContext): Omit<Finding, "check"> | undefined {
  const file = env.NODE_EXTRA_CA_CERTS ?? "";
  if (file === "") return undefined;
  if (existsSync(file)) return { status: "ok", message: `Certificates are also trusted from ${file}.` };
  return {
    status: "failure",
    message: `NODE_EXTRA_CA_CERTS names ${file}, which is not there.`,
    hint: "Correct it, or unset it.",
  };
}

async function checkServer(client: AuthzClient): Promise<Omit<Finding, "check">> {
  const { clockSkewSeconds } = await client.checkServer();
  if (clockSkewSeconds === undefined)
    return { status: "ok", message: `${client.issuer} answers, and the clocks agree.` };
  const side = clockSkewSeconds > 0 ? "ahead of" : "behind";
  return {
    status: "failure",
    message: `This computer's clock is ${String(Math.abs(clockSkewSeconds))} seconds ${side} the server's.`,
    hint: "Set the clock (automatic time in the system settings).",
  };
}

async function checkSession(client: AuthzClient): Promise<Omit<Finding, "check">> {
  const { name, email, subject } = await client.me();
  const resources = await client.resources();
  const usable = resources.filter(({ grantedScopes }) => grantedScopes.length > 0).length;
  return {
    status: "ok",
    message: `Signed in as ${name ?? email ?? subject}, with permissions at ${String(usable)} of ${String(resources.length)} services.`,
  };
}

/** Nothing is said where there is nothing to connect to, and nothing twice that the session has said. */
async function checkConnections(
  { offer }: CommandContext,
  client: AuthzClient,
): Promise<Omit<Finding, "check"> | undefined> {
  const connections = await client.connections.list().catch(() => []);
  if (connections.length === 0) return undefined;
  const inState = (wanted: string): readonly string[] =>
    connections.filter(({ state }) => state === wanted).map(({ connector }) => connector);
  const connected = inState("connected");
  const names = connected.length === 0 ? "" : `: ${connected.join(", ")}`;
  const message = `Connected to ${String(connected.length)} of ${String(connections.length)} third parties${names}.`;
  const again = inState("reconnect_required");
  if (again.length === 0) return { status: "ok", message };
  return {
    status: "warning",
    message: `${message} To be connected again: ${again.join(", ")}.`,
    hint: `Connect again: ${again.map((connector) => offer(connectStep({ connector }))).join(", ")}`,
  };
}

function failed({ invocation }: CommandContext, error: unknown): Omit<Finding, "check"> {
  if (isExpected(error)) {
    const signInNeeded =
      error instanceof AuthzClientError && exitCodeFor(error.code) === exitCodes.signInNeeded;
    return {
      status: signInNeeded ? "warning" : "failure",
      message: error.message,
      hint: hintOf(adviceOn(error), invocation),
    };
  }
  return {
    status: "failure",
    message: error instanceof Error ? error.message : String(error),
    hint: "Run the command again with AUTHZ_DEBUG=1.",
  };
}

function report({ output }: CommandContext, findings: readonly Finding[]): number {
  const healthy = findings.every(({ status }) => status !== "failure");
  if (output.json) {
    output.data({ healthy, checks: findings });
    return healthy ? exitCodes.ok : exitCodes.failure;
  }
  const marks = { ok: "✓", warning: "!", failure: "✗" } as const;
  for (const { check, status, message, hint } of findings) {
    output.text(`${marks[status]} ${check.padEnd(13)} ${message}`);
    if (hint !== undefined) output.text(`  ${" ".repeat(13)} ${hint}`);
  }
  return healthy ? exitCodes.ok : exitCodes.failure;
}
