import { isUtf8 } from "node:buffer";
import { JwsError } from "./errors.js";

/** An untrusted JSON object: no member is checked yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a JSON value is an object, and not an array or null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const maxDepth = 32;
const loneSurrogate = /[\uD800-\uDFFF]/u;

/**
 * Parses JSON and refuses everything that parsers disagree about: duplicate members, a byte order mark, invalid
 * Unicode (also when written as an escape) and values nested deeper than 32 levels.
 *
 * @throws {JwsError} `not_utf8`, `byte_order_mark`, `too_deep`, `not_json` or `duplicate_member`
 */
export function parseStrictJson(input: string | Uint8Array): unknown {
  const text = decodeText(input);
  if (text.charCodeAt(0) === 0xfeff) throw new JwsError("byte_order_mark");
  const written = countWrittenMembers(text);
  const value = parse(text);
  // JSON.parse keeps the last of two equal names, so a lost member is a duplicate.
  const parsed = written.flat ? countOwnMembers(value) : countParsedMembers(value);
  if (parsed !== written.count) throw new JwsError("duplicate_member");
  if (text.includes("\\u") && hasLoneSurrogate(value)) throw new JwsError("not_utf8");
  return value;
}

/**
 * Parses JSON as {@link parseStrictJson} does and requires an object.
 *
 * @throws {JwsError} as `parseStrictJson`, and `not_an_object`
 */
export function parseStrictJsonObject(input: string | Uint8Array): JsonObject {
  const value = parseStrictJson(input);
  if (!isJsonObject(value)) throw new JwsError("not_an_object");
  return value;
}

function decodeText(input: string | Uint8Array): string {
  if (typeof input === "string") {
    if (loneSurrogate.test(input)) throw new JwsError("not_utf8");
    return input;
  }
  if (!isUtf8(input)) throw new JwsError("not_utf8");
  const bytes = Buffer.isBuffer(input)
    ? input
    : Buffer.from(input.buffer, input.byteOffset, input.byteLength);
  return bytes.toString("utf8");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // No cause: the engine's message quotes the input, which can contain a secret.
    throw new JwsError("not_json");
  }
}

/** The number of members written in a JSON text, and whether all of them belong to one object. */
interface WrittenMembers {
  readonly count: number;
  readonly flat: boolean;
}

/** Every member of an object is written with exactly one colon outside strings. */
function countWrittenMembers(text: string): WrittenMembers {
  let count = 0;
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === 0x5c /* \ */) index++;
      else if (code === 0x22 /* " */) inString = false;
    } else if (code === 0x22) {
      inString = true;
    } else if (code === 0x3a /* : */) {
      count++;
    } else if (code === 0x7b /* { */ || code === 0x5b /* [ */) {
      if (++depth > maxDepth) throw new JwsError("too_deep");
      if (depth > deepest) deepest = depth;
    } else if (code === 0x7d /* } */ || code === 0x5d /* ] */) {
      depth--;
    }
  }
  return { count, flat: deepest <= 1 };
}

/** For flat objects, as claims and headers nearly always are: their values need no visit. */
function countOwnMembers(value: unknown): number {
  return isJsonObject(value) ? Object.keys(value).length : 0;
}

function countParsedMembers(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let members = 0;
  if (Array.isArray(value)) {
    for (const item of value) members += countParsedMembers(item);
    return members;
  }
  for (const item of Object.values(value)) members += 1 + countParsedMembers(item);
  return members;
}

function hasLoneSurrogate(value: unknown): boolean {
  if (typeof value === "string") return loneSurrogate.test(value);
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(hasLoneSurrogate);
  return Object.entries(value).some(([name, item]) => loneSurrogate.test(name) || hasLoneSurrogate(item));
}
