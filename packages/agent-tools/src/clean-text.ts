import { escapeInvisible, invisibleCharacters } from "@authz/skills/invisible";

/** Makes text from elsewhere safe for one line of a terminal: invisible characters are spelled out, like `\u{202e}`. */
export function cleanLine(text: string): string {
  return text.replace(invisibleCharacters(), writeOut);
}

/** The same for several lines: line ends and tabs stay. */
export function cleanText(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replace(invisibleCharacters(), (character) =>
      character === "\n" || character === "\t" ? character : writeOut(character),
    );
}

/** JSON for any reader: equal to the input, and without characters that a terminal would obey or hide. */
export function toSafeJson(value: unknown, indent?: number): string {
  return escapeInvisible(JSON.stringify(value, undefined, indent));
}

/** The same value as JSON has it, and every text in it, names included, without a character that nobody can see. */
export function cleanJson(value: unknown): unknown {
  if (typeof value === "string") return cleanText(value);
  if (Array.isArray(value)) return value.map(cleanJson);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [cleanLine(name), cleanJson(member)]));
}

function writeOut(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
