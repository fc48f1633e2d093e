import { useMessages } from "../messages/language";
import { partsMessages } from "../messages/parts";

type Texts = (typeof partsMessages)["en"]["fields"];

/** What the server says about a field, by how it begins; the rest is shown as the server wrote it. */
const known: readonly (readonly [RegExp, (texts: Texts, match: RegExpExecArray) => string])[] = [
  [/^is too small: expected string to have >=1 /, (texts) => texts.empty],
  [/^is too small: expected (?:array|set) to have >=1 /, (texts) => texts.emptyList],
  [/^expected \w+, received (?:undefined|null)$/, (texts) => texts.empty],
  [/^is too big: expected string to have <=(\d+) /, (texts, [, most = ""]) => texts.tooLong(most)],
  [/^is too big: expected array to have <=(\d+) /, (texts, [, most = ""]) => texts.tooMany(most)],
  [/^Invalid email/i, (texts) => texts.email],
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

/** Returns `fieldMessage` with the texts of the person's language. */
export function useFieldMessage(): (message: string) => string {
  const { fields } = useMessages(partsMessages);
  return (message) => fieldMessage(message, fields);
}
