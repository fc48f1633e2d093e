import languageTags from "@locales/languages.json";
import { IntlMessageFormat } from "intl-messageformat";
import { createElement, Fragment, type ReactNode, useSyncExternalStore } from "react";
import type { CompiledTexts } from "../../compile-texts";
import { localeOf } from "./locale";
import type { CatalogueName, TextKey } from "./text-key";

/** What is filled into a message. A tag such as `<b>…</b>` is a function of what stands in it. */
type Values = Readonly<Record<string, string | number | boolean>>;
type RichValues = Readonly<Record<string, ReactNode | ((inside: ReactNode[]) => ReactNode)>>;

/** Says a message in the language of the person: `t("scopes.deleted", { key })`. */
export interface Text {
  (key: TextKey, values?: Values): string;
  (key: TextKey, values: RichValues): ReactNode;
}

/** The languages of the console; the first one is for people who speak none of them. */
export const languages: readonly string[] = languageTags;

const storageKey = "authz-language";
const files = Object.entries(
  import.meta.glob<{ readonly default: CompiledTexts }>([
    "@locales/*/console/*.json",
    "@locales/*/areas/*.json",
  ]),
).map(([path, load]) => {
  const [, tag, name] = /([^/]+)\/(?:console|areas)\/([^/]+)\.json$/.exec(path) ?? [];
  return { tag, name, load };
});
/** What was loaded, by language; a message is formatted often and prepared once. */
const loaded = new Map(
  languages.map((tag) => [tag, new Map<string, CompiledTexts[string] | IntlMessageFormat>()]),
);
const wanted = new Set<string>();
const listeners = new Set<() => void>();
let language = initialLanguage();
let text = createText();

/** For `<b>…</b>` in a message. */
export const bold = (inside: ReactNode[]): ReactNode => createElement("strong", null, ...inside);

export function currentLanguage(): string {
  return language;
}

/** Loads catalogues in the language of the person; others say nothing. */
export async function loadTexts(names: readonly CatalogueName[]): Promise<void> {
  for (const name of names) wanted.add(name);
  await loadWanted(language);
}

/** Loads a part of the console together with the catalogues that it says things from. */
export function withTexts<Part>(
  names: readonly CatalogueName[],
  load: () => Promise<Part>,
): () => Promise<Part> {
  return async () => {
    const [part] = await Promise.all([load(), loadTexts(names)]);
    return part;
  };
}

/** Changes the language as soon as everything on the screen can be said in it. */
export async function setLanguage(next: string): Promise<void> {
  try {
    localStorage.setItem(storageKey, next);
  } catch {
    // No storage: the choice lasts until the page is loaded again.
  }
  await loadWanted(next);
  language = next;
  text = createText();
  for (const listener of listeners) listener();
}

export function useLanguage(): string {
  useText();
  return language;
}

export function currentText(): Text {
  return text;
}

export function useText(): Text {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, currentText);
}

/** Whether a code that comes from the server has words here: a newer server may send one that has none. */
export function hasText(key: string): key is TextKey {
  return loaded.get(language)?.has(key) ?? false;
}

/** The last parts of every key directly below a path: what has a name there. */
export function useCodes(path: string): readonly string[] {
  const messages = loaded.get(useLanguage());
  return [...(messages?.keys() ?? [])]
    .filter((key) => key.startsWith(`${path}.`))
    .map((key) => key.slice(path.length + 1));
}

/** The locale for dates and numbers, for `Intl`. */
export function useLocale(): string {
  return localeOf(useLanguage());
}

/** `1,234` or `1.234`. */
export function formatNumber(value: number): string {
  return new Intl.NumberFormat(localeOf(language)).format(value);
}

async function loadWanted(tag: string): Promise<void> {
  const messages = loaded.get(tag);
  await Promise.all(
    files
      .filter((file) => file.tag === tag && file.name !== undefined && wanted.has(file.name))
      .map(async ({ name, load }) => {
        for (const [path, message] of Object.entries((await load()).default)) {
          const key = `${name}.${path}`;
          if (messages?.has(key) === false) messages.set(key, message);
        }
      }),
  );
}

function createText(): Text {
  const messages = loaded.get(language);
  const locale = localeOf(language);
  const say = (key: TextKey, values?: RichValues) => {
    let message = messages?.get(key) ?? key;
    if (typeof message === "string") return message;
    if (Array.isArray(message)) {
      message = new IntlMessageFormat(message, locale);
      messages?.set(key, message);
    }
    const said = message.format(values as Parameters<typeof message.format<ReactNode>>[0]);
    return Array.isArray(said) ? createElement(Fragment, null, ...said) : said;
  };
  // Of strings and numbers the library makes a string.
  return say as Text;
}

function initialLanguage(): string {
  let chosen: string | null = null;
  try {
    chosen = localStorage.getItem(storageKey);
  } catch {
    // No storage: the browser's language decides.
  }
  const [own] = (chosen ?? navigator.language).toLowerCase().split("-");
  return languages.find((tag) => tag === own) ?? languages[0] ?? "en";
}
