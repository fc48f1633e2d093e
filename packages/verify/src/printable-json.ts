/** What moves the cursor, reorders or hides text on a terminal, and JSON leaves as it is. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** A value from elsewhere as JSON that is safe to print: what cannot be seen is escaped. `nothing` when there is none. */
export function printableJson(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").replaceAll(unprintable, (character) =>
    character
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}
