import type { KeyObject } from "node:crypto";
import { JwsError } from "../jws/errors.js";
import { verifyEs256 } from "../jws/es256.js";
import { hasType, type ParsedJws, parseCompactJws } from "../jws/parse-compact.js";
import type { JsonObject } from "../jws/strict-json.js";

/** Why a JWT was refused. Closed: new reasons are a minor release. */
export type JwtErrorReason =
  | "malformed"
  | "type"
  | "key_id"
  | "unknown_key"
  | "signature"
  | "issuer"
  | "audience"
  | "subject"
  | "client"
  | "resource"
  | "id"
  | "dates"
  | "expired"
  | "not_yet_valid"
  | "lifetime"
  | "scope"
  | "profile"
  | "actor"
  | "confirmation";

/** What the times of a JWT say, beside the clock that they were compared with. */
export interface JwtAge {
  /** How old the JWT says it is, in seconds; negative when it is ahead. */
  readonly seconds: number;
  /** Whose clock made it: its `iss`. */
  readonly issuer: string;
}

/** Details of a refusal beyond its reason. */
export interface JwtErrorOptions extends ErrorOptions {
  readonly age?: JwtAge;
}

/** A refused JWT; `reason` says which rule it broke. It never quotes the token. */
export class JwtError extends Error {
  override readonly name = "JwtError";
  readonly reason: JwtErrorReason;
  /** For `expired` and `not_yet_valid`. */
  readonly age: JwtAge | undefined;

  constructor(reason: JwtErrorReason, { age, ...options }: JwtErrorOptions = {}) {
    super(`The JWT is refused: ${reason}.`, options);
    this.reason = reason;
    this.age = age;
  }
}

/** What one kind of JWT looks like. */
export interface JwtKind {
  /** The `typ`, lower case and without `application/`. */
  readonly type: string;
  readonly maxBytes: number;
}

/** A parsed JWT of a known kind. Its signature is not verified yet. */
export interface Jwt {
  readonly kid: string;
  readonly claims: JsonObject;
  readonly jws: ParsedJws;
}

/**
 * Parses a JWT and checks its header: algorithm, type and key identifier.
 *
 * @throws {JwtError} `malformed`, `type` or `key_id`
 */
export function parseJwt(jwt: string, { type, maxBytes }: JwtKind): Jwt {
  const jws = parse(jwt, maxBytes);
  if (!hasType(jws.header, type)) throw new JwtError("type");
  const { kid } = jws.header;
  if (typeof kid !== "string" || kid.length === 0 || kid.length > 256) throw new JwtError("key_id");
  return { kid, claims: jws.payload, jws };
}

function parse(jwt: string, maxBytes: number): ParsedJws {
  try {
    return parseCompactJws(jwt, { maxBytes });
  } catch (cause) {
    if (cause instanceof JwsError) throw new JwtError("malformed", { cause });
    throw cause;
  }
}

/**
 * Checks the signature. An unknown key is refused like a wrong one.
 *
 * @param key - the key that `kid` names, or undefined when there is none
 * @throws {JwtError} `unknown_key` or `signature`
 */
export function checkSignature({ jws }: Jwt, key: KeyObject | undefined): void {
  if (key === undefined) throw new JwtError("unknown_key");
  if (!verifyEs256(jws.signingInput, jws.signature, key)) throw new JwtError("signature");
}
