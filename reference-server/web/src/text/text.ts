import languageTags from "@locales/languages.json";
import { createContext, createElement, Fragment, type ReactNode, use, useSyncExternalStore } from "react";
import type { CompiledTexts } from "../../compile-texts";
import { localeOf } from "./locale";
import { fillIn, type Message, type Numbers } from "./message";
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
/** What was loaded, by language. */
const loaded = new Map(languages.map((tag) => [tag, new Map<string, Message>()]));
const wanted = new Set<string>();
const listeners = new Set<() => void>();
let language = initialLanguage();
let locale = localeOf(language);
let numbers = createNumbers();
let text = createText();
const TextInUse = createContext(text);

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
  locale = localeOf(language);
  numbers = createNumbers();
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

/** Around everything that says something. A row of a list has many parts that do, and none of them listens by itself. */
export function Texts({ children }: { readonly children: ReactNode }) {
  const value = useSyncExternalStore(subscribe, currentText);
  return createElement(TextInUse, { value }, children);
}

export function useText(): Text {
  return use(TextInUse);
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
  useText();
  return locale;
}

/** `1,234` or `1.234`. */
export function formatNumber(value: number): string {
  return numbers.format.format(value);
}

/** Makes what writes numbers, for whoever waits for something else meanwhile: the browser looks up how a language does it. */
export function prepareNumbers(): void {
  numbers.plural.select(0);
  numbers.format.format(0);
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
  const say = (key: TextKey, values: RichValues = {}) => {
    const message = messages?.get(key) ?? key;
    if (typeof message === "string") return message;
    const said = fillIn(message, values, numbers);
    if (said.length > 1) return createElement(Fragment, null, ...said);
    return said[0] ?? "";
  };
  // Of strings and numbers one string is made.
  return say as Text;
}

/** Each is made when it is needed for the first time. */
function createNumbers(): Numbers {
  const tag = locale;
  let format: Intl.NumberFormat | undefined;
  let plural: Intl.PluralRules | undefined;
  return {
    get format() {
      format ??= new Intl.NumberFormat(tag);
      return format;
    },
    get plural() {
      plural ??= new Intl.PluralRules(tag);
      return plural;
    },
  };
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
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
