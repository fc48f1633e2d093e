import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AdminServer, createAdminServer, type SignedInPerson } from "../support/admin.js";
import { jkt, resourceRecord } from "../support/records.js";

let server: AdminServer;
let lina: SignedInPerson;
beforeAll(async () => {
  server = await createAdminServer();
  lina = await server.signIn("Lina");
});
afterAll(() => server.close());

async function createGrant(person: SignedInPerson, secondsFromNow = 3600): Promise<string> {
  const id = randomUUID();
  const now = server.clock();
  await server.database.query(
    `INSERT INTO grants (id, user_id, client_id, jkt, scopes, auth_time, amr, created_at, expires_at)
    VALUES ($1, $2, 'authz-cli', $3, '{openid}', $4, '{pwd}', $4, $5)`,
    [id, person.user.id, jkt, new Date(now), new Date(now + secondsFromNow * 1000)],
  );
  return id;
}

test("sessions are listed with whom they belong to, and which one asks", async () => {
  const { status, body } = await server.request("GET", "/sessions?provider=acme");
  expect(status).toBe(200);
  const items = body["items"] as Record<string, unknown>[];
  expect(items).toHaveLength(2);
  expect(items.find(({ id }) => id === server.ada.session.id)).toEqual({
    id: server.ada.session.id,
    user: { id: server.ada.user.id, email: "ada@acme.example", name: "Ada" },
    provider: { key: "acme", name: "Acme accounts" },
    browser: { product: null, system: null },
    userAgent: null,
    authenticatedAt: "2026-11-20T12:00:00.000Z",
    amr: [],
    signedInAt: "2026-11-20T12:00:00.000Z",
    lastUsedAt: "2026-11-20T12:00:00.000Z",
    expiresAt: "2026-11-20T20:00:00.000Z",
    current: true,
    changeable: true,
  });
  const ofLina = await server.request("GET", `/sessions?user=${lina.user.id}&q=lina`);
  expect(ofLina.body["items"]).toMatchObject([{ id: lina.session.id, current: false }]);
  expect((await server.request("GET", "/sessions?provider=other")).body["items"]).toEqual([]);
});

test("a session ends once, and its browser is signed out", async () => {
  const bruno = await server.signIn("Bruno", ["authz:administer"]);
  const path = `/sessions/${bruno.session.id}`;
  expect((await server.request("GET", "/session", { as: bruno })).status).toBe(200);
  expect((await server.request("DELETE", path)).status).toBe(204);
  expect((await server.request("GET", "/session", { as: bruno })).status).toBe(401);
  const again = await server.request("DELETE", path);
  expect([again.status, again.body["error"]]).toEqual([404, "not_found"]);
  const [event] = (await server.audit("session.ended")).slice(-1);
  expect(event).toMatchObject({ actor_id: server.ada.user.id, data: { sessionId: bruno.session.id } });
  expect(event?.request_id).toEqual(expect.any(String));
});

test("several sessions end at once; those that have ended already do not count", async () => {
  const people = [await server.signIn("Carl"), await server.signIn("Cleo")];
  const ids = people.map(({ session }) => session.id);
  const body = { ids: [...ids, randomUUID()] };
  expect((await server.request("POST", "/sessions/revocations", { body })).body).toEqual({ revoked: 2 });
  expect((await server.request("POST", "/sessions/revocations", { body })).body).toEqual({ revoked: 0 });
  const ended = (await server.audit("session.ended")).map(({ data }) => data["sessionId"]);
  expect(ended).toEqual(expect.arrayContaining(ids));
});

