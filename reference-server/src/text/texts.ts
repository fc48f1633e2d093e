import { readdirSync, readFileSync } from "node:fs";
import { IntlMessageFormat } from "intl-messageformat";
import { packageFolder } from "../platform/package-folder.js";
import type { MessageKey } from "./message-key.js";

/** A tag such as `de`: one of `languages`. */
export type Language = string;

export type TextValues = Readonly<Record<string, string | number>>;

/** Values of a sentence: text, things of one type, and functions that wrap the content of a tag. */
type PartValues<Part extends object> = Readonly<
  Record<string, string | number | Part | ((inside: readonly (string | Part)[]) => Part)>
>;

/** Every sentence in one language. */
export interface Texts {
  readonly language: Language;
  /** One sentence. A missing value is an error. */
  readonly text: (key: MessageKey, values?: TextValues) => string;
  /** One sentence in pieces, where values are more than text: each value that is an object stays itself. */
  readonly parts: <Part extends object>(
    key: MessageKey,
    values: PartValues<Part>,
  ) => readonly (string | Part)[];
  /** Whether there is such a sentence, for codes from elsewhere. */
  readonly has: (key: string) => key is MessageKey;
}

export interface Catalogs {
  /** The first is the fallback for a missing sentence or language. */
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

/** Most messages have no placeholders; skip compiling them. */
function compile(source: string, language: Language): string | IntlMessageFormat {
  return /[{<']/.test(source) ? new IntlMessageFormat(source, language) : source;
}

/** A file is the part of its name, such as `pages.json`; one in `areas/` has parts of several, and the console's own texts. */
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
