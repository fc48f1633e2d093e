import type { TransportAnswer } from "@authz/client";

/** The body of an answer: parsed when it is JSON, as text when it is text, else in base64. */
export type AnswerBody = { body: unknown } | { body: null; bodyBase64: string };

/** Reads the whole body of an answer. */
export async function readAnswerBody(answer: TransportAnswer): Promise<AnswerBody> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.body) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const text = bytes.toString("utf8");
  if (!Buffer.from(text).equals(bytes)) return { body: null, bodyBase64: bytes.toString("base64") };
  if (!/^application\/(?:[\w.+-]+\+)?json\b/i.test(answer.headers["content-type"] ?? ""))
    return { body: text };
  try {
    return { body: JSON.parse(text) as unknown };
  } catch {
    return { body: text };
  }
}
