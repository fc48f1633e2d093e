import type { JsonObject } from "../jws/strict-json.js";

// 15 digits are exact in a double.
const maxDigits = 15;
const quotationMark = 0x22;
const backslash = 0x5c;

/** 1 for each byte that stands for itself in a string, and does not end it. */
const plain = Uint8Array.from({ length: 256 }, (_, code) =>
  code >= 0x20 && code <= 0x7e && code !== quotationMark && code !== backslash ? 1 : 0,
);

/** The first four bytes of each member, as one number. */
const jtiMember = fourBytesAt(Buffer.from('"jti'), 0);
const htmMember = fourBytesAt(Buffer.from('"htm'), 0);
const htuMember = fourBytesAt(Buffer.from('"htu'), 0);
const iatMember = fourBytesAt(Buffer.from('"iat'), 0);
const athMember = fourBytesAt(Buffer.from('"ath'), 0);
const nonceMember = fourBytesAt(Buffer.from('"non'), 0);

/** What the claims of a proof are if it was made for the request. */
export interface ExpectedClaims {
  readonly method: string;
  readonly url: string;
  readonly accessTokenHash?: string | undefined;
}

/**
 * Reads the claims of a proof as nearly every client writes them: one object without spaces, whose members are the claims that
 * count, each at most once, as strings without escapes or whole numbers.
 *
 * Undefined for anything else, malformed or not: that is for the strict parser to say. What is returned is what the strict
 * parser returns; a string that equals the expected one is that one, because making another would take longer than reading it.
 *
 * @param json - the bytes of the payload and nothing behind them
 */
export function readPlainClaims(json: Buffer, expected: ExpectedClaims): JsonObject | undefined {
  if (json[0] !== 0x7b /* { */) return undefined;
  let jti: string | undefined;
  let htm: string | undefined;
  let htu: string | undefined;
  let iat: number | undefined;
  let ath: string | undefined;
  let nonce: string | undefined;
  for (let index = 1; ; index++) {
    const member = fourBytesAt(json, index);
    const restOfName = member === nonceMember ? 'ce":' : '":';
    if (!isAt(json, index + 4, restOfName)) return undefined;
    const start = index + 4 + restOfName.length;
    let end: number;
    if (member === iatMember) {
      end = endOfNumber(json, start);
      if (end === -1 || iat !== undefined) return undefined;
      iat = numberOf(json, start, end);
    } else {
      end = endOfString(json, start);
      if (end === -1) return undefined;
      if (member === jtiMember && jti === undefined) jti = textOf(json, start, end);
      else if (member === htmMember && htm === undefined) htm = textOf(json, start, end, expected.method);
      else if (member === htuMember && htu === undefined) htu = textOf(json, start, end, expected.url);
      else if (member === athMember && ath === undefined)
        ath = textOf(json, start, end, expected.accessTokenHash);
      else if (member === nonceMember && nonce === undefined) nonce = textOf(json, start, end);
      else return undefined;
    }
    const next = json[end];
    if (next === 0x7d /* } */) {
      return end === json.length - 1 ? { jti, htm, htu, iat, ath, nonce } : undefined;
    }
    if (next !== 0x2c /* , */) return undefined;
    index = end;
  }
}

function fourBytesAt(bytes: Uint8Array, index: number): number {
  return (
    ((bytes[index] as number) << 24) |
    ((bytes[index + 1] as number) << 16) |
    ((bytes[index + 2] as number) << 8) |
    (bytes[index + 3] as number)
  );
}

function isAt(bytes: Uint8Array, start: number, text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    if (bytes[start + index] !== text.charCodeAt(index)) return false;
  }
  return true;
}

/** Where a string of printable ASCII without escapes ends, behind its quotation mark; -1 when there is none at `start`. */
function endOfString(json: Uint8Array, start: number): number {
  if (json[start] !== quotationMark) return -1;
  let end = start + 1;
  while (plain[json[end] as number] === 1) end++;
  return json[end] === quotationMark ? end + 1 : -1;
}

function textOf(json: Buffer, start: number, end: number, expected?: string): string {
  const isExpected = expected?.length === end - start - 2 && isAt(json, start + 1, expected);
  return isExpected ? expected : json.toString("latin1", start + 1, end - 1);
}

/** Where a whole number without a sign ends; -1 when there is none at `start`. */
function endOfNumber(json: Uint8Array, start: number): number {
  let end = start;
  while (isDigit(json[end])) end++;
  const digits = end - start;
  if (digits === 0 || digits > maxDigits) return -1;
  return digits > 1 && json[start] === 0x30 ? -1 : end;
}

/** Exact, because there are few digits. */
function numberOf(json: Uint8Array, start: number, end: number): number {
  let value = 0;
  for (let index = start; index < end; index++) value = 10 * value + ((json[index] as number) - 0x30);
  return value;
}

function isDigit(code: number | undefined): boolean {
  return code !== undefined && code >= 0x30 && code <= 0x39;
}
