import { readdirSync, readFileSync } from "node:fs";
import { IntlMessageFormat } from "intl-messageformat";
import { packageFolder } from "../platform/package-folder.js";
import type { MessageKey } from "./message-key.js";

/** A tag such as `de`: one of `languages`. */
export type Language = string;

export type TextValues = Readonly<Record<string, string | number>>;

/** What stands in a sentence besides text: things of one type, and functions that wrap what is between two tags. */
type PartValues<Part extends object> = Readonly<
  Record<string, string | number | Part | ((inside: readonly (string | Part)[]) => Part)>
>;

/** Every sentence in one language. */
export interface Texts {
  readonly language: Language;
  /** One sentence. A value that it names and does not get is an error. */
  readonly text: (key: MessageKey, values?: TextValues) => string;
  /** One sentence in pieces, for what is more than text: each value that is an object stays itself. */
  readonly parts: <Part extends object>(
    key: MessageKey,
    values: PartValues<Part>,
  ) => readonly (string | Part)[];
  /** Whether there is such a sentence, for codes that come from elsewhere. */
  readonly has: (key: string) => key is MessageKey;
}

export interface Catalogs {
  /** The first one is spoken where a sentence or a language is missing. */
  readonly languages: readonly [Language, ...Language[]];
  readonly textsIn: (language: Language) => Texts;
}

/** Opens a folder of catalogs: `languages.json`, and for each language a folder. */
export function openCatalogs(folder: URL): Catalogs {
  const languages = readJson(new URL("languages.json", folder)) as Catalogs["languages"];
  const opened = new Map<Language, Texts>();
  const textsIn = (wanted: Language): Texts => {
    const language = languages.includes(wanted) ? wanted : languages[0];
    const known = opened.get(language);
    if (known !== undefined) return known;
    const messages = new Map([languages[0], language].flatMap((name) => readMessages(folder, name)));
    const texts = createTexts(language, messages);
    opened.set(language, texts);
    return texts;
  };
  return { languages, textsIn };
}

/** The catalogs that ship with the server. */
export const { languages, textsIn }: Catalogs = openCatalogs(new URL("locales/", packageFolder));

function createTexts(language: Language, messages: ReadonlyMap<string, string>): Texts {
  const compiled = new Map<string, string | IntlMessageFormat>();
  const find = (key: MessageKey): string | IntlMessageFormat => {
    const known = compiled.get(key);
    if (known !== undefined) return known;
    const message = compile(messages.get(key) ?? key, language);
    compiled.set(key, message);
    return message;
  };
  return {
    language,
    text(key, values) {
      const message = find(key);
      return typeof message === "string" ? message : String(message.format(values));
    },
    parts<Part extends object>(key: MessageKey, values: PartValues<Part>) {
      const message = find(key);
      if (typeof message === "string") return [message];
      const parts = message.format<Part>(values);
      return Array.isArray(parts) ? parts : [parts];
    },
    has: (key): key is MessageKey => messages.has(key),
  };
}

/** Most sentences are nothing but text, and need no more than themselves. */
function compile(source: string, language: Language): string | IntlMessageFormat {
  return /[{<']/.test(source) ? new IntlMessageFormat(source, language) : source;
}

/** Every file is what its name says, `pages.json`; one in `areas/` has parts of several, and what only the console says. */
function readMessages(folder: URL, language: Language): readonly (readonly [string, string])[] {
  const own = new URL(`${language}/`, folder);
  const areas = new URL("areas/", own);
  return [
    ...catalogsIn(own).flatMap(([name, catalog]) => [...flatten(catalog, `${name}.`)]),
    ...catalogsIn(areas).flatMap(([, catalog]) => [...flatten(catalog, "")]),
  ].filter(([key]) => !key.startsWith("console."));
}

function catalogsIn(folder: URL): readonly (readonly [string, CatalogNode])[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .map((file) => [file.slice(0, -".json".length), readJson(new URL(file, folder)) as CatalogNode]);
}

interface CatalogNode {
  readonly [name: string]: string | CatalogNode;
}

function* flatten(node: CatalogNode, path: string): Generator<readonly [string, string]> {
  for (const [name, value] of Object.entries(node)) {
    if (typeof value === "string") yield [path + name, value];
    else yield* flatten(value, `${path}${name}.`);
  }
}

function readJson(file: URL): unknown {
  return JSON.parse(readFileSync(file, "utf8"));
}
