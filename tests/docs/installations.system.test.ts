/** Installation commands of pages work in an empty folder, with our packages in a registry. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type LocalRegistry, publishEverything, registryProblem } from "../packaging/registry.js";
import { EmptyComputer } from "./empty-computer.js";
import { printedBlocks } from "./printed-blocks.js";

/** Blocks that only install packages, ours among them. */
const blocks = printedBlocks().filter(
  ({ commands }) =>
    commands.every((line) => line.startsWith("npm install ") && !line.includes("--global")) &&
    commands.some((line) => line.includes(" @authz/")),
);
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

it.each(blocks)("$path:$line installs its packages", async ({ path, line, commands }) => {
  const folder = computer?.folder(`${path.replaceAll(/\W+/g, "-")}${line}`) ?? "";
  for (const command of commands) await computer?.type(command, folder);
  const names = commands
    .flatMap((command) => command.split(" ").slice(2))
    .filter((word) => !word.startsWith("--"));
  const isThere = (name: string) => existsSync(join(folder, "node_modules", name, "package.json"));
  expect(names.filter((name) => !isThere(name))).toEqual([]);
});
