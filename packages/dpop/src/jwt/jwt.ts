import type { KeyObject } from "node:crypto";
import { JwsError } from "../jws/errors.js";
import { verifyEs256 } from "../jws/es256.js";
import { hasType, type ParsedJws, parseCompactJws } from "../jws/parse-compact.js";
import type { JsonObject } from "../jws/strict-json.js";

/** The reason why a JWT was refused. A closed set: new reasons are a minor release. */
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
  | "confirmation"
  | "status"
  | "session"
  | "transaction";

/** The age of a JWT by the clock that checked it. */
export interface JwtAge {
  /** In seconds; negative when the JWT is ahead. */
  readonly seconds: number;
  /** Its `iss`, whose clock set the times. */
  readonly issuer: string;
}

/** Details of a refusal beyond its reason. */
export interface JwtErrorOptions extends ErrorOptions {
  readonly age?: JwtAge;
}

/** A refused JWT; `reason` names the broken rule. It never quotes the token. */
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

/** The type and size limit of one kind of JWT. */
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
 * Checks the signature. An unknown key is refused as a wrong one is.
 *
 * @param key - the key with this `kid`, or undefined when there is none
 * @throws {JwtError} `unknown_key` or `signature`
 */
export function checkSignature({ jws }: Jwt, key: KeyObject | undefined): void {
  if (key === undefined) throw new JwtError("unknown_key");
  if (!verifyEs256(jws.signingInput, jws.signature, key)) throw new JwtError("signature");
}
