import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type MessageFormatElement,
  parse,
  type PluralElement,
  TYPE,
} from "@formatjs/icu-messageformat-parser";
import type { Plugin } from "vite";
import type { Message, MessagePart } from "./src/text/message";

/** The messages of one catalogue by their paths: as they stand, or parsed when there is something to fill in. */
export type CompiledTexts = Readonly<Record<string, Message>>;

/** A file of `areas/`, of which the console reads its own part, by catalogue. */
interface AreaFile {
  readonly console: Readonly<Record<string, object>>;
}

/**
 * Parses a catalogue of one language, so that browsers need no parser: `console/<name>.json` if there is one, and what
 * the messages under its name in the files of `areas/`.
 */
export function compileCatalogue(folder: string, name: string): CompiledTexts {
  const own = join(folder, "console", `${name}.json`);
  const areas = join(folder, "areas");
  return Object.assign(
    existsSync(own) ? compileTexts(readJson(own) as object) : {},
    ...readdirSync(areas)
      .map((file) => (readJson(join(areas, file)) as AreaFile).console[name])
      .map((part) => part && compileTexts(part)),
  ) as CompiledTexts;
}

/** Puts compiled catalogues into the build. */
export function textsPlugin(): Plugin {
  return {
    name: "texts",
    enforce: "pre",
    transform(_, id) {
      const [, folder, name] = /^(.*)\/(?:areas|console)\/([^/]+)\.json$/.exec(id) ?? [];
      if (folder === undefined || name === undefined) return undefined;
      return JSON.stringify(compileCatalogue(folder, name));
    },
  };
}

function compileTexts(catalogue: object): CompiledTexts {
  return Object.fromEntries(
    Object.entries(catalogue).flatMap(([name, value]: [string, string | object]) => {
      if (typeof value === "string") return [[name, compile(value)]];
      return Object.entries(compileTexts(value)).map(([path, message]) => [`${name}.${path}`, message]);
    }),
  );
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, "utf8"));
}

function compile(message: string): Message {
  const parts = parse(message).map((element) => compilePart(element, message));
  const [first = ""] = parts;
  return parts.length <= 1 && typeof first === "string" ? first : parts;
}

function compilePart(element: MessageFormatElement, message: string): MessagePart {
  const compileAll = (elements: readonly MessageFormatElement[]) =>
    elements.map((inner) => compilePart(inner, message));
  if (element.type === TYPE.literal) return element.value;
  if (element.type === TYPE.pound) return { count: true };
  if (element.type === TYPE.argument) return { value: element.value };
  if (element.type === TYPE.tag) return { tag: element.value, inside: compileAll(element.children) };
  if (element.type === TYPE.number && !element.style) return { number: element.value };
  if (element.type === TYPE.select || isPlainPlural(element)) {
    const forms = Object.entries(element.options).map(([form, { value }]) => [form, compileAll(value)]);
    const name = element.type === TYPE.select ? "select" : "plural";
    return { [name]: element.value, forms: Object.fromEntries(forms) } as MessagePart;
  }
  throw new Error(`The console does not format this: ${message}`);
}

function isPlainPlural(element: MessageFormatElement): element is PluralElement {
  return element.type === TYPE.plural && element.offset === 0 && element.pluralType === "cardinal";
}
