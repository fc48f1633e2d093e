import { performance } from "node:perf_hooks";
import { connectorKey } from "../connectors/installation.js";
import type { Answer } from "./app.js";
import { type Installation, type Member, scope, type Target, targets } from "./installation.js";

/** What became of one person's calls after a signal. */
export type Run = Readonly<
  Record<Target, { readonly seconds: number; readonly refusals: readonly string[] }>
>;

/** How calls are made to one target, and tokens for it obtained at the other process. */
interface Way {
  obtain(): Promise<string | Answer>;
  call(accessToken: string): Promise<Answer>;
}

/** Between two calls of a target: one has the first token, the next a new one, or the first one again when none is issued. */
const turnMs = 500;
const beforeMs = 3_000;
/** Observation after the signal at least, and after the last accepted call. */
const leastMs = 15_000;
const quietMs = 6_000;
/** A call that is accepted after this did not end. */
export const limitSeconds = 60;
/** Errors that mean the end of access. Any other one, such as an overloaded server, fails the run. */
const endCodes = new Set([
  "access_denied",
  "access_ended",
  "invalid_grant",
  "invalid_token",
  // Calls that were under way when the person was ended or stopped.
  "not_connected",
  "reconnect_required",
  "service_declines",
]);
const bytes = 1024;
const expected = "a".repeat(bytes);

/** Calls every target on and on, sends a signal meanwhile, and watches until nothing is accepted any more. */
export async function watch(
  member: Member,
  installation: Installation,
  signal: () => Promise<void>,
): Promise<Run> {
  const ways = waysOf(member, installation);
  let sentAt = Number.POSITIVE_INFINITY;
  const runs = targets.map(async (target) => {
    const way = ways[target];
    const first = await way.obtain();
    if (typeof first !== "string") throw new Error(`${target}: no token: ${describe(first)}`);
    const refusals = new Set<string>();
    let acceptedAt = Number.NEGATIVE_INFINITY;
    const note = (answer: Answer) => {
      const refusal = refusalOf(answer, target);
      if (refusal === undefined) acceptedAt = performance.now();
      else if (performance.now() < sentAt)
        throw new Error(`${target}: refused before the signal: ${refusal}`);
      else refusals.add(refusal);
    };
    for (let turn = 0; !isOver(sentAt, acceptedAt); turn += 1) {
      const begunAt = performance.now();
      const token = turn % 2 === 0 ? first : await way.obtain();
      if (typeof token !== "string") note(token);
      note(await way.call(typeof token === "string" ? token : first));
      await pause(Math.max(0, begunAt + turnMs - performance.now()));
    }
    return { seconds: Math.max(0, acceptedAt - sentAt) / 1000, refusals: [...refusals] };
  });
  const send = async () => {
    await pause(beforeMs);
    sentAt = performance.now();
    await signal();
  };
  const [service, agents, connection] = await Promise.all([...runs, send()]);
  if (!service || !agents || !connection) throw new TypeError("A target was not watched.");
  return { service, agents, connection };
}

function isOver(sentAt: number, acceptedAt: number): boolean {
  const now = performance.now();
  if (now - sentAt > limitSeconds * 1000 + quietMs) return true;
  return now - sentAt > leastMs && now - acceptedAt > quietMs;
}

async function pause(milliseconds: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function waysOf(
  { apps }: Member,
  { issuer, otherOrigin, serviceOrigin, thirdPartyOrigin }: Installation,
): Readonly<Record<Target, Way>> {
  const url = `${serviceOrigin}/protected/bytes/${bytes}`;
  const connectionPath = `/api/me/connections/${connectorKey}/requests`;
  const headers = { "authz-target": `${thirdPartyOrigin}/v1/bytes/${bytes}` };
  return {
    service: {
      obtain: () => apps.service.signInTo(serviceOrigin, otherOrigin, scope),
      call: (token) => apps.service.send({ method: "GET", url }, token),
    },
    agents: {
      obtain: () => apps.agents.refresh(otherOrigin, `${issuer}/mcp`),
      call: (token) =>
        apps.agents.send({ method: "POST", url: `${otherOrigin}/mcp`, htu: `${issuer}/mcp` }, token, {
          headers: {
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
            "mcp-protocol-version": "2025-11-25",
          },
          body: JSON.stringify({
            jsonrpc: "2.0",
            id: 1,
            method: "tools/call",
            params: { name: "request", arguments: { url } },
          }),
        }),
    },
    connection: {
      obtain: () => apps.connection.refresh(otherOrigin),
      call: (token) =>
        apps.connection.send(
          { method: "GET", url: otherOrigin + connectionPath, htu: issuer + connectionPath },
          token,
          { headers },
        ),
    },
  };
}

/**
 * How a call was refused; `undefined`: it was accepted.
 *
 * @throws {Error} The answer is neither, so it shows nothing about the end of access.
 */
function refusalOf(answer: Answer, target: Target): string | undefined {
  const { status, text } = answer;
  if (status === 200 && text.includes(expected)) return undefined;
  const [, code = ""] = /(?:error"?[=:]|"text":)"(\w+)/.exec(text) ?? [];
  if ((status >= 400 || text.includes('"isError":true')) && endCodes.has(code)) return `${status} ${code}`;
  throw new Error(`${target}: an answer that is no refusal: ${describe(answer)}`);
}

function describe({ status, text }: Answer): string {
  return `${status} ${text.slice(0, 600)}`;
}
