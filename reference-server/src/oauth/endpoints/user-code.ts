import { createHmac, randomInt } from "node:crypto";

/** No vowels, so that no words come out, and nothing that looks like something else (RFC 8628 §6.1). */
const alphabet = "BCDFGHJKLMNPQRSTVWXZ";
const length = 8;
const codeText = new RegExp(`^[${alphabet}]{${length}}$`);

/** A new code of 34 random bits that a person types on another device: `WDJB-MJHT`. */
export function createUserCode(): string {
  const code = Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join("");
  return withHyphen(code);
}

/** The code that a person meant: in capitals, with its hyphen. `undefined` when it cannot be one. */
export function readUserCode(text: string | undefined): string | undefined {
  if (text === undefined || text.length > 64) return undefined;
  const letters = text.toUpperCase().replace(/[\s.‐-―_-]/gu, "");
  return codeText.test(letters) ? withHyphen(letters) : undefined;
}

/** The form in which the database knows a code. It is short enough to be guessed, so a plain hash would not do. */
export function hashUserCode(code: string, sessionSecret: Buffer): Buffer {
  return createHmac("sha256", sessionSecret).update(`user-code:${code}`).digest();
}

function withHyphen(letters: string): string {
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}
