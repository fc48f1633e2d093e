import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { areas } from "../../src/app/areas";
import { readSource, type SourceFile, src } from "./calls";
import { messagesIn, valuesOf } from "./catalogues";

const english = messagesIn("en");
/** Catalogues loaded before any screen, or together with the part of a list that uses them. */
const always = ["shell", "parts", "palette", "views", "*"];
/** All paths of messages and of groups of messages. */
const paths = new Set(
  [...english.keys()].flatMap((key) =>
    key.split(".").map((_, at, parts) => parts.slice(0, at + 1).join(".")),
  ),
);
const files = new Map<string, SourceFile>();

beforeAll(async () => {
  const names = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((path) =>
    /\.tsx?$/.test(path),
  );
  for (const name of names) files.set(join(src, name), await readSource(join(src, name)));
});

test("every message gets exactly the values it uses", () => {
  const wrong = [...files].flatMap(([file, { calls }]) =>
    calls.flatMap(({ key, values }) =>
      [...english]
        .filter(([path]) => values !== undefined && toPattern(key).test(path))
        .map(([path, message]) => ({
          at: `${relative(src, file)}: ${path}`,
          given: [...(values ?? [])].sort().join(),
          named: valuesOf(message).map(withoutBrackets).sort().join(),
        }))
        .filter(({ given, named }) => given !== named),
    ),
  );
  expect(wrong).toEqual([]);
});

test("every message is used", () => {
  const patterns = [...files.values()].flatMap(({ calls, strings }) =>
    [...calls.map(({ key }) => key), ...strings.filter(isPath)].flatMap((key) => [
      toPattern(key),
      toPattern(`${key}.*`),
    ]),
  );
  const unsaid = [...english.keys()].filter((key) => !patterns.some((pattern) => pattern.test(key)));
  expect(unsaid).toEqual([]);
});

test.each(areas.map(({ id, texts }) => ({ id, texts })))(
  "the screens of $id load the catalogues that they use",
  ({ id, texts }) => {
    const area = [...files].find(
      ([file, { strings }]) =>
        file.endsWith("/area.ts") && strings.find((text) => !text.startsWith(".")) === id,
    );
    const used = new Set<string>();
    for (const screen of area?.[1].loads ?? []) {
      for (const file of reachable(screen)) {
        const { calls = [], strings = [] } = files.get(file) ?? {};
        for (const key of [...calls.map((call) => call.key), ...strings.filter(isPath)]) {
          used.add(key.split(".")[0] ?? "");
        }
      }
    }
    expect([...texts].sort()).toEqual([...used].filter((name) => !always.includes(name)).sort());
  },
);

/** Whether a string is a path in a catalogue: `connectors.fields`, `audit.types.*`. */
function isPath(text: string): boolean {
  if (!/^[a-z-]+\.[a-zA-Z-]+(?:\.|$)/.test(text)) return false;
  return paths.has(text.includes("*") ? text.slice(0, text.indexOf(".*")) : text);
}

function reachable(file: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(file)) return found;
  found.add(file);
  const { imports = [], loads = [] } = files.get(file) ?? {};
  for (const next of [...imports, ...loads]) reachable(next, found);
  return found;
}

function toPattern(key: string): RegExp {
  return new RegExp(`^${key.replaceAll(".", "\\.").replaceAll("*", "[^.]+")}$`);
}

function withoutBrackets(name: string): string {
  return name.replace(/[<>]/g, "");
}
