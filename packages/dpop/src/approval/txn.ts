import { randomBytes } from "node:crypto";

/** A transaction identifier: random bits, and the digest of the call. */
export interface Txn {
  /** 128 random bits: two equal calls are two transactions. */
  readonly random: string;
  readonly digest: string;
}

// The last character has no stray bits: 128 and 256 bits leave four and two of its six.
const form = /^(?<random>[A-Za-z0-9_-]{21}[AQgw])\.(?<digest>[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048])$/;

/** A new transaction identifier for the call with this digest. */
export function createTxn(digest: string, random: Uint8Array = randomBytes(16)): string {
  const txn = `${Buffer.from(random).toString("base64url")}.${digest}`;
  if (!form.test(txn)) throw new TypeError("createTxn: needs a SHA-256 in base64url and 16 random bytes");
  return txn;
}

/** The parts of a transaction identifier; undefined if it has another form. */
export function parseTxn(txn: unknown): Txn | undefined {
  if (typeof txn !== "string") return undefined;
  const { random, digest } = form.exec(txn)?.groups ?? {};
  return random === undefined || digest === undefined ? undefined : { random, digest };
}

/** Whether a transaction identifier is one of the call with this digest. */
export function isTxnOf(txn: unknown, digest: string): txn is string {
  return parseTxn(txn)?.digest === digest;
}
