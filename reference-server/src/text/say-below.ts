import type { MessageValues, Message } from "./message.js";
import type { MessageKey } from "./message-key.js";

/** Says one of the sentences below a path of the catalogs. */
export type SayBelow<Path extends string> = (
  sentence: MessageKey extends infer Key ? (Key extends `${Path}.${infer Rest}` ? Rest : never) : never,
  values?: MessageValues,
) => string;

/** Binds a voice to a path, so that whoever has much to say need not repeat it. */
export function sayBelow<Path extends string>(path: Path, say: (message: Message) => string): SayBelow<Path> {
  return (sentence, values = {}) => say({ key: `${path}.${sentence as string}` as MessageKey, values });
}
