import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { User } from "../../src/store/users.js";
import { type AdminServer, createAdminServer } from "../support/admin.js";
import { jkt } from "../support/records.js";

let server: AdminServer;
beforeAll(async () => void (server = await createAdminServer()));
afterAll(() => server.close());

/** A live grant of the built-in client. */
async function createGrant(user: User): Promise<string> {
  const id = randomUUID();
  await server.database.query(
    `INSERT INTO grants (id, user_id, client_id, jkt, scopes, auth_time, amr, created_at, expires_at)
    VALUES ($1, $2, 'authz-cli', $3, '{openid}', $4, '{pwd}', $4, $5)`,
    [id, user.id, jkt, new Date(server.clock()), new Date(server.clock() + 3_600_000)],
  );
  return id;
}

const ends = (type: "session.ended" | "grant.revoked") => server.audit(type).then((events) => events.length);

describe("the list of people", () => {
  test("shows who they are and where they are signed in", async () => {
    const { user } = await server.signIn("Lina");
    await createGrant(user);
    const { status, body } = await server.request("GET", "/users?q=lin");
    expect(status).toBe(200);
    expect(body).toEqual({
      items: [
        {
          id: user.id,
          email: "lina@acme.example",
          name: "Lina",
          enabled: true,
          disabledBy: null,
          changeable: true,
          lastSignedInAt: "2026-11-20T12:00:00.000Z",
          createdAt: "2026-11-20T12:00:00.000Z",
          sessions: 1,
          grants: 1,
          version: 2,
        },
      ],
      nextCursor: null,
    });
  });

  test("goes on where the page before ended", async () => {
    for (const name of ["Paul", "Pia", "Pavel"]) await server.signIn(name);
    const emails: unknown[] = [];
    let path: string | undefined = "/users?q=p&limit=2&sort=-name";
    while (path !== undefined) {
      const { body } = await server.request("GET", path);
      const { items, nextCursor } = body as { items: { name: string }[]; nextCursor: string | null };
      emails.push(...items.map(({ name }) => name));
      path = nextCursor === null ? undefined : `/users?q=p&limit=2&sort=-name&cursor=${nextCursor}`;
    }
    expect(emails).toEqual(["Pia", "Pavel", "Paul"]);
  });

  test.each([
    { name: "an unknown sort", query: "sort=age", path: "sort" },
    { name: "an unknown filter", query: "admin=true", path: "admin" },
    { name: "a filter that is not true or false", query: "enabled=1", path: "enabled" },
    { name: "a cursor of another order", query: `cursor=${btoa('["name","a","b"]')}`, path: "cursor" },
  ])("refuses $name", async ({ query, path }) => {
    const { status, body } = await server.request("GET", `/users?${query}`);
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: "invalid_request", fields: [{ path }] });
  });
});

describe("a person", () => {
  test("is shown with every scope and where it comes from", async () => {
    const { user } = await server.signIn("Gabi", ["authz:login"]);
    const device = await createGrant(user);
    const { store } = server.context;
    const at = new Date(server.clock());
    const provider = { id: randomUUID(), key: "acme-groups", name: "Acme groups", enabled: true } as const;
    const identityProviderId = server.providerId;
    await store.groupProviders.save({ ...provider, type: "claim", identityProviderId }, at);
    const group = { providerId: provider.id, key: "sales" };
    await store.assignments.insertMissing({ id: randomUUID(), group, scope: "authz:login" }, at);
    const expiresAt = new Date(server.clock() + 365 * 24 * 3_600_000);
    await store.userGroups.replace({
      userId: user.id,
      providerId: server.providerId,
      groups: ["sales", "staff"],
      unavailable: false,
      signedInAt: at,
      expiresAt,
    });
    const { status, headers, body } = await server.request("GET", `/users/${user.id}`);
    expect(status).toBe(200);
    expect(headers["etag"]).toBe(`"${String(body["version"])}"`);
    const named = { key: "acme-groups", name: "Acme groups" };
    expect(body).toMatchObject({
      email: "gabi@acme.example",
      identities: [{ provider: { key: "acme", name: "Acme accounts", enabled: true }, subject: "Gabi" }],
      scopes: [
        {
          scope: "authz:login",
          by: [
            { type: "email", email: "gabi@acme.example" },
            { type: "group", group: { key: "sales", provider: named } },
          ],
        },
      ],
      undecided: [],
      groups: [{ provider: { ...named, enabled: true }, keys: ["sales", "staff"] }],
      browserSessions: [{ user: { id: user.id }, provider: { key: "acme" }, current: false }],
      devices: [{ id: device, client: { id: "authz-cli" }, state: "live" }],
    });
    await server.database.query("DELETE FROM assignments WHERE group_key = 'sales'");
  });

  test.each(["GET", "PATCH"] as const)(
    "with an id that nobody can have is not found by %s",
    async (method) => {
      const { status, body } = await server.request(method, "/users/ada", {
        body: method === "PATCH" ? { enabled: true } : undefined,
        version: 1,
      });
      expect({ status, body }).toMatchObject({
        status: 404,
        body: { error: "not_found", error_description: "There is nothing at this address." },
      });
    },
  );

  test("whom nobody knows is not found", async () => {
    const { status, body } = await server.request("GET", `/users/${randomUUID()}`);
    expect(status).toBe(404);
    expect(body["error"]).toBe("not_found");
  });
});

