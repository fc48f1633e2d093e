import type { MessageValues, Message } from "./message.js";
import type { MessageKey } from "./message-key.js";

/** Renders a sentence below a path of the catalogs. */
export type SayBelow<Path extends string> = (
  sentence: MessageKey extends infer Key ? (Key extends `${Path}.${infer Rest}` ? Rest : never) : never,
  values?: MessageValues,
) => string;

/** Binds a path, so that callers with many sentences need not repeat it. */
export function sayBelow<Path extends string>(path: Path, say: (message: Message) => string): SayBelow<Path> {
  return (sentence, values = {}) => say({ key: `${path}.${sentence as string}` as MessageKey, values });
}
