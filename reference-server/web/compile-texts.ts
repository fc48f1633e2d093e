import { type MessageFormatElement, parse, TYPE } from "@formatjs/icu-messageformat-parser";
import type { Plugin } from "vite";

/** The messages of one catalogue by their paths: as they stand, or parsed when there is something to fill in. */
export type CompiledTexts = Readonly<Record<string, string | MessageFormatElement[]>>;

/** Parses a catalogue, so that browsers need no parser. */
export function compileTexts(catalogue: object): CompiledTexts {
  return Object.fromEntries(
    Object.entries(catalogue).flatMap(([name, value]: [string, string | object]) => {
      if (typeof value === "string") return [[name, compile(value)]];
      return Object.entries(compileTexts(value)).map(([path, message]) => [`${name}.${path}`, message]);
    }),
  );
}

/** Puts compiled catalogues into the build. */
export function textsPlugin(): Plugin {
  return {
    name: "texts",
    enforce: "pre",
    transform: (code, id) =>
      /\/console\/[^/]+\.json$/.test(id)
        ? JSON.stringify(compileTexts(JSON.parse(code) as object), withoutNull)
        : undefined,
  };
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
