import languageTags from "@locales/languages.json";
import { createContext, createElement, Fragment, type ReactNode, use } from "react";
import type { CompiledTexts } from "../../compile-texts";
import { createStore, readSetting, useStore, writeSetting } from "../store";
import { localeOf } from "./locale";
import { fillIn, type Message, type Numbers } from "./message";
import type { CatalogueName, TextKey } from "./text-key";

/** Values of a message. A tag such as `<b>…</b>` is a function of its content. */
type Values = Readonly<Record<string, string | number | boolean>>;
type RichValues = Readonly<Record<string, ReactNode | ((inside: ReactNode[]) => ReactNode)>>;

/** Returns a message in the language of the person: `t("scopes.deleted", { key })`. */
export interface Text {
  (key: TextKey, values?: Values): string;
  (key: TextKey, values: RichValues): ReactNode;
}

/** The languages of the console; the first one is the default. */
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
/** Loaded messages by language. */
const loaded = new Map(languages.map((tag) => [tag, new Map<string, Message>()]));
const wanted = new Set<string>();
let language = initialLanguage();
let locale = localeOf(language);
let numbers = createNumbers();
const text = createStore(createText());
const TextInUse = createContext(text.get());

/** For `<b>…</b>` in a message. */
export const bold = (inside: ReactNode[]): ReactNode => createElement("strong", null, ...inside);

export function currentLanguage(): string {
  return language;
}

/** Loads catalogues in the language of the person. */
export async function loadTexts(names: readonly CatalogueName[]): Promise<void> {
  for (const name of names) wanted.add(name);
  await loadWanted(language);
}

/** Loads a part of the console together with the catalogues it uses. */
export function withTexts<Part>(
  names: readonly CatalogueName[],
  load: () => Promise<Part>,
): () => Promise<Part> {
  return async () => {
    const [part] = await Promise.all([load(), loadTexts(names)]);
    return part;
  };
}

/** Changes the language as soon as all texts in use are loaded. */
export async function setLanguage(next: string): Promise<void> {
  writeSetting(storageKey, next);
  await loadWanted(next);
  language = next;
  locale = localeOf(language);
  numbers = createNumbers();
  text.set(createText());
}

export function useLanguage(): string {
  useText();
  return language;
}

export function currentText(): Text {
  return text.get();
}

/** Provides the texts to the whole console, so that none of the many parts of a list subscribes by itself. */
export function Texts({ children }: { readonly children: ReactNode }) {
  const value = useStore(text);
  return createElement(TextInUse, { value }, children);
}

export function useText(): Text {
  return use(TextInUse);
}

/** Whether a code of the server has a text; a newer server may send unknown ones. */
export function hasText(key: string): key is TextKey {
  return loaded.get(language)?.has(key) ?? false;
}

/** The last parts of all keys directly below a path. */
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

/** Creates the number formats early: the browser's look-up of a language takes a while, and the page still waits for the network. */
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
  const translate = (key: TextKey, values: RichValues = {}) => {
    const message = messages?.get(key) ?? key;
    if (typeof message === "string") return message;
    const nodes = fillIn(message, values, numbers);
    if (nodes.length > 1) return createElement(Fragment, null, ...nodes);
    return nodes[0] ?? "";
  };
  // Values that are strings and numbers give a single string.
  return translate as Text;
}

/** Creates each format on first use. */
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

function initialLanguage(): string {
  const [own] = (readSetting(storageKey) ?? navigator.language).toLowerCase().split("-");
  return languages.find((tag) => tag === own) ?? languages[0] ?? "en";
}
