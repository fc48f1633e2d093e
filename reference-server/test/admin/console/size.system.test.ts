import { expect, test } from "vitest";
import { buildConsole, measureConsole } from "../../support/console-build.js";

test("whatever screen is opened first, at most 150 kB of JavaScript are sent for it", async () => {
  await buildConsole();
  const { shell, heaviest } = await measureConsole();
  expect(shell.gzip).toBeGreaterThan(50_000);
  expect(shell.gzip).toBeLessThan(150_000);
  // What browsers get. The name of the screen is for whoever reads that it is too much.
  expect({ [heaviest.screen]: heaviest.scripts.brotli < 150_000 }).toEqual({ [heaviest.screen]: true });
});
