import { useSyncExternalStore } from "react";
import { localeOf } from "./locale";

/** The languages of the console. */
export const languages = { en: "English", de: "Deutsch" } as const;
export type Language = keyof typeof languages;

/** One area's texts. The German one is typed by the English one: a missing key does not compile. */
export interface Messages<T> {
  readonly en: T;
  readonly de: T;
}

const storageKey = "authz-language";
const listeners = new Set<() => void>();
let language = initialLanguage();

export function currentLanguage(): Language {
  return language;
}

export function setLanguage(next: Language): void {
  language = next;
  try {
    localStorage.setItem(storageKey, next);
  } catch {
    // No storage: the choice lasts until the page is loaded again.
  }
  for (const listener of listeners) listener();
}

export function useLanguage(): Language {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => language,
  );
}

/** An area's texts in the language of the person: `const t = useMessages({ en, de })`. */
export function useMessages<T>(messages: Messages<T>): T {
  return messages[useLanguage()];
}

/** The locale for dates and numbers, for `Intl`. */
export function useLocale(): string {
  return localeOf(useLanguage());
}

/** `1,234` or `1.234`. */
export function formatNumber(value: number): string {
  return new Intl.NumberFormat(localeOf(language)).format(value);
}

function initialLanguage(): Language {
  let chosen: string | null = null;
  try {
    chosen = localStorage.getItem(storageKey);
  } catch {
    // No storage: the browser's language decides.
  }
  return (chosen ?? navigator.language).toLowerCase().startsWith("de") ? "de" : "en";
}
