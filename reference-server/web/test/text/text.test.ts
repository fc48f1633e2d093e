import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isValidElement, type ReactElement } from "react";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { TextKey } from "../../src/text/text-key";
import { type BuiltTexts, buildTexts } from "./build-texts";
import { locales } from "./catalogues";

let folder: string;
let built: BuiltTexts;

/** The catalogues with a third language: new files and a tag. */
beforeAll(async () => {
  vi.stubGlobal("navigator", { language: "da-DK", languages: ["da-DK", "en-US"] });
  folder = await mkdtemp(join(tmpdir(), "locales-"));
  await cp(fileURLToPath(locales), folder, { recursive: true });
  await writeFile(join(folder, "languages.json"), '["en", "de", "da"]');
  for (const part of ["da/console", "da/areas"]) {
    await cp(join(folder, part.replace("da", "en")), join(folder, part), { recursive: true });
    for (const file of await readdir(join(folder, part))) {
      const path = join(folder, part, file);
      await writeFile(path, (await readFile(path, "utf8")).replaceAll(/: "(?!")/g, ': "da:'));
    }
  }
  built = await buildTexts(folder);
});

afterAll(async () => {
  vi.unstubAllGlobals();
  await rm(folder, { recursive: true });
});

test("a third language needs only catalogues and a tag", async () => {
  const { languages, setLanguage } = built;
  expect(languages).toEqual(["en", "de", "da"]);
  await setLanguage("da");
  expect(say("parts.save")).toBe("da:Save");
  await setLanguage("de");
  expect(say("parts.save")).toBe("Speichern");
});

test.each([
  { language: "en", count: 1, sentence: "One field needs your attention." },
  { language: "en", count: 1200, sentence: "1,200 fields need your attention." },
  { language: "de", count: 1, sentence: "Prüfen Sie das markierte Feld." },
  { language: "de", count: 1200, sentence: "Prüfen Sie die 1.200 markierten Felder." },
])("the plural of $count in $language: $sentence", async ({ language, count, sentence }) => {
  await built.setLanguage(language);
  expect(say("parts.errors.fields", { count })).toBe(sentence);
});

test("elements stay elements, at the position that the language gives them", async () => {
  await built.setLanguage("en");
  const said = built.currentText()("parts.impact.gains", {
    count: 2,
    scope: "contracts:read",
    b: built.bold,
  });
  expect(isValidElement(said)).toBe(true);
  const { children } = (said as ReactElement<{ readonly children: unknown[] }>).props;
  expect(children).toEqual([expect.objectContaining({ type: "strong" }), " contracts:read"]);
});

test("a missing value is an error", () => {
  expect(() => say("parts.errors.fields")).toThrow(/count/);
});

test("an unknown code has no text", () => {
  expect(built.hasText("keys.advice.activate_now")).toBe(true);
  expect(built.hasText("keys.advice.from_the_future")).toBe(false);
});

function say(key: TextKey, values?: Readonly<Record<string, number>>): string {
  return built.currentText()(key, values);
}
