import { invisibleCharacters } from "@authz/skills/invisible";

/**
 * A short foreign text for a page, a mail or a list: one visible line that cannot change the direction of text beside it. `undefined` when
 * nothing is left.
 *
 * @param most - in characters
 */
export function shortText(text: string, most: number): string | undefined {
  const visible = text.replace(invisibleCharacters(), " ").replaceAll(/\s+/g, " ").trim();
  const cut = Array.from(visible).slice(0, most).join("");
  // The cut may leave a joiner without a neighbor.
  const line = cut.replace(invisibleCharacters(), "").trim();
  return line === "" ? undefined : line;
}

/** Whether a text has no invisible characters. */
export function isVisibleText(text: string): boolean {
  return !invisibleCharacters().test(text);
}
