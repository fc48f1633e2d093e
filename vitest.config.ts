import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

/**
 * Tests import workspace packages from their sources, so they run without a build. Not "module": Node uses these
 * conditions as well, and what packages put there is for bundlers.
 */
const conditions = ["@authz/source", "node", "development|production"];

const parts = fileURLToPath(new URL("packages/dev/src/parts.ts", import.meta.url));
const locales = fileURLToPath(new URL("reference-server/locales/", import.meta.url));

/** What starts whole processes or a browser, or packs and installs: few, and long. `npm run test:system` runs them. */
const system = "**/*.system.test.ts";
const tests = ["tests/**/*.test.ts", "**/test/**/*.test.ts"];
const nobodys = ["**/node_modules/**", "**/dist/**"];

/** Not inherited by the projects: the whole run shares one database server, which one start is enough for. */
const shared: TestProjectInlineConfiguration["test"] = {
  pool: "forks",
  // Files share a process and what they import: a fresh one for each costs more than most of the tests. So a file leaves
  // behind what it found: no spies, no changed environment, no open servers.
  isolate: false,
  // Only a net for what hangs: a busy machine may be ten times slower than a quiet one, and nothing here is about speed.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 120_000 } },
};
const resolution = {
  resolve: {
    conditions,
    alias: [
      // tools reaches the unpublished parts of @authz/dev by the path of their build.
      { find: /^.*\/packages\/dev\/dist\/parts\.js$/, replacement: parts },
      // As in the console's build.
      { find: /^@locales\//, replacement: locales },
    ],
  },
  ssr: { resolve: { conditions, externalConditions: conditions } },
};

export default defineConfig({
  // For the global setup, which belongs to no project.
  ...resolution,
  test: {
    globalSetup: ["tools/src/testing/global-setup.ts"],
    projects: [
      { ...resolution, test: { ...shared, name: "tests", include: tests, exclude: [...nobodys, system] } },
      {
        ...resolution,
        test: {
          ...shared,
          name: "system",
          include: [system],
          exclude: nobodys,
          globalSetup: ["reference-server/test/support/build-commands.ts"],
        },
      },
    ],
    // Half more than cores: test files wait for the database, for processes and for the time.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    coverage: { provider: "v8", include: ["packages/*/src/**", "reference-server/src/**"] },
  },
});
