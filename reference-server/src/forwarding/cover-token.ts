const cover = "*";

/**
 * The texts by which a token is found: as it is, percent-encoded, and with JSON's optional `\/`.
 *
 * This catches whoever repeats what they were sent, in an error page for example. Whoever encodes or cuts it in another
 * way is not caught, which is why a connector should not allow such addresses.
 */
export function spellingsOf(token: string): readonly string[] {
  if (token === "") return [];
  const encoded = encodeURIComponent(token);
  // Most tokens are nothing but unreserved characters.
  if (encoded === token) return [token];
  const lower = encoded.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  return [...new Set([token, encoded, lower, token.replaceAll("/", "\\/")])];
}

/** The same text with stars in place of every secret, as many as there were characters. */
export function coverText(text: string, secrets: readonly string[]): string {
  let covered = text;
  for (const secret of secrets) {
    // Hardly any text has one, and most are too short for it.
    if (secret.length > covered.length || !covered.includes(secret)) continue;
    covered = covered.replaceAll(secret, cover.repeat(secret.length));
  }
  return covered;
}

/** Covers secrets in bytes that come in pieces. */
export interface Coverer {
  /** What can be handed on of the bytes so far; the rest may be the beginning of a secret. Writes into `chunk`. */
  next(chunk: Buffer): Buffer;
  /** What was held back. */
  end(): Buffer;
}

/** Creates a coverer. At most the length of the longest secret is held back. */
export function createCoverer(secrets: readonly string[]): Coverer {
  const wanted = secrets.map((secret) => Buffer.from(secret, "latin1"));
  const begin = commonBeginning(wanted);
  let held: Buffer = Buffer.alloc(0);
  return {
    next(chunk) {
      const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      coverBytes(bytes, { wanted, begin });
      const sure = bytes.length - Math.max(0, ...wanted.map((secret) => beginningAtEnd(bytes, secret)));
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

/** What all of them begin with: looked for once, instead of each of them. Nothing, when they have nothing in common. */
function commonBeginning(wanted: readonly Buffer[]): Buffer {
  const [first = Buffer.alloc(0), ...others] = wanted;
  let { length } = first;
  for (const other of others) {
    let same = 0;
    while (same < length && first[same] === other[same]) same += 1;
    length = same;
  }
  return first.subarray(0, length);
}

function coverBytes(
  bytes: Buffer,
  { wanted, begin }: { readonly wanted: readonly Buffer[]; readonly begin: Buffer },
): void {
  const groups =
    begin.length > 0
      ? [{ begin, secrets: wanted }]
      : wanted.map((secret) => ({ begin: secret, secrets: [secret] }));
  for (const group of groups) {
    let at = bytes.indexOf(group.begin);
    while (at !== -1) {
      const from = at;
      const lengths = group.secrets
        .filter((secret) => bytes.subarray(from, from + secret.length).equals(secret))
        .map(({ length }) => length);
      const length = Math.max(0, ...lengths);
      if (length > 0) bytes.fill(cover, at, at + length);
      at = bytes.indexOf(group.begin, at + Math.max(length, 1));
    }
  }
}

/** How many bytes at the end could be the beginning of a secret that goes on in the next chunk. */
function beginningAtEnd(bytes: Buffer, secret: Buffer): number {
  const first = secret[0] ?? 0;
  let at = bytes.indexOf(first, Math.max(0, bytes.length - secret.length + 1));
  while (at !== -1) {
    const length = bytes.length - at;
    if (bytes.subarray(at).equals(secret.subarray(0, length))) return length;
    at = bytes.indexOf(first, at + 1);
  }
  return 0;
}
