import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { filesBelow, readWorkspaces, root } from "./read-workspace.js";

const grammar = "[a-z0-9-]+:[a-z0-9-]+";

/** Whoever may import `@authz/dpop/jwt` does; the others cannot, and say the same. */
const homes = [
  "packages/dpop/src/jwt/scope.ts",
  "reference-server/migrations/0001_schema.sql",
  "reference-server/web/src/screens/audit/event-views.tsx",
];

test("the form of a scope is written down once for each side that cannot import another", () => {
  const sources = readWorkspaces().flatMap((workspace) => workspace.sources.map(({ path }) => path));
  const migrations = "reference-server/migrations";
  const files = [...sources, ...filesBelow(migrations, ".sql").map((name) => `${migrations}/${name}`)];
  const written = files.filter((path) => readFileSync(join(root, path), "utf8").includes(grammar));
  expect(written.sort()).toEqual(homes);
});
