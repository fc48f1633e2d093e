import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { IntlMessageFormat } from "intl-messageformat";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readLanguage } from "../../src/pages/frame.js";
import { renderSignInPage } from "../../src/pages/sign-in-page.js";
import { type Catalogs, languages, openCatalogs, textsIn } from "../../src/text/texts.js";

const locales = fileURLToPath(new URL("../../locales/", import.meta.url));

interface Node {
  readonly [name: string]: string | Node;
}

/** The sentences of one file by their paths. */
function read(language: string, file: string): ReadonlyMap<string, string> {
  const entries = (node: Node, path: string): readonly (readonly [string, string])[] =>
    Object.entries(node).flatMap(([name, value]) =>
      typeof value === "string" ? [[path + name, value] as const] : entries(value, `${path}${name}.`),
    );
  return new Map(entries(JSON.parse(readFileSync(join(locales, language, file), "utf8")) as Node, ""));
}

type Element = ReturnType<IntlMessageFormat["getAst"]>[number];

/** Every value and tag that a sentence names. */
function placeholders(elements: readonly Element[]): readonly string[] {
  return elements.flatMap((element) => {
    if ([0].includes(element.type) || !("value" in element)) return [];
    const inside = "children" in element ? placeholders(element.children) : [];
    const options = "options" in element ? Object.values(element.options) : [];
    return [element.value, ...inside, ...options.flatMap(({ value }) => placeholders(value))];
  });
}

function placeholdersOf(message: string | undefined, language: string): readonly string[] {
  return [...new Set(placeholders(new IntlMessageFormat(message ?? "", language).getAst()))].sort();
}

const [english, ...others] = languages;
const files = filesOf(english);
/** A file, or a part of an area's. Its words, `OAuth`, are often the same in two languages. */
const isOfConsole = /^console[./]/;

function filesOf(language: string): readonly string[] {
  return readdirSync(join(locales, language), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".json"))
    .sort();
}

test.each(others)("%s has the same files", (language) => {
  expect(filesOf(language)).toEqual(files);
});

test("an area has sentences for the server, and the console's are the console's alone", () => {
  const { has, text } = textsIn("en");
  expect(text("administration.refusals.taken.scope", { key: "a:b" })).toBe('There is already a scope "a:b".');
  expect(has("console.scopes.title")).toBe(false);
});

test("src/text/area-catalogs.ts lists the areas", async () => {
  const areas = files.flatMap((file) => /^areas\/(.+)\.json$/.exec(file)?.[1] ?? []);
  const nameOf = (area: string) => area.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  const imports = areas.map(
    (area) => `import type ${nameOf(area)} from "../../locales/en/areas/${area}.json";`,
  );
  const members = areas.map((area) => {
    const member = area.includes("-") ? JSON.stringify(area) : area;
    return `  readonly ${member}: typeof ${nameOf(area)};`;
  });
  const comment =
    "/** What each area says, on the server and in the console. Written by test/text/catalogs.test.ts. */";
  const source = [...imports, "", comment, "export interface AreaCatalogs {", ...members, "}", ""].join("\n");
  const file = new URL("../../src/text/area-catalogs.ts", import.meta.url);
  await expect(source).toMatchFileSnapshot(fileURLToPath(file));
});

test("every folder of catalogs is a language that is spoken", () => {
  const folders = readdirSync(locales, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).sort()).toEqual([...languages].sort());
});

describe.each(files)("%s", (file) => {
  const original = read(english, file);

  test("has a sentence behind every key", () => {
    expect([...original].filter(([, message]) => message.trim() === "")).toEqual([]);
  });

  test.each(others)("says in %s what it says in English, with the same values", (language) => {
    const translated = read(language, file);
    expect([...translated.keys()]).toEqual([...original.keys()]);
    for (const [key, message] of translated) {
      expect.soft(message.trim(), key).not.toBe("");
      expect.soft(placeholdersOf(message, language), key).toEqual(placeholdersOf(original.get(key), english));
    }
  });
});

