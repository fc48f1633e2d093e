import { readFile } from "node:fs/promises";
import { expect, test, vi } from "vitest";

test("the README shows the quickstart as it is run here", async () => {
  const readme = await readFile(new URL("../../README.md", import.meta.url), "utf8");
  const code = await readFile(new URL("quickstart.ts", import.meta.url), "utf8");
  expect(readme).toContain(`\`\`\`ts\n${code}\`\`\`\n`);
});

test("the quickstart prints what it says", async () => {
  const log = vi.spyOn(console, "log").mockReturnValue(undefined);
  await import("./quickstart.js");
  expect(log.mock.calls).toEqual([[true], [false], [true, true]]);
});
