import { afterEach, expect, test } from "vitest";
import { ownChecks, storeChecks } from "../../../src/upkeep/start/secret-checks.js";
import { createTestServer, type TestServer } from "../../support/server.js";

let server: TestServer;
afterEach(() => server.close());

const secret = (byte: number) => Buffer.alloc(32, byte);
const own = (change: Partial<Parameters<typeof ownChecks>[0]> = {}) =>
  ownChecks({ issuer: "https://auth.acme.example", sessionSecret: secret(1), ...change });

const store = (checks = own()) => storeChecks(server.context.store, checks);

test("what is stored tells no secret", async () => {
  server = await createTestServer();
  await store();
  const stored = JSON.stringify(await server.database.query("SELECT * FROM secret_checks"));
  for (const encoding of ["hex", "base64", "base64url"] as const)
    expect(stored).not.toContain(secret(1).toString(encoding).replace(/=+$/, ""));
});

test.each([
  { variable: "AUTHZ_ISSUER", change: { issuer: "https://auth.other.example" } },
  { variable: "AUTH_SESSION_SECRET", change: { sessionSecret: secret(9) } },
])("another $variable is refused by name, and changes nothing", async ({ variable, change }) => {
  server = await createTestServer();
  await store();
  await store();
  const before = await server.database.query("SELECT * FROM secret_checks ORDER BY variable");
  await expect(store(own(change))).rejects.toMatchObject({
    name: "SecretMismatchError",
    variables: [variable],
    message: expect.stringContaining(variable) as string,
  });
  expect(await server.database.query("SELECT * FROM secret_checks ORDER BY variable")).toEqual(before);
});

test("of processes that start at the same time with different secrets one goes on", async () => {
  server = await createTestServer();
  const starts = Array.from({ length: 6 }, (_, index) => store(own({ sessionSecret: secret(index) })));
  const outcomes = await Promise.allSettled(starts);
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
});
