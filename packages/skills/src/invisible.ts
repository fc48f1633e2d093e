/**
 * Characters that move the cursor, change colors, reorder or hide text: control characters, format characters (bidirectional
 * marks, zero-width characters, tags), separators, lone surrogates, variation selectors and blank letters. Made when it is needed: who
 * only loads this file should not wait for tables of Unicode.
 *
 * @returns Matches each of them, everywhere in a text.
 */
export function invisibleCharacters(): RegExp {
  return /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
}

/** Escapes those characters in JSON, which stays equal to what it was; line ends between its members stay too. */
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
