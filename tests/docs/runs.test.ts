/** Every block with something to type is taken out of its page and typed by a test, or the ledger says why not. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { isLeftOut, leftOut, notTyped } from "./ledger/not-typed.js";
import { findBlock, findBlocks, type PrintedBlock, printedBlocks } from "./ledger/printed.js";
import { type TypingTest, typed, typedBy } from "./ledger/typed.js";
import { Typist } from "./ledger/typist.js";
import { root } from "./markdown.js";

const blocks = printedBlocks();
const tests = Object.keys(typed) as TypingTest[];
const placeOf = ({ path, line, commands: [first = ""] }: PrintedBlock) => `${path}:${line} ${first}`;

const typedPlaces = new Set(tests.flatMap((file) => typedBy(file, blocks)).map(placeOf));
const reasoned = notTyped.flatMap((reason) => findBlocks(reason.blocks, blocks)).map(placeOf);

test("every block is typed by a test, or has a reason", () => {
  expect(blocks.length).toBeGreaterThan(100);
  const known = new Set([...typedPlaces, ...reasoned]);
  expect(blocks.map(placeOf).filter((place) => !known.has(place))).toEqual([]);
});

test("no block has two reasons, or a reason although it is typed", () => {
  expect(reasoned.filter((place, index) => reasoned.indexOf(place) !== index)).toEqual([]);
  expect(reasoned.filter((place) => typedPlaces.has(place))).toEqual([]);
});

test("what is left out of a block is there, and the rest of the block is typed", () => {
  const inTyped = blocks.filter((block) => typedPlaces.has(placeOf(block)));
  const stale = Object.entries(leftOut).flatMap(([page, commands]) =>
    Object.keys(commands).filter(
      (command) =>
        !inTyped.some(
          ({ path, commands: all }) =>
            path === page &&
            all.some((one) => one.startsWith(command) && isLeftOut(path, one)) &&
            !all.every((one) => isLeftOut(path, one)),
        ),
    ),
  );
  expect(stale).toEqual([]);
});

test.each(tests)("%s takes its blocks with a typist, and ends with none that are left", (file) => {
  expect(existsSync(join(root, file))).toBe(true);
  const source = readFileSync(join(root, file), "utf8");
  expect(source).toContain(`new Typist("${file}")`);
  expect(source).toMatch(/expect\(\w+\.left\(\)\)\.toEqual\(\[\]\)/);
});

describe("a name", () => {
  it.each([
    ["of no block", "README.md", "npm frob"],
    ["of several blocks", "docs/hosts/codex.md", "codex"],
    ["on a page that does not exist", "docs/frob.md", "npm start"],
  ])("%s is refused", (_what, page, name) => {
    expect(() => findBlock(page, name, blocks)).toThrow(/has \d blocks that begin with/);
  });
});

describe("a typist", () => {
  const file = "tests/docs/secrets.test.ts";

  it("has everything left at first, and nothing that another test types", async () => {
    const typist = new Typist(file);
    expect(typist.left()).toHaveLength(typedBy(file).length);
    await expect(typist.each("README.md", "npm start", async () => undefined)).rejects.toThrow(
      "has 0 blocks",
    );
  });

  it("gives every command of a block, but those that are left out", async () => {
    const commands = await new Typist("tests/docs/repository.system.test.ts").each(
      "README.md",
      "npm start",
      async (command) => command.split(" #", 1)[0]?.trim(),
    );
    expect(commands).toEqual(["npm start"]);
  });

  it("still has a block left whose typing failed", async () => {
    const typist = new Typist(file);
    const [{ path, commands } = { path: "", commands: [""] }] = typist.blocks;
    const failing = typist.each(path, commands[0] ?? "", () => Promise.reject(new Error("It failed.")));
    await expect(failing).rejects.toThrow("It failed.");
    expect(typist.left()).toHaveLength(typist.blocks.length);
  });

  it("takes no two blocks as the same that differ", async () => {
    const differing = { "docs/operate/compose.md": ["(umask", "cat >> .env"] };
    await expect(new Typist(file).once(differing, async () => undefined)).rejects.toThrow("differs from");
  });
});
