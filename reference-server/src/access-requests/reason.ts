import { longestReason } from "../store/access-requests.js";
import { isVisibleText } from "../text/short-text.js";
import { AskError } from "./ask-error.js";

/** A text of a person for a person: trimmed, with `\n` at the end of lines; `undefined` when it is empty, too long or hides something. */
export function readText(text: string): string | undefined {
  const trimmed = text.replaceAll("\r\n", "\n").trim();
  if (trimmed === "" || trimmed.length > longestReason) return undefined;
  // What is read is what was written.
  return isVisibleText(trimmed.replaceAll("\n", " ")) ? trimmed : undefined;
}

/** @throws {AskError} `invalid_reason` */
export function readReason(text: string): string {
  const reason = readText(text);
  if (reason !== undefined) return reason;
  const message = `The reason must have 1 to ${String(longestReason)} characters, none of them a control or invisible character.`;
  throw new AskError("invalid_reason", message);
}
