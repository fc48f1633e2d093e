import { readdirSync, readFileSync } from "node:fs";
import { type MessageFormatElement, parse, TYPE } from "@formatjs/icu-messageformat-parser";

export const locales = new URL("../../../locales/", import.meta.url);

export const languages = JSON.parse(readFileSync(new URL("languages.json", locales), "utf8")) as string[];

/** Every message of the console in one language, as it stands in the catalogues: `scopes.title`. */
export function messagesIn(language: string): ReadonlyMap<string, string> {
  const folder = new URL(`${language}/console/`, locales);
  return new Map(
    readdirSync(folder).flatMap((file) =>
      pathsOf(file.replace(/\.json$/, ""), JSON.parse(readFileSync(new URL(file, folder), "utf8")) as object),
    ),
  );
}

/** What a message has to be given: arguments, and tags as `<b>`. */
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
