import { isUtf8 } from "node:buffer";
import type { Readable } from "node:stream";

/** The body of an answer as a model gets it. */
export type AnswerBody = { readonly body: unknown } | { readonly body: null; readonly bodyBase64: string };

/** The beginning of a body, and why there is no more of it. */
interface Taken {
  readonly bytes: Buffer;
  readonly cut: "too_long" | "too_many" | undefined;
}

/** No model reads more. Beyond, nothing is fetched any more. */
const maximumAnswerBytes = 4 * 1024 * 1024;

/** So much of any answer may wait in memory; more is read of a few at a time. */
const largeBytes = 256 * 1024;

/** How many answers that are larger may be in memory. */
export interface LargeAnswerLimits {
  readonly perPerson: number;
  readonly total: number;
}

/** All of them together are 64 MiB, as much as the beginnings of all calls that a process takes at a time. */
const defaultLimits: LargeAnswerLimits = { perPerson: 4, total: 16 };

/** Takes a place for a large answer; `undefined` when there is none. The result gives it back. */
export type TakeLarge = (userId: string) => (() => void) | undefined;

/** Creates the places for large answers of this process. */
export function createLargeAnswers({ perPerson, total }: LargeAnswerLimits = defaultLimits): TakeLarge {
  const used = new Map<string, number>();
  let all = 0;
  return (userId) => {
    const own = used.get(userId) ?? 0;
    if (own >= perPerson || all >= total) return undefined;
    used.set(userId, own + 1);
    all += 1;
    return () => {
      all -= 1;
      const left = (used.get(userId) ?? 1) - 1;
      if (left === 0) used.delete(userId);
      else used.set(userId, left);
    };
  };
}

const cutNotes = {
  too_long: "… (the answer is too long, and the rest was not read: ask for less)",
  too_many:
    "… (several long answers are being read, and the rest of this one was not: wait, or ask for less)",
} as const;

/**
 * Reads a body, up to a length: parsed when it is JSON, as text when it is text, else in base64.
 *
 * @throws What broke the body.
 */
export async function readAnswerBody(
  body: Readable | null,
  contentType: string | undefined,
  takeLarge: () => (() => void) | undefined,
): Promise<AnswerBody> {
  const { bytes, cut } = body === null ? { bytes: Buffer.of(), cut: undefined } : await take(body, takeLarge);
  const text = bytes.toString("utf8");
  // The last character of a body that was left may be cut in two.
  const isText = isUtf8(bytes) || (cut !== undefined && !text.slice(0, -1).includes("\uFFFD"));
  if (!isText) return { body: null, bodyBase64: bytes.toString("base64") };
  if (cut !== undefined) return { body: text.replace(/\uFFFD$/, "") + cutNotes[cut] };
  if (!/^application\/(?:[\w.+-]+\+)?json\b/i.test(contentType ?? "")) return { body: text };
  try {
    return { body: JSON.parse(text) as unknown };
  } catch {
    return { body: text };
  }
}

/** By its events: an iterator would cost a small answer several times what reading it does. */
function take(body: Readable, takeLarge: () => (() => void) | undefined): Promise<Taken> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    let over = false;
    let giveBack: (() => void) | undefined;
    const finish = (settle: () => void) => {
      if (over) return;
      over = true;
      giveBack?.();
      settle();
    };
    const leave = (cut: Taken["cut"], most: number) => {
      finish(() => resolve({ bytes: Buffer.concat(chunks).subarray(0, most), cut }));
      body.destroy();
    };
    const broken = () =>
      finish(() => reject(body.errored ?? new Error("The rest of the answer does not come.")));
    body.once("end", () => finish(() => resolve({ bytes: Buffer.concat(chunks), cut: undefined })));
    body.once("error", broken).once("close", broken);
    body.on("data", (chunk: Buffer) => {
      if (over) return;
      chunks.push(chunk);
      length += chunk.length;
      if (length > maximumAnswerBytes) return leave("too_long", maximumAnswerBytes);
      if (length <= largeBytes || giveBack !== undefined) return;
      giveBack = takeLarge();
      if (giveBack === undefined) leave("too_many", largeBytes);
    });
    // It may have broken before anybody listened.
    if (body.destroyed) broken();
  });
}
