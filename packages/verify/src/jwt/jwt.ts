import type { KeyObject } from "node:crypto";
import { hasType, JwsError, type ParsedJws, parseCompactJws, verifyEs256 } from "@authz/dpop/jws";
import { AuthzError, type JwtReason } from "../errors.js";

/** What one kind of JWT is called and which error its refusal is. */
export interface JwtKind {
  readonly code: "invalid_token" | "invalid_grant";
  /** The `typ`, lower case and without `application/`. */
  readonly type: string;
  readonly maxBytes: number;
}

/** A parsed JWT of a known kind. Its signature is not verified yet. */
export interface Jwt {
  readonly kind: JwtKind;
  readonly kid: string;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly jws: ParsedJws;
}

/** Parses a JWT and checks its header: algorithm, type and key identifier. */
export function parseJwt(text: string, kind: JwtKind): Jwt {
  const jws = parse(text, kind);
  if (!hasType(jws.header, kind.type)) throw new AuthzError(kind.code, "jwt_type");
  const { kid } = jws.header;
  if (typeof kid !== "string" || kid.length === 0 || kid.length > 256)
    throw new AuthzError(kind.code, "jwt_key_id");
  return { kind, kid, claims: jws.payload, jws };
}

function parse(text: string, kind: JwtKind): ParsedJws {
  try {
    return parseCompactJws(text, { maxBytes: kind.maxBytes });
  } catch (cause) {
    if (cause instanceof JwsError) throw new AuthzError(kind.code, "jwt_malformed", { cause });
    throw cause;
  }
}

/** Checks the signature; an unknown key is refused like a wrong one. */
export function checkSignature(jwt: Jwt, key: KeyObject | undefined): void {
  if (key === undefined) refuse(jwt, "jwt_unknown_key");
  if (!verifyEs256(jwt.jws.signingInput, jwt.jws.signature, key)) refuse(jwt, "jwt_signature");
}

/** Refuses the JWT with the code of its kind. */
export function refuse(jwt: Jwt, reason: JwtReason): never {
  throw new AuthzError(jwt.kind.code, reason);
}
