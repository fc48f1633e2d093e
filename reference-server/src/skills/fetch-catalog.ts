import { randomUUID } from "node:crypto";
import { parseStrictJson } from "@authz/dpop/jws";
import { type CatalogSkill, parseCatalog, SkillError } from "@authz/skills";
import type { Keys } from "../oauth/keys/keys.js";
import { OutboundError } from "../platform/outbound/outbound-error.js";
import type { OutboundFetch } from "../platform/outbound/outbound-fetch.js";
import { type Message, type MessageValues, renderMessage } from "../text/message.js";
import type { CodeBelow } from "../text/message-key.js";
import { outboundMessage } from "../text/outbound-message.js";
import { textsIn } from "../text/texts.js";
import { skillFault } from "./own-skills.js";

/** Lifetime of the assertion. */
export const assertionSeconds = 60;

export interface FetchCatalogOptions {
  readonly issuer: string;
  readonly keys: Pick<Keys, "sign">;
  readonly fetch: OutboundFetch;
  readonly now: Date;
}

/** A catalog was not accepted; `said` tells the operator of the service why, and the message is the same in English. */
export class CatalogError extends Error {
  override readonly name = "CatalogError";
  readonly sentence: Message;
  constructor(sentence: Message, options?: ErrorOptions) {
    super(renderMessage(sentence, textsIn("en")), options);
    this.sentence = sentence;
  }
}

/**
 * Fetches the catalog that a service publishes.
 *
 * The request carries a signed assertion, because a hidden skill must not be public.
 *
 * @throws {CatalogError} The service is away, refuses, or publishes something that is not a valid catalog.
 */
export async function fetchCatalog(
  authorizationServer: string,
  { issuer, keys, fetch, now }: FetchCatalogOptions,
): Promise<readonly CatalogSkill[]> {
  const url = `${authorizationServer}/.well-known/skills`;
  const response = await askService(url, { authorizationServer, issuer, keys, fetch, now });
  return readSkills(url, new Uint8Array(await response.arrayBuffer()));
}

/** Options of a request to a service. */
type AskOptions = FetchCatalogOptions & {
  readonly authorizationServer: string;
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
};

/**
 * Asks a service for its catalog or a file in it, with an assertion for this one request.
 *
 * @throws {CatalogError} It is away, or refuses.
 */
export async function askService(
  url: string,
  { authorizationServer, issuer, keys, fetch, now, ...limits }: AskOptions,
): Promise<Response> {
  const iat = Math.floor(now.getTime() / 1000);
  const assertion = keys.sign(
    { typ: "authz-skills+jwt" },
    {
      iss: issuer,
      sub: issuer,
      aud: authorizationServer,
      iat,
      exp: iat + assertionSeconds,
      jti: randomUUID(),
    },
  );
  const headers = { accept: "application/json, */*", authorization: `Bearer ${assertion}` };
  const response = await fetch(url, { headers, ...limits }).catch((error: unknown) => {
    if (error instanceof OutboundError) throw new CatalogError(outboundMessage(error), { cause: error });
    throw error;
  });
  if (response.status !== 200) throw catalogError("status", { url, status: response.status });
  return response;
}

function readSkills(url: string, body: Uint8Array): readonly CatalogSkill[] {
  let document: unknown;
  try {
    document = parseStrictJson(body);
  } catch (cause) {
    throw catalogError("notJson", { url }, cause);
  }
  if (typeof document !== "object" || document === null || !("skills" in document)) {
    throw catalogError("noSkills", { url });
  }
  try {
    return parseCatalog(document.skills);
  } catch (cause) {
    if (!(cause instanceof SkillError)) throw cause;
    const fault = skillFault(cause);
    if (cause.path === "") throw catalogError("invalidWhole", { url, fault }, cause);
    throw catalogError("invalid", { url, place: `skills${cause.path}`, fault }, cause);
  }
}

/** Why a catalog was not accepted. */
export function catalogError(
  code: CodeBelow<"administration.catalogFaults">,
  values: MessageValues,
  cause?: unknown,
): CatalogError {
  return new CatalogError({ key: `administration.catalogFaults.${code}`, values }, { cause });
}
