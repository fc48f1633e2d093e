import type { Language } from "../../pages/language.js";
import { english } from "./english.js";
import { german } from "./german.js";

/** Every sentence that the admin API says itself. Both languages are written, not translated word by word. */
export type AdminTexts = typeof english;

/** Something to say, in whatever language the caller reads; the log has the English one. */
export type Sentence = (texts: AdminTexts) => string;

const catalogs: Readonly<Record<Language, AdminTexts>> = { en: english, de: german };

export function adminTexts(language: Language): AdminTexts {
  return catalogs[language] ?? english;
}
