import { compactJson } from "@authz/agent-tools";
import type { TransportAnswer } from "@authz/client";
import type { JsonTexts } from "../../output/output.js";

/** The body of an answer as members of a JSON document: what is JSON as its text, what is text as a string, else base64. */
export interface AnswerBody {
  values: { body?: string | null; bodyBase64?: string };
  texts: JsonTexts;
}

/** Reads the whole body of an answer. */
export async function readAnswerBody(answer: TransportAnswer): Promise<AnswerBody> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.body) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const text = bytes.toString("utf8");
  if (!Buffer.from(text).equals(bytes))
    return { values: { body: null, bodyBase64: bytes.toString("base64") }, texts: {} };
  const isJson = /^application\/(?:[\w.+-]+\+)?json\b/i.test(answer.headers["content-type"] ?? "");
  if (!isJson || !isValidJson(text)) return { values: { body: text }, texts: {} };
  return { values: {}, texts: { body: compactJson(text) } };
}

function isValidJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
