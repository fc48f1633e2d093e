import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ScimClient, type ScimServer, startScimServer } from "../scim-client.js";
import { entraRows } from "./entra.js";
import { oktaRows } from "./okta.js";
import { createRowRunner } from "./rows.js";

describe.each([
  { vendor: "entra", rows: entraRows, pair: { provisioningClaim: "oid" } },
  { vendor: "okta", rows: oktaRows, pair: {} },
])("$vendor, in the order of its published sequences", ({ vendor, rows, pair }) => {
  let server: ScimServer;
  let client: ScimClient;
  beforeAll(async () => {
    server = await startScimServer();
    client = await server.addProvider({ key: vendor, ...pair });
    await server.useGroups(vendor);
  });
  afterAll(() => server.close());

  const run = createRowRunner(() => ({ server, client }));

  test("has at least two hundred requests", () => {
    expect(rows.length).toBeGreaterThanOrEqual(200);
  });

  const numbered = rows.map((row, index) => {
    const [method, path] = row.send;
    return { number: index + 1, step: row.step, line: `${method} ${path}`, row };
  });
  test.each(numbered)("$number $step: $line", async ({ row }) => {
    expect(await run(row)).toBe(row.status);
  });
});