test("grants are listed by person, client and state", async () => {
  const id = await createGrant(lina);
  const over = await createGrant(lina, -1);
  const { body } = await server.request("GET", `/grants?user=${lina.user.id}&client=authz-cli&state=live`);
  expect(body["items"]).toEqual([
    {
      id,
      user: { id: lina.user.id, email: "lina@acme.example", name: "Lina" },
      client: { id: "authz-cli", name: "Authz command line", source: "registered", host: null },
      service: null,
      provider: null,
      deviceName: null,
      shortCode: `${jkt.slice(0, 4)}-${jkt.slice(4, 8)}`,
      scopes: ["openid"],
      authenticatedAt: "2026-11-20T12:00:00.000Z",
      amr: ["pwd"],
      createdAt: "2026-11-20T12:00:00.000Z",
      lastUsedAt: "2026-11-20T12:00:00.000Z",
      expiresAt: "2026-11-20T13:00:00.000Z",
      state: "live",
      revokedAt: null,
      revocationReason: null,
      changeable: true,
    },
  ]);
  const ended = await server.request("GET", `/grants?user=${lina.user.id}&state=ended`);
  expect(ended.body["items"]).toMatchObject([{ id: over, state: "ended" }]);
  expect((await server.request("GET", `/grants?user=${lina.user.id}`)).body["items"]).toHaveLength(2);
});

test("grants are listed by service, with when they were last of use", async () => {
  const { store } = server.context;
  const service = randomUUID();
  const resource = "https://contracts.acme.example/api";
  await store.resources.save(
    resourceRecord({ id: service, resource, allowsBearer: true }),
    new Date(server.clock()),
  );
  const person = await server.signIn("Sven");
  const own = await createGrant(person);
  const atService = await createGrant(person);
  await server.database.query("UPDATE grants SET resource_id = $1 WHERE id = $2", [service, atService]);
  await server.database.query(
    `INSERT INTO refresh_tokens (hash, grant_id, created_at, expires_at)
    SELECT sha256(minutes::text::bytea), $1, $2::timestamptz + minutes * interval '1 minute', $2::timestamptz + interval '1 day'
    FROM unnest('{0,30,15}'::integer[]) AS minutes`,
    [atService, new Date(server.clock())],
  );
  const list = async (filter: string) =>
    (await server.request("GET", `/grants?user=${person.user.id}&${filter}`)).body["items"];
  expect(await list("service=contracts")).toMatchObject([
    {
      id: atService,
      service: { key: "contracts", name: "Contracts" },
      lastUsedAt: "2026-11-20T12:30:00.000Z",
    },
  ]);
  expect(await list("service=installation")).toMatchObject([{ id: own, service: null }]);
  expect(await list("service=nothing")).toEqual([]);
});

test("a device is signed out once, and says so afterwards", async () => {
  const person = await server.signIn("Gabi");
  const id = await createGrant(person);
  expect((await server.request("DELETE", `/grants/${id}`)).status).toBe(204);
  expect((await server.request("DELETE", `/grants/${id}`)).status).toBe(404);
  const { body } = await server.request("GET", `/grants?user=${person.user.id}`);
  expect(body["items"]).toMatchObject([
    {
      state: "ended",
      revokedAt: "2026-11-20T12:00:00.000Z",
      revocationReason: "revoked_by_administrator",
    },
  ]);
  const [event] = (await server.audit("grant.revoked")).slice(-1);
  expect(event).toMatchObject({
    actor_id: server.ada.user.id,
    data: { grantId: id, reason: "revoked_by_administrator" },
  });
});

test("of parallel revocations each grant ends by one", async () => {
  const person = await server.signIn("Paul");
  const ids = await Promise.all([createGrant(person), createGrant(person), createGrant(person)]);
  const answers = await Promise.all(
    [1, 2, 3].map(() => server.request("POST", "/grants/revocations", { body: { ids } })),
  );
  const revoked = answers.map(({ body }) => body["revoked"] as number);
  expect(revoked.reduce((sum, number) => sum + number, 0)).toBe(3);
});

test.each([
  { name: "nothing", ids: [] },
  { name: "what is no id", ids: ["1"] },
  { name: "too much at once", ids: Array.from({ length: 10_001 }, () => randomUUID()) },
])("a revocation of $name is refused", async ({ ids }) => {
  const { status, body } = await server.request("POST", "/grants/revocations", { body: { ids } });
  expect([status, body["error"]]).toEqual([400, "invalid_request"]);
});
