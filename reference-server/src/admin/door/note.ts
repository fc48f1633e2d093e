import type { MessageValues, Message } from "../../text/message.js";
import type { CodeBelow } from "../../text/message-key.js";

/** What a preview says beside who gains and who loses. */
export function note(code: CodeBelow<"administration.notes">, values: MessageValues): Message {
  return { key: `administration.notes.${code}`, values };
}
