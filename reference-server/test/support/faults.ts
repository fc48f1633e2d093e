import type { z } from "zod";
import { check } from "../../src/objects/check.js";
import { type Message, renderMessage } from "../../src/text/message.js";
import { textsIn } from "../../src/text/texts.js";

/** Says a message in English, unless it should be another language. */
export function say(message: Message, language = "en"): string {
  return renderMessage(message, textsIn(language));
}

/** Everything that a schema finds wrong, each with its place: `key: must not be empty`. */
export function faultsOf(schema: z.ZodType, value: unknown): readonly string[] {
  const { faults = [] } = check(schema, value);
  return faults.map(({ path, message }) => `${path}: ${say(message)}`);
}
