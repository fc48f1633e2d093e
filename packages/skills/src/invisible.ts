/** Letters and marks of scripts in which a joiner changes the shape of its neighbors, as in Persian and Sinhala names. */
const joined = String.raw`(?=[\p{L}\p{M}])[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}]`;

/** Invisible characters whose neighbors show that they are there: inside an emoji, and between such letters. */
const shown = [
  String.raw`\p{Extended_Pictographic}[\uFE0F\p{Emoji_Modifier}]?\u200D(?=\p{Extended_Pictographic})`,
  String.raw`\p{Extended_Pictographic}\uFE0F`,
  String.raw`[#*0-9]\uFE0F(?=\u20E3)`,
  String.raw`${joined}[\u200C\u200D](?=${joined})`,
].join("|");

const invisible = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800](?<!${shown})`;

/**
 * Characters that move the cursor, change colors, reorder or hide text: control characters, format characters (bidirectional
 * marks, zero-width characters, tags), separators, lone surrogates, variation selectors and blank letters. A joiner counts only where it
 * joins nothing. Compiled on use: loading this file must not wait for tables of Unicode.
 *
 * @returns Matches each of them, everywhere in a text.
 */
export function invisibleCharacters(): RegExp {
  return new RegExp(invisible, "gu");
}

/** The first of those characters in a text that may have line ends and tabs; `undefined` when all of it can be seen. */
export function findInvisible(
  text: string,
): { readonly character: string; readonly index: number } | undefined {
  const found = new RegExp(String.raw`(?![\t\n\r])${invisible}`, "u").exec(text);
  return found === null ? undefined : { character: found[0], index: found.index };
}

/** Makes text from elsewhere safe for one line of a terminal: invisible characters are spelled out, like `\u{202e}`. */
export function cleanLine(text: string): string {
  return text.replace(invisibleCharacters(), spellOut);
}

/** The same for several lines: line ends and tabs stay. */
export function cleanText(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replace(invisibleCharacters(), (character) =>
      character === "\n" || character === "\t" ? character : spellOut(character),
    );
}

/** Foreign text inside a sentence: one clean line in quotes that it cannot close, cut to `most` characters. */
export function quoted(text: string, most: number = 300): string {
  const line = cleanLine(text.replaceAll(/\s+/g, " ").trim()).replaceAll('"', "'");
  // The cut may leave half of a surrogate pair.
  return `"${line.length > most ? `${line.slice(0, most).replace(/\p{Cs}$/u, "")}…` : line}"`;
}

/** Escapes those characters in JSON, whose value stays the same; line ends between its members stay too. */
export function escapeInvisible(json: string): string {
  return json.replace(invisibleCharacters(), (character) =>
    character === "\n"
      ? character
      : character
          .split("")
          .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
          .join(""),
  );
}

function spellOut(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
