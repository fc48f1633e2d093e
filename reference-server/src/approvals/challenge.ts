import { type AuthorizationDetail, challengeType, parseTxn } from "@authz/dpop/approval";
import { canonicalJson, isJsonObject, type JsonObject } from "@authz/dpop/jws";
import {
  checkAudience,
  checkLifetime,
  type Jwt,
  JwtError,
  parseJwt,
  readActor,
  readSubject,
  readTokenId,
} from "@authz/dpop/jwt";
import { OAuthError } from "../protocol/oauth-error.js";
import { isUuid } from "../protocol/parameters.js";
import { coveredPlace, placesCovering } from "../protocol/request-places.js";
import type { Resource } from "../store/resources.js";
import { isVisibleText } from "../text/short-text.js";

/** What a service asks a person's approval for: one call of one app. */
export interface Challenge {
  readonly txn: string;
  /** The digest of the call, from `txn`. */
  readonly callDigest: string;
  readonly subject: string;
  readonly actor: string;
  readonly sessionId: string;
  readonly method: string;
  readonly url: string;
  readonly detail: AuthorizationDetail;
  readonly reason: string;
}

const kind = { type: challengeType, maxBytes: 4096 };
const maximumSeconds = 300;
const longestReason = 500;
const methodForm = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}$/;
/** Printable ASCII, as it goes over the wire. */
const urlForm = /^[\x21-\x7e]{1,2048}$/;

/**
 * Parses a challenge. Nothing is verified yet: `issuer` says whose keys have to.
 *
 * @throws {OAuthError} `invalid_request`
 */
export function parseChallenge(challenge: string): { readonly issuer: string; readonly jwt: Jwt } {
  return refusing(() => {
    const jwt = parseJwt(challenge, kind);
    const { iss } = jwt.claims;
    if (typeof iss !== "string") throw new JwtError("issuer");
    return { issuer: iss, jwt };
  });
}

/**
 * Reads the claims of a challenge whose signature is verified.
 *
 * @throws {OAuthError} `invalid_request`; `invalid_authorization_details`: the detail is malformed, or not of a type of this service
 */
export function readChallenge(
  { claims }: Jwt,
  { resource, issuer, now }: { readonly resource: Resource; readonly issuer: string; readonly now: Date },
): Challenge {
  return refusing(() => {
    checkAudience(claims, issuer);
    checkLifetime(claims, { now: Math.floor(now.getTime() / 1000), maximum: maximumSeconds });
    readTokenId(claims);
    const { txn, sid, htm } = claims;
    const call = parseTxn(txn);
    if (call === undefined || typeof txn !== "string")
      throw refusal("txn", "txn is not an identifier with the digest of a call");
    if (typeof sid !== "string" || !isUuid(sid)) throw refusal("sid", "sid names no session of this server");
    if (typeof htm !== "string" || !methodForm.test(htm)) throw refusal("htm", "htm is not a method");
    const actor = readActor(claims, issuer);
    if (actor === undefined) throw refusal("act", "act is missing");
    return {
      txn,
      callDigest: call.digest,
      subject: readSubject(claims),
      actor: actor.subject,
      sessionId: sid,
      method: htm,
      url: readUrl(claims, resource),
      detail: readDetail(claims, resource),
      reason: readReason(claims),
    };
  });
}

function readUrl({ htu }: JsonObject, { requestPrefixes, name }: Resource): string {
  if (typeof htu !== "string" || !urlForm.test(htu) || !URL.canParse(htu))
    throw refusal("htu", "htu is not an address");
  const url = new URL(htu);
  const places = placesCovering(url);
  const isWithin = requestPrefixes.some((prefix) => places.includes(coveredPlace(prefix) ?? ""));
  // The person must read what is called: no parser may see another address in it.
  if (
    isWithin &&
    beforeQuery(url.href) === beforeQuery(htu) &&
    url.username === "" &&
    url.password === "" &&
    url.hash === ""
  )
    return htu;
  throw refusal("htu", `htu is not an address that ${name} is registered with`);
}

/** Parsers leave the query as it is, and clients encode it in several ways. */
function beforeQuery(address: string): string {
  return address.split("?", 1)[0] ?? "";
}

function readReason({ reason }: JsonObject): string {
  const isReadable =
    typeof reason === "string" &&
    reason.trim() !== "" &&
    Array.from(reason).length <= longestReason &&
    isVisibleText(reason.replaceAll("\n", " "));
  if (!isReadable) throw refusal("reason", `reason must have 1 to ${longestReason} visible characters`);
  return reason;
}

function readDetail({ authorization_details: details }: JsonObject, resource: Resource): AuthorizationDetail {
  const [detail, ...others] = Array.isArray(details) ? (details as readonly unknown[]) : [];
  if (!isJsonObject(detail) || others.length > 0 || !isStorable(detail))
    throw invalidDetails("malformed_details", "A challenge has one authorization detail, a JSON object.");
  if (Object.hasOwn(detail, "approved_by") || Object.hasOwn(detail, "approved_at"))
    throw invalidDetails("granted_details", "approved_by and approved_at are added by this server.");
  const { type, actions, locations } = detail;
  const known = resource.authorizationDetailsTypes.some((declared) => declared.type === type);
  if (typeof type !== "string" || !known)
    throw invalidDetails(
      "unknown_type",
      `${resource.name} has no such type of authorization_details. Ask an administrator to declare it.`,
    );
  if (!isStrings(actions) || !isStrings(locations))
    throw invalidDetails("malformed_details", "actions and locations are lists of strings.");
  return detail as AuthorizationDetail;
}

function isStrings(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.every((item) => typeof item === "string"));
}

/** PostgreSQL has no NUL, and JSON no infinite number. */
function isStorable(detail: JsonObject): boolean {
  try {
    return !canonicalJson(detail).includes("\\u0000");
  } catch {
    return false;
  }
}

function refusing<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof JwtError)) throw error;
    throw refusal(error.reason, `its ${error.reason} is not acceptable`);
  }
}

function refusal(reason: string, what: string): OAuthError {
  return new OAuthError(
    "invalid_request",
    `challenge_${reason}`,
    `The transaction_challenge is refused: ${what}.`,
  );
}

function invalidDetails(reason: string, message: string): OAuthError {
  return new OAuthError("invalid_authorization_details", reason, message);
}
