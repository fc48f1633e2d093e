import { expect, test } from "vitest";
import { buildConsole, measureConsole } from "../../support/console-build.js";

test("whatever screen is opened first, less than 250 kB of compressed JavaScript shows it", async () => {
  await buildConsole();
  const { heaviest } = await measureConsole();
  expect(heaviest.scripts.gzip).toBeGreaterThan(50_000);
  expect(heaviest.scripts.gzip).toBeLessThan(250_000);
});
