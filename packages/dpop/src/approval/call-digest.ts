import { hash } from "node:crypto";
import { sha256Base64url } from "../jws/base64url.js";
import { canonicalJson } from "../jws/canonical-json.js";
import { type AuthorizationDetail, hasReservedMember } from "./granted-detail.js";

/** One call, as the resource server checks it and the person approves it. */
export interface Call {
  /** The identifier of the resource server. */
  readonly issuer: string;
  readonly subject: string;
  /** The app that acts for the person: `act.sub`. */
  readonly actor: string;
  /** The app's session: `sid`. */
  readonly sessionId: string;
  /** As sent: methods are case-sensitive. */
  readonly method: string;
  /** Absolute, with the query as received. */
  readonly url: string;
  /** The headers that are bound, by their names in lower case. An absent header is left out or undefined. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** As challenged, with its `content_digest`. */
  readonly authorizationDetail: AuthorizationDetail;
}

const headerName = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;

/**
 * The SHA-256 of a call's canonical JSON (RFC 8785), as base64url. Two calls have the same digest if nothing that the person approves
 * differs between them.
 *
 * @throws {TypeError} A header's name is not in lower case, the detail has a member that only a granted one has, or a value is not JSON.
 */
export function callDigest(call: Call): string {
  if (hasReservedMember(call.authorizationDetail))
    throw new TypeError("callDigest: approved_by and approved_at are added by the authorization server");
  return sha256Base64url(
    canonicalJson({
      iss: call.issuer,
      sub: call.subject,
      act: call.actor,
      sid: call.sessionId,
      htm: call.method,
      htu: call.url,
      headers: presentHeaders(call.headers),
      authorization_details: [call.authorizationDetail],
    }),
  );
}

function presentHeaders(headers: Call["headers"]): Readonly<Record<string, string>> {
  const present = Object.entries(headers).filter(
    (header): header is [string, string] => header[1] !== undefined,
  );
  for (const [name] of present)
    if (!headerName.test(name))
      throw new TypeError("callDigest: the name of a header is not a token in lower case");
  // `fromEntries` defines members, so a header called `__proto__` stays one.
  return Object.fromEntries(present);
}

/**
 * The SHA-256 of a body in the form of `Content-Digest`: of the bytes received, before anything parses them.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9530#section-2 | RFC 9530 §2}
 */
export function contentDigest(body: Uint8Array): string {
  return `sha-256=:${hash("sha256", body, "base64")}:`;
}
