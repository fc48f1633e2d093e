import type { TransportAnswer } from "./transport.js";

const COVER = "*";

/**
 * The same answer with every credential in it covered by stars, in headers and body.
 *
 * Some services repeat what they were sent, for example in an error page. As many stars as there were characters keep lengths and
 * offsets true. A credential is found as it is, percent-encoded, or with JSON's optional `\/`; not when it is encoded or compressed in
 * another way. At most its length is held back while the body streams.
 */
export function hideCredentials(answer: TransportAnswer, credentials: readonly string[]): TransportAnswer {
  const spellings = credentials.flatMap(spellingsOf);
  return {
    status: answer.status,
    headers: Object.fromEntries(
      Object.entries(answer.headers).map(([name, value]) => [name, coverText(value, spellings)]),
    ),
    body: coverStream(answer.body, spellings),
    discard: () => answer.discard(),
  };
}

/** The same text with every credential in it covered. */
export function hideInText(text: string, credentials: readonly string[]): string {
  return coverText(text, credentials.flatMap(spellingsOf));
}

function spellingsOf(credential: string): readonly string[] {
  if (credential === "") return [];
  return [...new Set([credential, encodeURIComponent(credential), credential.replaceAll("/", "\\/")])];
}

function coverText(text: string, spellings: readonly string[]): string {
  return spellings.reduce(
    (covered, spelling) => covered.replaceAll(spelling, COVER.repeat(spelling.length)),
    text,
  );
}

async function* coverStream(
  body: AsyncIterable<Uint8Array>,
  spellings: readonly string[],
): AsyncIterable<Uint8Array> {
  const wanted = spellings.map((spelling) => Buffer.from(spelling));
  let held: Uint8Array = new Uint8Array();
  for await (const chunk of body) {
    // A copy, because it is written to.
    const bytes = Buffer.concat([held, chunk]);
    for (const credential of wanted) coverBytes(bytes, credential);
    const sure = bytes.length - Math.max(0, ...wanted.map((credential) => beginningAtEnd(bytes, credential)));
    if (sure > 0) yield bytes.subarray(0, sure);
    held = bytes.subarray(sure);
  }
  if (held.length > 0) yield held;
}

function coverBytes(bytes: Buffer, credential: Buffer): void {
  let at = bytes.indexOf(credential);
  while (at !== -1) {
    bytes.fill(COVER, at, at + credential.length);
    at = bytes.indexOf(credential, at + credential.length);
  }
}

/** How many bytes at the end could be the beginning of a credential that goes on in the next chunk. */
function beginningAtEnd(bytes: Buffer, credential: Buffer): number {
  const first = credential[0] ?? 0;
  let at = bytes.indexOf(first, Math.max(0, bytes.length - credential.length + 1));
  while (at !== -1) {
    const length = bytes.length - at;
    if (bytes.subarray(at).equals(credential.subarray(0, length))) return length;
    at = bytes.indexOf(first, at + 1);
  }
  return 0;
}
