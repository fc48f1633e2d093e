import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type MessageFormatElement, parse, TYPE } from "@formatjs/icu-messageformat-parser";
import type { Plugin } from "vite";

/** The messages of one catalogue by their paths: as they stand, or parsed when there is something to fill in. */
export type CompiledTexts = Readonly<Record<string, string | MessageFormatElement[]>>;

/** A file of `areas/`: of what it says, the console's part by catalogue. */
interface AreaFile {
  readonly console: Readonly<Record<string, object>>;
}

/**
 * Parses a catalogue of one language, so that browsers need no parser: `console/<name>.json` if there is one, and what
 * the files of `areas/` say under its name.
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
      return JSON.stringify(compileCatalogue(folder, name), withoutNull);
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

/** The library takes what is not there as it takes `null`. */
function withoutNull(_name: string, value: unknown): unknown {
  return value === null ? undefined : value;
}

function compile(message: string): string | MessageFormatElement[] {
  const elements = parse(message);
  const [first] = elements;
  return elements.length === 1 && first?.type === TYPE.literal ? first.value : elements;
}
