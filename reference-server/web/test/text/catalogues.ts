import { readdirSync, readFileSync } from "node:fs";
import { type MessageFormatElement, parse, TYPE } from "@formatjs/icu-messageformat-parser";

export const locales = new URL("../../../locales/", import.meta.url);

export const languages = JSON.parse(readFileSync(new URL("languages.json", locales), "utf8")) as string[];

/** All messages of the console in one language, by path: `scopes.title`. */
export function messagesIn(language: string): ReadonlyMap<string, string> {
  return new Map(
    sentencesIn(language)
      .filter(([path]) => path.startsWith("console."))
      .map(([path, message]) => [path.slice("console.".length), message]),
  );
}

/** The types of events with a message of the server. */
export function eventTypes(): readonly string[] {
  return sentencesIn("en").flatMap(([path]) => /^audit\.events\.(.+)$/.exec(path)?.[1] ?? []);
}

/** The names of catalogues; each has a file. */
export function catalogueNames(language: string): readonly string[] {
  return ["console", "areas"].flatMap((folder) => readFolder(`${language}/${folder}/`).map(([name]) => name));
}

/** All messages, including the server's, by full path: `console.scopes.title`. A message in two files is there twice. */
export function sentencesIn(language: string): readonly (readonly [string, string])[] {
  return [
    ...readFolder(`${language}/`),
    ...readFolder(`${language}/console/`).map(([name, part]) => ["console", { [name]: part }] as const),
    ...readFolder(`${language}/areas/`).flatMap(([, parts]) => Object.entries(parts)),
  ].flatMap(([name, part]) => pathsOf(name, part));
}

function readFolder(path: string): readonly (readonly [string, Readonly<Record<string, object>>])[] {
  const folder = new URL(path, locales);
  return readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .map((file) => [
      file.replace(/\.json$/, ""),
      JSON.parse(readFileSync(new URL(file, folder), "utf8")) as Readonly<Record<string, object>>,
    ]);
}

/** The values of a message: arguments, and tags as `<b>`. */
export function valuesOf(message: string): readonly string[] {
  return [...new Set(namesIn(parse(message)))].sort();
}

function pathsOf(path: string, value: object | string): [string, string][] {
  if (typeof value === "string") return [[path, value]];
  return Object.entries(value).flatMap(([name, inner]: [string, object | string]) =>
    pathsOf(`${path}.${name}`, inner),
  );
}

function namesIn(elements: readonly MessageFormatElement[]): string[] {
  return elements.flatMap((element) => {
    if (element.type === TYPE.literal || element.type === TYPE.pound) return [];
    if (element.type === TYPE.tag) return [`<${element.value}>`, ...namesIn(element.children)];
    const inside = "options" in element ? Object.values(element.options) : [];
    return [element.value, ...inside.flatMap(({ value }) => namesIn(value))];
  });
}
