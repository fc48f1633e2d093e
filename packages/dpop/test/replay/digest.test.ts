import { createHash } from "node:crypto";
import { assert, property, uint8Array } from "fast-check";
import { expect, test } from "vitest";
import { digestOf } from "../../src/replay/digest.js";

function wordsOf(bytes: Buffer): number[] {
  return Array.from({ length: 8 }, (_, index) => bytes.readUInt32BE(4 * index));
}

const sha256 = (text: string) => createHash("sha256").update(text).digest();

test("the encoding of 32 bytes stands for itself", () => {
  const notZero = uint8Array({ minLength: 32, maxLength: 32 }).filter((bytes) => bytes.some(Boolean));
  assert(
    property(notZero, (bytes) => {
      expect([...digestOf(Buffer.from(bytes).toString("base64url"))]).toEqual(wordsOf(Buffer.from(bytes)));
    }),
  );
});

const encoded = sha256("a key").toString("base64url");

test.each([
  ["a short text", "a"],
  ["an empty text", ""],
  ["one character less", encoded.slice(1)],
  ["one character more", `${encoded}A`],
  ["a character of another alphabet", `+${encoded.slice(1)}`],
  ["a character beyond ASCII", `é${encoded.slice(1)}`],
  ["stray bits at the end", `${"A".repeat(42)}B`],
  ["the encoding of nothing but zeros", "A".repeat(43)],
])("%s is hashed", (_, key) => {
  expect([...digestOf(key)]).toEqual(wordsOf(sha256(key)));
});
