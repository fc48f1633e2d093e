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

  test.each(rows.map((row, index) => ({ ...row, index: index + 1, line: row.send.slice(0, 2).join(" ") })))(
    "$index $step: $line",
    run,
  );
});
