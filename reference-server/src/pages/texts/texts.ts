import type { Language } from "../language.js";
import { english } from "./english.js";
import { german } from "./german.js";

/** Every sentence of the pages. Both languages are written, not translated word by word. */
export type Texts = typeof english;

const catalogs: Readonly<Record<Language, Texts>> = { en: english, de: german };

export function textsOf(language: Language): Texts {
  return catalogs[language] ?? english;
}
