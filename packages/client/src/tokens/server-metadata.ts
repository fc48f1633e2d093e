import { AuthzClientError } from "../errors.js";
import { isSecureOrLoopback, JsonFields } from "../transport/json-fields.js";
import { quoted } from "../transport/quoted.js";
import type { JsonObject } from "@authz/dpop/jws";
import { invalidAnswer, readJsonObject, unreachable } from "../transport/read-json.js";
import type { Transport, TransportAnswer } from "../transport/transport.js";
import { clockSkewSeconds } from "./clock-skew.js";
import type { ServerContext } from "./server-context.js";

const defaultFreshSeconds = 300;
const maxFreshSeconds = 3600;

/** The members of authorization server metadata (RFC 8414) that the client uses. */
export interface ServerMetadata {
  issuer: string;
  tokenEndpoint: string;
  authorizationEndpoint: string | undefined;
  revocationEndpoint: string | undefined;
  deviceAuthorizationEndpoint: string | undefined;
  grantTypes: readonly string[];
  /** The document as it came, for libraries that want it whole. */
  document: JsonObject;
}

/** What discovery needs. */
export type DiscoveryContext = Pick<ServerContext, "transport" | "cache" | "clock">;

/**
 * Loads the metadata of an issuer, from the cache while it is fresh.
 *
 * @throws {AuthzClientError} `unreachable`; `invalid_answer`, also when the document names another issuer.
 * @see {@link https://www.rfc-editor.org/rfc/rfc8414#section-3 | RFC 8414 §3}
 */
export async function loadServerMetadata(context: DiscoveryContext, issuer: string): Promise<ServerMetadata> {
  const key = `metadata ${issuer}`;
  const kept = await context.cache.read(key);
  if (kept !== undefined) return parseServerMetadata(kept, issuer);
  const address = wellKnownAddress(issuer);
  const answer = await get(context.transport, address);
  const metadata = parseServerMetadata(await readJsonObject(answer, address), issuer);
  await context.cache.write(key, metadata.document, context.clock() + freshSeconds(answer) * 1000);
  return metadata;
}

/** The result of checking an authorization server. */
export interface ServerCheck {
  issuer: string;
  /** Seconds by which this computer's clock is ahead of the server's (negative: behind); undefined when the difference does not matter. */
  clockSkewSeconds: number | undefined;
}

/** Asks an issuer for its metadata, past the cache, and compares the clocks. @throws {AuthzClientError} */
export async function checkServer(context: DiscoveryContext, issuer: string): Promise<ServerCheck> {
  const address = wellKnownAddress(issuer);
  const answer = await get(context.transport, address);
  const metadata = parseServerMetadata(await readJsonObject(answer, address), issuer);
  return { issuer: metadata.issuer, clockSkewSeconds: clockSkewSeconds(answer.headers.date, context.clock) };
}

/** The address of an issuer's metadata: the well-known part goes between host and path. */
export function wellKnownAddress(issuer: string): string {
  const url = new URL(issuer);
  const path = url.pathname === "/" ? "" : url.pathname;
  return `${url.origin}/.well-known/oauth-authorization-server${path}`;
}

/**
 * Checks the address of an authorization server and gives it the spelling used for comparisons.
 *
 * @throws {AuthzClientError} `invalid_request`
 */
export function parseIssuer(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (
    url === undefined ||
    !isSecureOrLoopback(url) ||
    url.username !== "" ||
    url.password !== "" ||
    url.search !== "" ||
    url.hash !== ""
  ) {
    throw new AuthzClientError("issuer_invalid", {
      what: `"${text}" is not the address of an authorization server.`,
      why: "It must be an https address without user, query or fragment; plain http works on this computer only.",
    });
  }
  return url.href.endsWith("/") ? url.href.slice(0, -1) : url.href;
}

async function get(transport: Transport, url: string): Promise<TransportAnswer> {
  let answer: TransportAnswer;
  try {
    answer = await transport({
      method: "GET",
      url,
      headers: { accept: "application/json" },
      timeoutSeconds: 15,
    });
  } catch (cause) {
    throw unreachable(url, cause);
  }
  if (answer.status === 200) return answer;
  answer.discard();
  if (answer.status >= 500) throw unreachable(url, `It answered ${String(answer.status)}.`);
  throw invalidAnswer(url, `It answered ${String(answer.status)} where metadata was expected.`);
}

function parseServerMetadata(document: unknown, issuer: string): ServerMetadata {
  const from = wellKnownAddress(issuer);
  const object = Object(document) as JsonObject;
  const fields = new JsonFields(object, from);
  const named = fields.string("issuer");
  if (named !== issuer && named !== `${issuer}/`) {
    throw invalidAnswer(from, `It names the issuer ${quoted(named)} where "${issuer}" was expected.`);
  }
  return {
    issuer: named,
    tokenEndpoint: fields.endpoint("token_endpoint"),
    authorizationEndpoint: fields.optionalEndpoint("authorization_endpoint"),
    revocationEndpoint: fields.optionalEndpoint("revocation_endpoint"),
    deviceAuthorizationEndpoint: fields.optionalEndpoint("device_authorization_endpoint"),
    grantTypes: fields.optionalStrings("grant_types_supported"),
    document: object,
  };
}

function freshSeconds(answer: TransportAnswer): number {
  const control = answer.headers["cache-control"] ?? "";
  if (/\bno-(?:store|cache)\b/i.test(control)) return 0;
  const maxAge = /\bmax-age=(\d{1,9})\b/i.exec(control);
  return maxAge === null ? defaultFreshSeconds : Math.min(Number(maxAge[1]), maxFreshSeconds);
}
