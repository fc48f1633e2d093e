/**
 * Characters that move the cursor, change colours, reorder or hide text: control characters, format characters (bidirectional
 * marks, zero-width characters, tags), separators, lone surrogates, variation selectors and blank letters. Made when it is needed: who
 * only loads this file should not wait for tables of Unicode.
 */
const unsafe = (): RegExp => /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Makes text from elsewhere safe for one line of a terminal: invisible characters are spelled out, like `\u{202e}`. */
export function cleanLine(text: string): string {
  return text.replace(unsafe(), writeOut);
}

/** The same for several lines: line ends and tabs stay. */
export function cleanText(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replace(unsafe(), (character) =>
      character === "\n" || character === "\t" ? character : writeOut(character),
    );
}

/** JSON for any reader: equal to the input, and without characters that a terminal would obey or hide. */
export function toSafeJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(unsafe(), (character) =>
    character === "\n"
      ? character
      : character
          .split("")
          .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
          .join(""),
  );
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
