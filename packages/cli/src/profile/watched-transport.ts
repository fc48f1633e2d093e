import type { Transport, TransportAnswer, TransportRequest } from "@authz/client";
import type { Watcher } from "../runtime.js";

/** The same transport, whose waits are shown when they are long, and whose exchanges are logged with `--verbose`. */
export function watchedTransport(
  transport: Transport,
  { waitFor, log }: Watcher,
  clock: () => number,
): Transport {
  return async (request) => {
    const began = clock();
    const took = (): string => `${String(clock() - began)} ms`;
    // A body that is streamed shows its own progress.
    const isShort = request.body === undefined || typeof request.body === "string";
    const arrived = isShort ? waitFor(new URL(request.url).host) : () => undefined;
    log?.(`> ${request.method} ${withoutValues(request.url)}${credentialsOf(request)}`);
    try {
      const answer = await transport(request);
      log?.(`< ${String(answer.status)} after ${took()}${identifiersOf(answer)}`);
      return answer;
    } catch (error) {
      log?.(`< no answer after ${took()}: ${error instanceof Error ? error.message : String(error)}`);
      throw error;
    } finally {
      arrived();
    }
  };
}

/** An address whose parameters keep their names and lose their values, which may be secret. */
function withoutValues(address: string): string {
  const { origin, pathname, searchParams } = new URL(address);
  const names = [...new Set(searchParams.keys())].map((name) => `${encodeURIComponent(name)}=…`);
  return `${origin}${pathname}${names.length === 0 ? "" : `?${names.join("&")}`}`;
}

const formCredentials: readonly (readonly [member: string, kind: string])[] = [
  ["code", "authorization code"],
  ["device_code", "device code"],
  ["refresh_token", "refresh token"],
  ["token", "token to revoke"],
  ["subject_token", "refresh token to exchange"],
  ["assertion", "identity assertion"],
  ["client_assertion", "client assertion"],
];

/** Which kinds of credentials a request carries, and never one of them. */
function credentialsOf({ headers, body }: TransportRequest): string {
  const scheme = /^(?:DPoP|Bearer) /i.exec(headers.authorization ?? "")?.[0].trim();
  const isForm = headers["content-type"] === "application/x-www-form-urlencoded";
  // Only our own requests to token endpoints have no token; the forms of others are their own affair.
  const form =
    isForm && scheme === undefined && typeof body === "string" ? new URLSearchParams(body) : undefined;
  const target = headers["authz-target"];
  const kinds = [
    ...(scheme === undefined ? [] : [`access token (${scheme})`]),
    ...formCredentials.filter(([member]) => form?.has(member)).map(([, kind]) => kind),
    ...(headers.dpop === undefined ? [] : ["proof"]),
  ];
  const forTarget = target === undefined ? "" : `  for ${withoutValues(target)}`;
  return `${forTarget}  ${kinds.length === 0 ? "no credentials" : `with ${kinds.join(", ")}`}`;
}

const identifiers = ["x-request-id", "request-id", "x-correlation-id", "traceparent"] as const;

/** What the people who run a service can find a request by. */
function identifiersOf({ headers }: TransportAnswer): string {
  return identifiers
    .map((name) => ({ name, value: headers[name] ?? "" }))
    .filter(({ value }) => /^[\w.:/+=-]{1,128}$/.test(value))
    .map(({ name, value }) => `  ${name} ${value}`)
    .join("");
}
