import type { JsonObject } from "../jws/strict-json.js";

// No escapes, and nothing that is not printable ASCII: then a quotation mark always begins or ends a string.
const plainText = /^[ !"#-[\]-~]*$/;
// 15 digits are exact in a double.
const maxDigits = 15;

/**
 * Reads the claims of a proof as nearly every client writes them: one object without spaces, whose members are the claims that
 * count, each at most once, as strings without escapes or whole numbers.
 *
 * Undefined for anything else, malformed or not: that is for the strict parser to say. What is returned is what the strict
 * parser returns.
 */
export function readPlainClaims(text: string): JsonObject | undefined {
  if (!plainText.test(text) || text.charCodeAt(0) !== 0x7b /* { */) return undefined;
  let jti: string | undefined;
  let htm: string | undefined;
  let htu: string | undefined;
  let iat: number | undefined;
  let ath: string | undefined;
  let nonce: string | undefined;
  for (let index = 1; ; index++) {
    let end: number;
    if (text.startsWith('"iat":', index)) {
      end = endOfNumber(text, index + 6);
      if (end === -1 || iat !== undefined) return undefined;
      iat = Number(text.slice(index + 6, end));
    } else {
      const start = text.startsWith('"nonce":"', index) ? index + 9 : index + 7;
      end = text.indexOf('"', start) + 1;
      if (end === 0) return undefined;
      const value = text.slice(start, end - 1);
      if (text.startsWith('"jti":"', index) && jti === undefined) jti = value;
      else if (text.startsWith('"htm":"', index) && htm === undefined) htm = value;
      else if (text.startsWith('"htu":"', index) && htu === undefined) htu = value;
      else if (text.startsWith('"ath":"', index) && ath === undefined) ath = value;
      else if (start === index + 9 && nonce === undefined) nonce = value;
      else return undefined;
    }
    const next = text.charCodeAt(end);
    if (next === 0x7d /* } */) {
      return end === text.length - 1 ? { jti, htm, htu, iat, ath, nonce } : undefined;
    }
    if (next !== 0x2c /* , */) return undefined;
    index = end;
  }
}

/** Where a whole number without a sign ends; -1 when there is none at `start`. */
function endOfNumber(text: string, start: number): number {
  let end = start;
  while (text.charCodeAt(end) >= 0x30 && text.charCodeAt(end) <= 0x39) end++;
  const digits = end - start;
  if (digits === 0 || digits > maxDigits) return -1;
  return digits > 1 && text.charCodeAt(start) === 0x30 ? -1 : end;
}
