import type { AgentAnswer } from "./agent-calls.js";
import { toSafeJson } from "./clean-text.js";

/** What a model reads at once, in characters. Hosts cut longer results themselves, and say nothing about the rest. */
export const PAGE_CHARACTERS = 40_000;

/** Which part of an answer is wanted. */
export interface PageRequest {
  /** Characters of the body that are left out at its beginning. */
  offset: number;
  /** Whether the same request can be sent again for the next part: nothing is kept in between. */
  isRepeatable: boolean;
}

/** An answer as a model reads it: whole, or a part that says where it ends and how to get the next one. */
export function answerPage(
  { status, problem, body, bodyBase64 }: AgentAnswer,
  from: string,
  { offset, isRepeatable }: PageRequest,
): string {
  const text = bodyBase64 ?? (typeof body === "string" ? body : JSON.stringify(body));
  // Only what may fit is written out as a whole: that takes long for a long body.
  if (offset === 0 && text.length <= PAGE_CHARACTERS) {
    const shown = toSafeJson({ status, problem, from, body, bodyBase64 });
    if (shown.length <= PAGE_CHARACTERS) return shown;
  }
  const part = text.slice(offset, offset + PAGE_CHARACTERS);
  const end = offset + part.length;
  const next = isRepeatable ? `call again with "offset": ${String(end)}` : "ask for less";
  const rest = end < text.length ? `; for the rest, ${next}` : "";
  const characters = `${String(offset)} to ${String(end)} of ${String(text.length)}${rest}`;
  return toSafeJson({ status, problem, from, characters, part });
}
