import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { nodeRuntime } from "../src/index.js";
import { createProgram } from "../src/program.js";

const docs = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..", "docs");

function everyCommand(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

describe("the reference", () => {
  it("describes every command and option", async () => {
    const text = await readFile(join(docs, "reference", "cli.md"), "utf8");
    const { root } = await createProgram(nodeRuntime(), { json: false, agent: false, verbose: false });
    for (const command of everyCommand(root)) {
      expect(text).toContain(pathOf(command));
      for (const { long } of command.options) expect(text).toContain(long);
    }
  });

  it("names every exit code's failures", async () => {
    const text = await readFile(join(docs, "reference", "cli.md"), "utf8");
    const sources = {
      "../src/messages/cli-error.ts": /^ {2}\| "(\w+)"/gm,
      "../src/exit-code.ts": /^ {2}(\w+): exitCodes/gm,
    };
    for (const [source, codes] of Object.entries(sources)) {
      const code = await readFile(join(dirname(fileURLToPath(import.meta.url)), source), "utf8");
      const names = [...code.matchAll(codes)];
      expect(names).not.toEqual([]);
      for (const [, name = ""] of names) expect(text).toContain(`\`${name}\``);
    }
  });
});
