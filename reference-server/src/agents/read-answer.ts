import { isUtf8 } from "node:buffer";
import type { Readable } from "node:stream";

/** The body of an answer as a model gets it. */
export type AnswerBody = { readonly body: unknown } | { readonly body: null; readonly bodyBase64: string };

/** The beginning of a body, and whether that is all of it. */
interface Taken {
  readonly bytes: Buffer;
  readonly isWhole: boolean;
}

/** No model reads more. Beyond, nothing is fetched any more. */
export const maximumAnswerBytes = 4 * 1024 * 1024;

const cutNote = `… (the answer is longer than ${String(maximumAnswerBytes)} bytes, and the rest was not read: ask for less)`;

/**
 * Reads a body, up to a length: parsed when it is JSON, as text when it is text, else in base64.
 *
 * @throws What broke the body.
 */
export async function readAnswerBody(
  body: Readable | null,
  contentType: string | undefined,
  most: number = maximumAnswerBytes,
): Promise<AnswerBody> {
  const { bytes, isWhole } = body === null ? { bytes: Buffer.of(), isWhole: true } : await take(body, most);
  const text = bytes.toString("utf8");
  // The last character of a body that was left may be cut in two.
  const isText = isUtf8(bytes) || (!isWhole && !text.slice(0, -1).includes("\uFFFD"));
  if (!isText) return { body: null, bodyBase64: bytes.toString("base64") };
  if (!isWhole) return { body: text.replace(/\uFFFD$/, "") + cutNote };
  if (!/^application\/(?:[\w.+-]+\+)?json\b/i.test(contentType ?? "")) return { body: text };
  try {
    return { body: JSON.parse(text) as unknown };
  } catch {
    return { body: text };
  }
}

async function take(body: Readable, most: number): Promise<Taken> {
  const chunks: Buffer[] = [];
  let length = 0;
  // Leaving the loop ends the body.
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > most) return { bytes: Buffer.concat(chunks).subarray(0, most), isWhole: false };
  }
  return { bytes: Buffer.concat(chunks), isWhole: true };
}
