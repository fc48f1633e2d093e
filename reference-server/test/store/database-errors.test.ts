import { expect, test } from "vitest";
import { translateDatabaseError } from "../../src/store/postgres/database.js";
import { DatabaseUnavailableError } from "../../src/store/database-unavailable-error.js";

test.each([
  "Connection terminated unexpectedly",
  "BEGIN; - Connection terminated unexpectedly",
  'select "installation_name" from "settings" limit $1 - Connection terminated unexpectedly',
  "timeout expired",
])("the database is away: %s", (message) => {
  expect(translateDatabaseError(new Error(message))).toBeInstanceOf(DatabaseUnavailableError);
});

test.each(["55P03", "57014"])("a statement that waited too long, with %s, stored nothing: away", (code) => {
  const error = Object.assign(new Error("canceling statement"), { code });
  expect(translateDatabaseError(error)).toBeInstanceOf(DatabaseUnavailableError);
});

test.each([
  'insert into "settings" - duplicate key value violates unique constraint "settings_pkey"',
  "The job was aborted by hand",
])("the database is there, and something else is wrong: %s", (message) => {
  const error = new Error(message);
  expect(translateDatabaseError(error)).toBe(error);
});
