import { fileURLToPath } from "node:url";
import { type MessageFormatElement, parse, TYPE } from "@formatjs/icu-messageformat-parser";
import { IntlMessageFormat } from "intl-messageformat";
import type { ReactNode } from "react";
import { describe, expect, test } from "vitest";
import { compileCatalogue } from "../../compile-texts";
import { fillIn } from "../../src/text/message";
import { catalogueNames, languages, locales, messagesIn } from "./catalogues";

/** The placeholders of a message: numbers to count, choices, other values, and tags. */
interface Blanks {
  readonly counts: Set<string>;
  readonly choices: Map<string, Set<string>>;
  readonly others: Set<string>;
  readonly tags: Set<string>;
}

function blanksOf(elements: readonly MessageFormatElement[], blanks: Blanks): Blanks {
  for (const element of elements) {
    if (element.type === TYPE.argument) blanks.others.add(element.value);
    else if (element.type === TYPE.number || element.type === TYPE.plural) blanks.counts.add(element.value);
    else if (element.type === TYPE.tag) blanks.tags.add(element.value);
    else if (element.type === TYPE.select) {
      const known = blanks.choices.get(element.value) ?? new Set(["nobody knows it"]);
      blanks.choices.set(element.value, new Set([...known, ...Object.keys(element.options)]));
    }
    if (element.type === TYPE.tag) blanksOf(element.children, blanks);
    if ("options" in element) for (const { value } of Object.values(element.options)) blanksOf(value, blanks);
  }
  return blanks;
}

/** Each number with each choice that occurs together with it. */
function* fillings({ counts, choices, others, tags }: Blanks) {
  const most = Math.max(1, ...[...choices.values()].map((words) => words.size));
  for (const number of [0, 1, 2, 3, 5, 21, 1234.5, 1_000_000]) {
    for (let choice = 0; choice < most; choice++) {
      yield Object.fromEntries<unknown>([
        ...[...others].map((name) => [name, `‹${name}›`] as const),
        ...[...choices].map(([name, words]) => [name, [...words][choice % words.size]] as const),
        ...[...counts].map((name, index) => [name, number + index] as const),
        ...[...tags].map(
          (name) => [name, (inside: ReactNode[]) => [`<${name}>`, ...inside, `</${name}>`]] as const,
        ),
      ]);
    }
  }
}

const written = (said: unknown): string => [said].flat(3).map(String).join("");

describe.each(languages)("every message of the console in %s", (language) => {
  const numbers = { format: new Intl.NumberFormat(language), plural: new Intl.PluralRules(language) };
  const folder = fileURLToPath(new URL(language, locales));
  const compiled = Object.assign(
    {},
    ...catalogueNames(language).map((name) => {
      const messages = Object.entries(compileCatalogue(folder, name));
      return Object.fromEntries(messages.map(([key, message]) => [`${name}.${key}`, message]));
    }),
  ) as ReturnType<typeof compileCatalogue>;
  const filled = [...messagesIn(language)].filter(([key]) => typeof compiled[key] !== "string");

  test("is there", () => {
    expect([...messagesIn(language).keys()].filter((key) => compiled[key] === undefined)).toEqual([]);
    expect(filled.length).toBeGreaterThan(200);
  });

  test.each(filled)("%s renders as FormatJS renders it", (key, message) => {
    const parts = compiled[key];
    if (parts === undefined || typeof parts === "string") throw new Error(`${key} has nothing to fill in.`);
    const format = new IntlMessageFormat(message, language);
    const blanks = {
      counts: new Set<string>(),
      choices: new Map(),
      others: new Set<string>(),
      tags: new Set<string>(),
    };
    for (const values of fillings(blanksOf(parse(message), blanks))) {
      const expected = format.format(values);
      expect(written(fillIn(parts, values as Parameters<typeof fillIn>[1], numbers))).toBe(written(expected));
    }
  });
});