test("no sentence was left in the other language", () => {
  const same = files.flatMap((file) => {
    const german = read("de", file);
    return [...read("en", file)].filter(
      ([key, message]) => german.get(key) === message && !isOfConsole.test(file) && !isOfConsole.test(key),
    );
  });
  expect(new Set(same.map(([, message]) => message))).toEqual(
    new Set([
      "Code",
      "Administration",
      "Client",
      "Issuer",
      "Scopes",
      "Skills",
      "Installation",
      "optional",
      // Nothing but what is put in.
      "{faults}",
      "{fault}.",
      "{text}",
    ]),
  );
});

describe("a sentence", () => {
  test("is in the requested language, and in English for an unknown one", () => {
    expect(textsIn("de").text("pages.signIn.heading", { installation: "Acme" })).toBe("Bei Acme anmelden");
    expect(textsIn("eo").text("pages.signIn.heading", { installation: "Acme" })).toBe("Sign in to Acme");
  });

  test("never comes with a hole in it", () => {
    expect(() => textsIn("en").text("pages.signIn.heading")).toThrow(/installation/);
  });

  test("keeps things that are not text as they are, also between two tags", () => {
    const parts = textsIn("en").parts("connections.ask.fromClient", {
      client: "<i>Mallory</i>",
      strong: (inside) => ({ inside }),
    });
    expect(parts).toEqual([
      { inside: ["<i>Mallory</i>"] },
      " is asking for this. Continue only if you started it yourself.",
    ]);
  });

  test("that is missing does not compile, nor does a union of codes of which one has none", () => {
    const { text } = textsIn("en");
    // @ts-expect-error -- misspelled
    expect(text("pages.signIn.titel")).toBe("pages.signIn.titel");
    // @ts-expect-error -- email_color is no reason
    const say = (reason: "email_domain" | "email_color") => text(`pages.signIn.refusals.${reason}`);
    expect(say("email_domain")).toMatch(/work account/);
  });

  test("is known or not", () => {
    const { has } = textsIn("en");
    expect([has("pages.signIn.title"), has("pages.signIn"), has("constructor")]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe("a third language", () => {
  let folder: string;
  let catalogs: Catalogs;

  /** Every sentence of English in brackets, its values left alone; those of the pages only. */
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "authz-locales-"));
    cpSync(locales, folder, { recursive: true });
    mkdirSync(join(folder, "eo", "areas"), { recursive: true });
    const bracket = (node: Node): Node =>
      Object.fromEntries(
        Object.entries(node).map(([name, value]) => [
          name,
          typeof value === "string" ? `⟦${value}⟧` : bracket(value),
        ]),
      );
    for (const file of files.filter((name) => !isOfConsole.test(name))) {
      const catalog = JSON.parse(readFileSync(join(locales, english, file), "utf8")) as Node;
      writeFileSync(join(folder, "eo", file), JSON.stringify(bracket(catalog)));
    }
    writeFileSync(join(folder, "languages.json"), JSON.stringify([...languages, "eo"]));
    catalogs = openCatalogs(pathToFileURL(`${folder}/`));
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  test("is its files and a line, and no code", () => {
    const language = readLanguage("eo, de;q=0.5", catalogs.languages);
    expect(language).toBe("eo");
    const page = renderSignInPage([], { installationName: "Acme", texts: catalogs.textsIn(language) });
    expect(page).toContain('<html lang="eo">');
    expect(page).toContain("<h1>⟦Sign in to Acme⟧</h1>");
  });

  test("speaks English where it has a gap", () => {
    writeFileSync(join(folder, "eo", "pages.json"), "{}");
    const { text } = openCatalogs(pathToFileURL(`${folder}/`)).textsIn("eo");
    expect(text("pages.signIn.title")).toBe("Sign in");
  });
});
