import { defineConfig } from "vitest/config";

/**
 * Tests import workspace packages from their sources, so they run without a build. Not "module": Node uses these
 * conditions as well, and what packages put there is for bundlers.
 */
const conditions = ["@authz/source", "node", "development|production"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ["**/test/**/*.test.ts"],
    globalSetup: ["tools/src/testing/global-setup.ts"],
    exclude: ["**/node_modules/**", "**/dist/**", ".authz-dev/**"],
    pool: "forks",
    // Files share a process and what they import: a fresh one for each costs more than most of the tests. So a file leaves
    // behind what it found: no spies, no changed environment, no open servers.
    isolate: false,
    // The default leaves one core idle, which on two cores doubles the time.
    maxWorkers: "100%",
    // Only a net for what hangs: a busy machine may be ten times slower than a quiet one, and nothing here is about speed.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    coverage: { provider: "v8", include: ["packages/*/src/**", "reference-server/src/**"] },
  },
});
