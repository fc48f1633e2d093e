import { longestReason } from "../store/access-requests.js";
import { AskError } from "./ask-error.js";

/** Controls other than line ends, halves of characters, and what turns the direction of a text around: what is read is what was written. */
const hidden = /[^\P{Cc}\n]|\p{Bidi_Control}|\p{Surrogate}/u;

/** A text of a person for a person: trimmed, with `\n` at the end of lines; `undefined` when it is empty, too long or hides something. */
export function readText(text: string): string | undefined {
  const trimmed = text.replaceAll("\r\n", "\n").trim();
  if (trimmed === "" || trimmed.length > longestReason || hidden.test(trimmed)) return undefined;
  return trimmed;
}

/** @throws {AskError} `invalid_reason` */
export function readReason(text: string): string {
  const reason = readText(text);
  if (reason !== undefined) return reason;
  const message = `The reason must have 1 to ${String(longestReason)} characters, none of them a control character.`;
  throw new AskError("invalid_reason", message);
}
