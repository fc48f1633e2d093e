import { randomUUID } from "node:crypto";
import { decodeJwt } from "jose";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { processEnds } from "../../src/upkeep/assignments/assignment-ends.js";
import { loadPermissions } from "../../src/permissions/load-permissions.js";
import { effectiveScopes } from "../../src/permissions/effective-scopes.js";
import { type PersonRules, rulesForSql } from "../../src/store/assignments.js";
import type { Store } from "../../src/store/store.js";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";
import { RawDevice } from "../support/raw-device.js";

let system: OauthServer;
let device: RawDevice;
let store: Store;
beforeAll(async () => {
  system = await startOauthServer();
  device = await RawDevice.create(system.issuer);
  ({ store } = system.server.context);
});
afterEach(() => system.database.query("DELETE FROM assignments WHERE scope_key = 'contracts:write'"));
afterAll(() => system.close());

const email = "ada@acme.example";
const scope = "contracts:write";

/** Gives Ada the permission; its end is so many seconds away from the clock of the database. */
async function give(seconds: number, created = 0): Promise<string> {
  const id = randomUUID();
  await store.assignments.insertMissing({ id, email, scope, expiresAt: Date.now() / 1000 }, new Date());
  await system.database.query(
    `UPDATE assignments SET expires_at = now() + $2 * interval '1 second',
      created_at = now() + $3 * interval '1 second' WHERE id = $1`,
    [id, seconds, created],
  );
  return id;
}

async function scopesOfAda(): Promise<ReadonlySet<string>> {
  const user = await store.users.findByEmail(email);
  if (user === undefined) throw new Error("Ada has signed in.");
  return effectiveScopes(
    await loadPermissions(user, { store, directories: system.server.context.directories }),
  );
}

describe("an assignment that is over counts nowhere:", () => {
  beforeAll(() => device.signIn());

  test("for people, until its end", async () => {
    const id = await give(60);
    expect(await scopesOfAda()).toContain(scope);
    await system.database.query("UPDATE assignments SET expires_at = now() WHERE id = $1", [id]);
    expect(await scopesOfAda()).not.toContain(scope);
  });

  test.each([
    { name: "a microsecond before its end it counts", end: "now() + interval '1 microsecond'", counts: true },
    { name: "at its end it does not", end: "now()", counts: false },
  ])("$name, by the clock of the database", async ({ end, counts }) => {
    const id = await give(60);
    const connection = new Client({ connectionString: system.database.adminUrl });
    await connection.connect();
    // In a transaction that clock stands still.
    await connection.query("BEGIN");
    await connection.query(`UPDATE assignments SET expires_at = ${end} WHERE id = $1`, [id]);
    const rules = rulesForSql("$1::uuid", "$2::text");
    const { rows } = await connection.query<{ found: PersonRules }>(`SELECT ${rules} AS found`, [
      randomUUID(),
      email,
    ]);
    await connection.query("ROLLBACK");
    await connection.end();
    expect(rows[0]?.found.rules.some((rule) => rule.scope === scope)).toBe(counts);
  });

  test("in lists, counts, holders and the statement that issues", async () => {
    const id = await give(-1);
    const page = { limit: 10, descending: false, after: undefined, q: undefined, sort: "scope" } as const;
    const listed = await store.assignments.list({ ...page, email, scope, group: undefined });
    expect(listed.items).toEqual([]);
    expect(await store.assignments.findAll([id])).toEqual([]);
    expect(await store.assignments.listByEmail(email)).not.toContainEqual(expect.objectContaining({ scope }));
    expect(await store.assignments.listPeopleByScope(scope, 3)).toEqual([]);
    expect(await store.permissionHolders.list([scope], new Date())).toEqual([]);
    expect((await store.scopes.describe(scope))?.assignments).toBe(0);
  });

  test("a group's rule ends as one for an address does", async () => {
    const providerId = randomUUID();
    const directory = { id: providerId, key: "ends", name: "Ends", enabled: true } as const;
    await store.groupProviders.save(
      { ...directory, type: "directory", url: "https://directory.example/groups", secret: Buffer.from("x") },
      new Date(),
    );
    const rule = { id: randomUUID(), group: { providerId, key: "sales" }, scope };
    await store.assignments.insertMissing({ ...rule, expiresAt: Date.now() / 1000 - 1 }, new Date());
    const groups = [{ providerId, keys: ["sales"] }];
    expect(await store.assignments.listOfGroups(groups)).toEqual([]);
    expect(await store.assignments.sampleByScope([providerId], 5)).toEqual([]);
    expect(await store.assignments.listGroupsByScope(scope, 5)).toEqual([]);
    const { directories } = await store.assignments.listFor({ userId: randomUUID(), email });
    expect(directories).not.toContain(providerId);
    expect(await store.assignments.removeOver({ limit: 5, providerId })).toMatchObject([
      { email: null, group: { provider: "ends", key: "sales" }, scope, over: true },
    ]);
  });
});

test("a token lives no longer than what it rests on, and the longest rule for a scope counts", async () => {
  await system.database.query(
    "UPDATE assignments SET expires_at = now() + interval '100 seconds' WHERE email = $1 AND scope_key = 'authz:login'",
    [email],
  );
  const tokens = await device.signIn();
  await system.database.query("UPDATE assignments SET expires_at = NULL WHERE email = $1", [email]);
  const { iat = 0, exp = 0 } = decodeJwt(tokens["access_token"] ?? "");
  expect(exp - iat).toBeGreaterThan(80);
  expect(exp - iat).toBeLessThanOrEqual(100);
  expect(Number(tokens["expires_in"])).toBe(exp - iat);
});

describe("the loop", () => {
  const events = async () =>
    (await system.audit()).filter(({ type }) => type.startsWith("assignment.expir")).map(({ type }) => type);
  const processAll = () => processEnds({ store: system.server.context.store, clock: Date.now });

  test.each([
    { name: "a day before its end", end: 86_300, created: -10 * 86_400, announced: true },
    { name: "not more than a day before", end: 86_500, created: -10 * 86_400, announced: false },
    { name: "half of its time before, when that is less", end: 1700, created: -1900, announced: true },
    { name: "not before half of its time", end: 1900, created: -1700, announced: false },
  ])("announces an end $name", async ({ end, created, announced }) => {
    const before = (await events()).length;
    await give(end, created);
    await Promise.all([processAll(), processAll()]);
    await processAll();
    expect((await events()).slice(before)).toEqual(announced ? ["assignment.expiring"] : []);
  });

  test("removes what is over, once, with its event", async () => {
    const before = (await events()).length;
    await give(0);
    await Promise.all([processAll(), processAll()]);
    expect((await events()).slice(before)).toEqual(["assignment.expired"]);
    const rows = await system.database.query("SELECT FROM assignments WHERE scope_key = $1", [scope]);
    expect(rows).toEqual([]);
  });
});
