import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** Generated columns, constraints and the expressions of indexes, in every table. */
const computed = `
  SELECT adrelid::regclass::text AS "table", pg_get_expr(adbin, adrelid) AS expression FROM pg_attrdef
  WHERE EXISTS (SELECT FROM pg_attribute
    WHERE attrelid = adrelid AND attnum = adnum AND attgenerated = 's') AND adrelid::regclass::text LIKE 'public.%'
  UNION ALL
  SELECT conrelid::regclass::text, pg_get_expr(conbin, conrelid) FROM pg_constraint
  WHERE contype = 'c' AND conrelid::regclass::text LIKE 'public.%'
  UNION ALL
  SELECT indrelid::regclass::text, 'ROW(' || pg_get_expr(indexprs, indrelid) || ')' FROM pg_index
  WHERE indexprs IS NOT NULL AND indrelid::regclass::text LIKE 'public.%'`;

test("a restore computes every column, constraint and index without a search path, as pg_restore does", async () => {
  const url = `${database.url}?options=${encodeURIComponent("-c search_path=")}`;
  const restore = new Client(url);
  await restore.connect();
  try {
    const { rows } = await restore.query<{ table: string; expression: string }>(computed);
    expect(rows.map(({ expression }) => expression).join("\n")).toContain("public.search_words(");
    for (const { table, expression } of rows)
      await restore.query(`EXPLAIN SELECT ${expression} FROM ${table}`);
  } finally {
    await restore.end();
  }
});
