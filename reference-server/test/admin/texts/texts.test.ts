import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { sentencesBelow } from "../../../src/admin/texts/below-english.js";
import { sentencesBelowGerman } from "../../../src/admin/texts/below-german.js";
import { adminTexts } from "../../../src/admin/texts/texts.js";

const english = adminTexts("en");
const german = adminTexts("de");

type AnyText = (...values: unknown[]) => unknown;

/** Every text with its place, functions called with something for everything. */
function allTexts(texts: unknown, place = ""): [string, string][] {
  if (typeof texts === "string") return [[place, texts]];
  if (typeof texts === "function") return [[place, String(callWithAnything(texts as AnyText, place))]];
  return Object.entries(texts as object).flatMap(([name, text]) =>
    name === "below" || name === "language" ? [] : allTexts(text, `${place}.${name}`),
  );
}

const lists =
  /new(Addresses|Origins|Methods|Requirements|Mandatory)|sendFile|strangers|strangeGroups|shutOut|disabled$|oneOf|either|scopes\.|missing|insecure|failed|claims/;
const uses = {
  assignments: 2,
  resources: ["a"],
  machineClients: ["b"],
  connectors: [],
  skills: ["c", "d", "e", "f"],
};

function callWithAnything(call: AnyText, place: string): unknown {
  if (place.endsWith("scopeInUse")) return call("x", uses);
  if (place.endsWith("groupsInUse")) return call("x", 2, ["a:b"]);
  if (/fields\.(characters|items|number)$/.test(place)) return call("most", 2);
  if (place.endsWith("notOfClient")) return call("machine");
  const takesList = lists.test(place) && !/signIn\.failed|notRegistered\w*Remedy/.test(place);
  return takesList ? call(["x", "y"], ["z"]) : call("x", 2, "z");
}

describe("both languages", () => {
  const inGerman = new Map(allTexts(german));

  test("have every text, and none is empty", () => {
    const texts = allTexts(english);
    expect(texts.length).toBeGreaterThan(150);
    expect(texts.map(([place]) => place)).toEqual([...inGerman.keys()]);
    for (const [, text] of [...texts, ...inGerman]) expect(text).not.toMatch(/^\s*$|undefined|\[object/);
  });

  test("say the same thing differently", () => {
    const same = allTexts(english).filter(([place, text]) => inGerman.get(place) === text);
    expect(same.map(([place]) => place)).toEqual([
      ".inspection.titles.client_id",
      ".inspection.titles.scopes",
      ".inspection.titles.skills",
    ]);
  });
});

describe("what the layers below say", () => {
  const root = fileURLToPath(new URL("../../../../", import.meta.url));
  const folders = ["admin", "registry", "permissions", "skills", "platform/outbound", "pages/branding"];
  const sources = [...folders.map((name) => `reference-server/src/${name}`), "packages/skills/src"]
    .flatMap((folder) =>
      readdirSync(`${root}${folder}`, { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".ts") && !file.startsWith("texts"))
        .map((file) => readFileSync(`${root}${folder}/${file}`, "utf8")),
    )
    .join("\n")
    .replaceAll("\\'", "'");

  test.each(Object.entries(sentencesBelow))("%s is still said in these words", (name, sentence) => {
    const said = sentence
      .replace("must be empty: this address takes no body", "fieldsEnglish.noBody")
      .replace("skillsThe catalog", "skills{}The catalog");
    const parts = said.replace(/\.$/, "").split("{}");
    const missing = parts.map((part) => part.trim()).filter((part) => !sources.includes(part));
    expect({ name, missing }).toEqual({ name, missing: [] });
  });

  test.each(Object.entries(sentencesBelow))("%s becomes German with its values", (name, sentence) => {
    const count = sentence.split("{}").length - 1;
    const values = Array.from({ length: count }, (_, index) => `value${index}`);
    const fill = (text: string) => values.reduce((filled, value) => filled.replace("{}", () => value), text);
    const wanted = sentencesBelowGerman[name as keyof typeof sentencesBelow];
    expect(german.below(fill(sentence))).toBe(fill(wanted));
    expect(wanted.split("{}")).toHaveLength(count + 1);
  });

  test("stays English when nobody has translated it, and is translated in its parts", () => {
    expect(german.below("has to wait")).toBe("has to wait");
    expect(german.below("The image has too many elements.")).toBe("Das Bild hat zu viele Elemente.");
    expect(german.below("https://a.example/skills has an invalid catalog: skills[0].id is missing.")).toBe(
      "https://a.example/skills hat einen ungültigen Katalog: skills[0].id fehlt.",
    );
  });
});
