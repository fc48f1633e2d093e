/** What pages have installed and do no more with: a computer has each of it in a folder of its own, with our packages from a registry. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type LocalRegistry, publishEverything, registryProblem } from "../packaging/registry.js";
import { EmptyComputer } from "./empty-computer.js";
import { Typist } from "./ledger/typist.js";

const docs = new Typist("tests/docs/installations.system.test.ts");
let problem: string | undefined;
let registry: LocalRegistry | undefined;
let computer: EmptyComputer | undefined;

beforeAll(async () => {
  problem = await registryProblem();
  if (problem !== undefined) return;
  registry = await publishEverything();
  computer = new EmptyComputer(registry.url);
});
beforeEach(({ skip }) => {
  skip(problem !== undefined, problem);
});
afterAll(async () => {
  await registry?.close();
  computer?.remove();
});

it.each(docs.blocks.map((block) => ({ ...block, first: block.commands[0] ?? "" })))(
  "$path:$line installs what it names",
  async ({ path, line, first, commands }) => {
    const folder = computer?.folder(`${path.replaceAll(/\W+/g, "-")}${line}`) ?? "";
    await docs.each(path, first, async (command) => await computer?.type(command, folder));
    const names = commands
      .flatMap((command) => command.split(" ").slice(2))
      .filter((word) => !word.startsWith("--"));
    const isThere = (name: string) => existsSync(join(folder, "node_modules", name, "package.json"));
    expect(names.filter((name) => !isThere(name))).toEqual([]);
  },
);

it("types every block that the ledger says it types", () => {
  expect(docs.left()).toEqual([]);
});
