/**
 * Masks credentials that the other side repeats in its answer.
 *
 * A credential is found as it is, percent-encoded, and with JSON's escapes, all of it or only some of its characters: what is handed on may be
 * decoded by its reader. Compressed, in base64, or cut into pieces it is not found. Every byte of it becomes an asterisk, so that
 * lengths and offsets stay true.
 *
 * @module
 */

const mask = "*";

/** The same text with every credential in it masked. */
export function coverText(text: string, credentials: readonly string[]): string {
  const shortest = Math.min(...credentials.map(({ length }) => length));
  if (credentials.length === 0 || text.length < shortest) return text;
  const bytes = Buffer.from(text);
  return coverBytes(bytes, wantedOf(credentials)) ? bytes.toString() : text;
}

/** Masks credentials in bytes that come in pieces. */
export interface Coverer {
  /** What can be handed on so far; the rest may be the beginning of a credential. Writes into `chunk`. */
  next(chunk: Buffer): Buffer;
  /** What was held back. */
  end(): Buffer;
}

/** Creates a coverer. It holds back at most the longest credential, with every character written as an escape. */
export function createCoverer(credentials: readonly string[]): Coverer {
  const wanted = wantedOf(credentials);
  let held: Buffer = Buffer.alloc(0);
  return {
    next(chunk) {
      const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      coverBytes(bytes, wanted);
      const sure = bytes.length - beginningAtEnd(bytes, wanted);
      // A copy: the rest of a large chunk is not kept for a few bytes of it.
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

/** Masks what is found, as it is and with its escapes decoded; whether anything was. */
function coverBytes(bytes: Buffer, wanted: readonly Buffer[]): boolean {
  const decoded = decode(bytes);
  // Both are searched before anything is masked: a credential that is masked in part would not be found again.
  const found = placesOf({ text: bytes, placeOf: (index) => index }, wanted);
  if (decoded !== undefined) found.push(...placesOf(decoded, wanted));
  for (const [from, to] of found) bytes.fill(mask, from, to);
  return found.length > 0;
}

/** Where credentials begin and end in the bytes that a text was decoded from. */
function placesOf({ text, placeOf }: Decoded, wanted: readonly Buffer[]): [from: number, to: number][] {
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

/** How many bytes at the end could be the beginning of a credential that goes on in the next piece. */
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

/** How many bytes at the end of a text are the beginning of a credential. */
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
/** In a string of JSON that is in a string of JSON, every level doubles the backslashes: three levels. */
const mostBackslashes = 7;
/** `\u0061` at that level. */
const longestEscape = mostBackslashes + 5;

/** A text without its escapes, and where in the bytes each of its characters begins. */
interface Decoded {
  readonly text: Buffer;
  readonly placeOf: (index: number) => number;
}

/** Decodes the escapes of characters in ASCII; undefined when there are none. One pass over any bytes. */
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
      // The others stand for themselves.
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

/** How many bytes at the end are an escape that is not complete. */
function openEscape(bytes: Buffer): number {
  const end = bytes.subarray(-longestEscape).toString("latin1");
  return /(?:\\{1,7}(?:u[\da-f]{0,3})?|%[\da-f]?)$/i.exec(end)?.[0].length ?? 0;
}
