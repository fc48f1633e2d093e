/**
 * Masks credentials that a server repeats in its response.
 *
 * A credential is found verbatim, percent-encoded, and with JSON escapes, in all or some of its characters: the reader of the output may
 * decode it. Compressed, in base64, or in pieces it is not found. Each of its bytes becomes an asterisk, so that lengths and offsets
 * stay the same.
 *
 * @module
 */

const mask = "*";

/** Returns the text with every credential in it masked. */
export function coverText(text: string, credentials: readonly string[]): string {
  const shortest = Math.min(...credentials.map(({ length }) => length));
  if (credentials.length === 0 || text.length < shortest) return text;
  const bytes = Buffer.from(text);
  return coverBytes(bytes, wantedOf(credentials)) ? bytes.toString() : text;
}

/** Masks credentials in a stream of bytes. */
export interface Coverer {
  /** Returns the bytes that are complete; the rest may be the start of a credential. Writes into `chunk`. */
  next(chunk: Buffer): Buffer;
  /** Returns the bytes that were held back. */
  end(): Buffer;
}

/** Creates a coverer. It holds back at most the length of the longest credential with every character escaped. */
export function createCoverer(credentials: readonly string[]): Coverer {
  const wanted = wantedOf(credentials);
  let held: Buffer = Buffer.alloc(0);
  return {
    next(chunk) {
      const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      coverBytes(bytes, wanted);
      const sure = bytes.length - beginningAtEnd(bytes, wanted);
      // A copy, so that a few bytes do not keep a large chunk in memory.
      held = Buffer.from(bytes.subarray(sure));
      return bytes.subarray(0, sure);
    },
    end() {
      const rest = held;
      held = Buffer.alloc(0);
      return rest;
    },
  };
}

function wantedOf(credentials: readonly string[]): readonly Buffer[] {
  return credentials.filter((credential) => credential !== "").map((credential) => Buffer.from(credential));
}

/** Masks verbatim and escaped credentials; returns whether there were any. */
function coverBytes(bytes: Buffer, wanted: readonly Buffer[]): boolean {
  const decoded = decode(bytes);
  // Both are searched before masking: a partly masked credential would not be found again.
  const found = rangesOf({ text: bytes, placeOf: (index) => index }, wanted);
  if (decoded !== undefined) found.push(...rangesOf(decoded, wanted));
  for (const [from, to] of found) bytes.fill(mask, from, to);
  return found.length > 0;
}

/** The ranges of credentials in the bytes that the text was decoded from. */
function rangesOf({ text, placeOf }: Decoded, wanted: readonly Buffer[]): [from: number, to: number][] {
  const places: [number, number][] = [];
  for (const credential of wanted) {
    let at = text.indexOf(credential);
    while (at !== -1) {
      places.push([placeOf(at), placeOf(at + credential.length)]);
      at = text.indexOf(credential, at + credential.length);
    }
  }
  return places;
}

/** The number of bytes at the end that may be the start of a credential, continued in the next chunk. */
function beginningAtEnd(bytes: Buffer, wanted: readonly Buffer[]): number {
  const longest = Math.max(0, ...wanted.map(({ length }) => length));
  const start = Math.max(0, bytes.length - longest * longestEscape);
  const end = bytes.subarray(start);
  const plain = Math.max(0, ...wanted.map((credential) => beginningOf(credential, end)));
  const open = openEscape(end);
  const whole = end.subarray(0, end.length - open);
  const decoded = decode(whole);
  if (decoded === undefined && open === 0) return plain;
  const { text, placeOf } = decoded ?? { text: whole, placeOf: (index: number) => index };
  const begun = Math.max(0, ...wanted.map((credential) => beginningOf(credential, text)));
  return Math.max(plain, end.length - placeOf(text.length - begun));
}

/** The number of bytes at the end of a text that are the start of a credential. */
function beginningOf(credential: Buffer, text: Buffer): number {
  const first = credential[0] ?? 0;
  let at = text.indexOf(first, Math.max(0, text.length - credential.length + 1));
  while (at !== -1) {
    const length = text.length - at;
    if (text.subarray(at).equals(credential.subarray(0, length))) return length;
    at = text.indexOf(first, at + 1);
  }
  return 0;
}

const backslash = 0x5c;
const percent = 0x25;
const slash = 0x2f;
const letterU = 0x75;
/** Each level of JSON inside a JSON string doubles the backslashes: three levels. */
const mostBackslashes = 7;
/** `\u0061` at that level. */
const longestEscape = mostBackslashes + 5;

/** A text without its escapes, with the offset of each character in the original bytes. */
interface Decoded {
  readonly text: Buffer;
  readonly placeOf: (index: number) => number;
}

/** Decodes the escapes of ASCII characters in one pass; undefined when there are none. */
function decode(bytes: Buffer): Decoded | undefined {
  if (!bytes.includes(backslash) && !bytes.includes(percent)) return undefined;
  const text = Buffer.allocUnsafe(bytes.length);
  const places = new Uint32Array(bytes.length + 1);
  let length = 0;
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at] ?? 0;
    let end = at + 1;
    let character = byte;
    if (byte === percent) {
      const code = hexadecimal(bytes, end, 2);
      if (code !== undefined) [character, end] = [code, end + 2];
    } else if (byte === backslash) {
      while (bytes[end] === backslash) end += 1;
      const isSlash = bytes[end] === slash;
      const code = isSlash ? slash : bytes[end] === letterU ? hexadecimal(bytes, end + 1, 4) : undefined;
      // Other backslashes are literal.
      const start = code === undefined ? end - 1 : Math.max(at, end - mostBackslashes);
      for (; at < start; at += 1) {
        text[length] = backslash;
        places[length] = at;
        length += 1;
      }
      if (code !== undefined) [character, end] = [code, end + (isSlash ? 1 : 5)];
    }
    text[length] = character;
    places[length] = at;
    length += 1;
    at = end;
  }
  places[length] = bytes.length;
  return { text: text.subarray(0, length), placeOf: (index) => places[index] ?? 0 };
}

/** A character of ASCII by its code. */
function hexadecimal(bytes: Buffer, start: number, digits: number): number | undefined {
  let code = 0;
  for (let at = start; at < start + digits; at += 1) {
    const digit = hexDigit(bytes[at] ?? 0);
    if (digit === -1) return undefined;
    code = code * 16 + digit;
  }
  return code < 0x80 ? code : undefined;
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = (byte | 0x20) - 0x61;
  return letter >= 0 && letter < 6 ? letter + 10 : -1;
}

/** The length of an incomplete escape at the end. */
function openEscape(bytes: Buffer): number {
  const end = bytes.subarray(-longestEscape).toString("latin1");
  return /(?:\\{1,7}(?:u[\da-f]{0,3})?|%[\da-f]?)$/i.exec(end)?.[0].length ?? 0;
}
