import type { en } from "../messages/en/parts";

type Texts = (typeof en)["fields"];

/** What the server says about a field, by how it begins; the rest is shown as the server wrote it. */
const known: readonly (readonly [RegExp, (texts: Texts, match: RegExpExecArray) => string])[] = [
  [/^(?:is missing|must not be empty)$/, (texts) => texts.empty],
  [/^must have at least 1 item$/, (texts) => texts.emptyList],
  [/^must have at most (\d+) characters$/, (texts, [, most = ""]) => texts.tooLong(most)],
  [/^must have at most (\d+) items$/, (texts, [, most = ""]) => texts.tooMany(most)],
  [/^must be an e-mail address/, (texts) => texts.email],
  [/^must consist of a-z, 0-9 and hyphens/, (texts) => texts.key],
  [/^must be "namespace:permission"/, (texts) => texts.scope],
  [/^must be an https: URL/, (texts) => texts.url],
  [/^must be an origin/, (texts) => texts.origin],
  [/^must have no spaces and no quotes/, (texts) => texts.token],
  [/^must be a domain/, (texts) => texts.domain],
  [/^"(.+)" is not a known scope/, (texts, [, scope = ""]) => texts.unknownScope(scope)],
];

/** The server's verdict on a field in the words and the language of the person. */
export function fieldMessage(message: string, texts: Texts): string {
  for (const [pattern, toText] of known) {
    const match = pattern.exec(message);
    if (match !== null) return toText(texts, match);
  }
  const sentence = message.slice(0, 1).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
