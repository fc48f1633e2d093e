import { invisibleCharacters } from "@authz/skills/invisible";

/**
 * A short text of others as a page, a mail or a list shows it: one line in which everything can be seen and nothing turns the direction of
 * what stands beside it. `undefined` when nothing is left.
 *
 * @param most - in characters
 */
export function shortText(text: string, most: number): string | undefined {
  const visible = text.replace(invisibleCharacters(), " ").replaceAll(/\s+/g, " ").trim();
  const cut = Array.from(visible).slice(0, most).join("");
  // The cut may leave a joiner that joins nothing any more.
  const line = cut.replace(invisibleCharacters(), "").trim();
  return line === "" ? undefined : line;
}

/** Whether all of a text can be seen. */
export function isVisibleText(text: string): boolean {
  return !invisibleCharacters().test(text);
}
