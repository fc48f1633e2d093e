import { readFileSync } from "node:fs";
import * as replayPostgres from "@authz/replay-postgres";
import { expect, test } from "vitest";

test("the shipped migration is what createTable() returns", () => {
  const file = new URL("../migrations/001-create-authz-replays.sql", import.meta.url);
  expect(readFileSync(file, "utf8")).toBe(replayPostgres.createTable());
});

test("@authz/replay-postgres exports exactly these names", () => {
  expect(Object.keys(replayPostgres).sort()).toEqual(["createTable", "postgres"]);
});
