import {
  decodeBase64url,
  type JsonObject,
  JwsError,
  parseStrictJsonObject,
  splitCompact,
} from "@authz/dpop/jws";
import { JwtError } from "@authz/dpop/jwt";

/** A well-formed JWT of a provider. Nothing in it is verified yet. */
export interface ProviderJwt {
  readonly header: JsonObject;
  readonly claims: JsonObject;
}

/**
 * Parses a JWT that a provider signed strictly: canonical base64url, each member once, no extension. So every later parser reads the
 * same.
 *
 * @throws {JwtError} `malformed`
 */
export function parseProviderJwt(token: string, maxBytes: number): ProviderJwt {
  try {
    const { headerSegment, payloadSegment, signatureSegment } = splitCompact(token, maxBytes);
    decodeBase64url(signatureSegment);
    const header = parseStrictJsonObject(decodeBase64url(headerSegment));
    if (Object.hasOwn(header, "crit") || Object.hasOwn(header, "b64")) throw new JwsError("critical_header");
    return { header, claims: parseStrictJsonObject(decodeBase64url(payloadSegment)) };
  } catch (cause) {
    if (cause instanceof JwsError) throw new JwtError("malformed", { cause });
    throw cause;
  }
}