describe("disabling a person", () => {
  test("ends every session and grant at once, and is audited", async () => {
    const { user, headers } = await server.signIn("Dora", ["authz:administer"]);
    await createGrant(user);
    const before = [await ends("session.ended"), await ends("grant.revoked")];
    const version = (await server.request("GET", `/users/${user.id}`)).body["version"] as number;
    const { status, body } = await server.request("PATCH", `/users/${user.id}`, {
      body: { enabled: false },
      version,
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ enabled: false, sessions: 0, grants: 0, version: version + 1 });
    expect([await ends("session.ended"), await ends("grant.revoked")]).toEqual(
      before.map((number) => number + 1),
    );
    const [event] = (await server.audit("user.changed")).slice(-1);
    expect(event).toMatchObject({
      actor_id: server.ada.user.id,
      data: { enabled: { from: true, to: false } },
    });
    expect(event?.request_id).toEqual(expect.any(String));
    const answer = await server.app.inject({ url: "/api/admin/v1/users", headers });
    expect(answer.statusCode).toBe(401);
  });

  test("shows before what it would do, and stores nothing of that", async () => {
    const { user } = await server.signIn("Wanda", ["authz:login"]);
    await createGrant(user);
    const events = (await server.audit()).length;
    const seen = (await server.request("GET", `/users/${user.id}`)).body;
    const { status, body } = await server.request("PATCH", `/users/${user.id}?preview=true`, {
      body: { enabled: false },
      version: seen["version"] as number,
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      impact: {
        gains: [],
        losses: [{ scope: "authz:login", people: 1, sample: ["wanda@acme.example"], groups: [] }],
        notes: ["1 browser session will end.", "1 device will be signed out."],
      },
    });
    expect((await server.request("GET", `/users/${user.id}`)).body).toEqual(seen);
    expect(await server.audit()).toHaveLength(events);
  });

  test("from an old version is refused, and the answer has the person as they are", async () => {
    const { user } = await server.signIn("Olga");
    const { status, body } = await server.request("PATCH", `/users/${user.id}`, {
      body: { enabled: false },
      version: 999,
    });
    expect(status).toBe(412);
    expect(body).toMatchObject({
      error: "version_conflict",
      current: { id: user.id, enabled: true, version: 2 },
    });
  });

  test("without a version, or with more than is known, is refused", async () => {
    const { user } = await server.signIn("Nora");
    const path = `/users/${user.id}`;
    expect((await server.request("PATCH", path, { body: { enabled: false } })).status).toBe(428);
    const { status, body } = await server.request("PATCH", path, {
      body: { enabled: false, email: "ada@acme.example" },
      version: 2,
    });
    expect(status).toBe(400);
    expect(body).toMatchObject({ fields: [{ path: "email" }] });
  });
});

test("a person who signs in while being disabled ends without a session", async () => {
  const { user } = await server.signIn("Zora");
  const { store } = server.context;
  const now = new Date(server.clock());
  const signIn = (number: number) =>
    store.transaction(async (tx) => {
      const identity = { providerId: server.providerId, subject: "Zora", email: "zora@acme.example" };
      const found = await tx.users.signIn({ ...identity, at: now });
      if (!found.enabled) return;
      const session = {
        id: randomUUID(),
        userId: found.id,
        providerId: server.providerId,
        authTime: now,
        askedAnewAt: null,
        amr: [],
        signedInAt: now,
        expiresAt: new Date(server.clock() + 3_600_000),
        userAgent: null,
      };
      await tx.browserSessions.insert(session, Buffer.from(`zora ${number}`));
    });
  const disable = async (): Promise<void> => {
    const version = (await server.request("GET", `/users/${user.id}`)).body["version"] as number;
    const body = { enabled: false };
    const { status } = await server.request("PATCH", `/users/${user.id}`, { body, version });
    // Each sign-in makes a new version.
    if (status === 412) return await disable();
    expect(status).toBe(200);
  };
  await Promise.all([disable(), ...[1, 2, 3, 4, 5].map(signIn)]);
  expect(await store.browserSessions.listLive({ userId: user.id, now, limit: 10 })).toEqual([]);
});

test("a person can be signed out everywhere, and stays enabled", async () => {
  const { user } = await server.signIn("Sina");
  await createGrant(user);
  await createGrant(user);
  const path = `/users/${user.id}/sign-outs`;
  const { status, body } = await server.request("POST", path);
  expect([status, body]).toEqual([200, { sessions: 1, grants: 2 }]);
  expect((await server.request("POST", path)).body).toEqual({ sessions: 0, grants: 0 });
  const shown = await server.request("GET", `/users/${user.id}`);
  expect(shown.body).toMatchObject({ enabled: true, sessions: 0, grants: 0 });
});

// The last one: afterwards only one of the two is there.
test("the last administrator is not disabled, also when two disable each other at once", async () => {
  const last = await server.request("PATCH", `/users/${server.ada.user.id}`, {
    body: { enabled: false },
    version: (await server.request("GET", `/users/${server.ada.user.id}`)).body["version"] as number,
  });
  expect(last.status).toBe(409);
  expect(last.body["error"]).toBe("last_administrator");

  const bruno = await server.signIn("Bruno", ["authz:administer"]);
  const disable = (other: User, as: typeof bruno) =>
    server.request("PATCH", `/users/${other.id}`, { body: { enabled: false }, version: 2, as });
  const answers = await Promise.all([disable(bruno.user, server.ada), disable(server.ada.user, bruno)]);
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused).toHaveLength(1);
  expect([401, 409]).toContain(refused[0]?.status);
  const enabled = await server.database.query<{ email: string }>(
    "SELECT email FROM users WHERE enabled AND email IN ('ada@acme.example', 'bruno@acme.example')",
  );
  expect(enabled).toHaveLength(1);
});
