import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const examples = join(import.meta.dirname, "../../../examples");
const frameworks = ["express", "koa", "fastify"];

/** Each example is there to be copied as a whole, so they share files by repeating them. */
describe("The example services", () => {
  it("have the same data, validation and skill", async () => {
    const copies = await Promise.all(
      frameworks.map(async (name) => {
        const text = await readFile(join(examples, `contracts-${name}/src/contracts.ts`), "utf8");
        return text.replaceAll(`@authz/${name}`, "@authz/framework");
      }),
    );
    expect(copies).toEqual(copies.map(() => copies[0]));
  });

  it.each(frameworks)("start contracts-%s in a file that fits on a screen", async (name) => {
    const text = await readFile(join(examples, `contracts-${name}/src/main.ts`), "utf8");
    expect(text.split("\n").length).toBeLessThanOrEqual(60);
  });
});
