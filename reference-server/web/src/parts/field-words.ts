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
  [/^must consist of a-z, 0-9, dots/, (texts) => texts.clientId],
  [/^must not be a UUID/, (texts) => texts.uuid],
  [/^must be the public JWK/, (texts) => texts.publicKey],
  [/^must have a key/, (texts) => texts.needsKey],
  [/^must be an absolute URI/, (texts) => texts.absoluteUri],
  [/^must have no (?:fragment|wildcard|credentials)/, (texts) => texts.plainUri],
  [/^must be (?:an https: URI|https:, or a scheme)/, (texts) => texts.redirectUri],
  [/^must be the address of the metadata document/, (texts) => texts.metadataUrl],
  [/^is missing; a client without a secret/, (texts) => texts.needsSecret],
  [/^(?:must be given again|is missing: none is stored)/, (texts) => texts.secretAgain],
  [/^must have no spaces: it goes into a header/, (texts) => texts.token],
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
