import { expect, test } from "vitest";
import { buildConsole, measureConsole } from "../../support/console-build.js";

test("the first page sends at most 150 kB of JavaScript, for any screen", async () => {
  await buildConsole();
  const { shell, heaviest } = await measureConsole();
  expect(shell.gzip).toBeGreaterThan(50_000);
  expect(shell.gzip).toBeLessThan(150_000);
  // Compressed, as browsers receive it. The failure names the screen.
  expect({ [heaviest.screen]: heaviest.scripts.brotli < 150_000 }).toEqual({ [heaviest.screen]: true });
});
