import { afterAll, beforeAll, expect, test } from "vitest";
import { initialise } from "../../src/upkeep/start/initialise.js";
import { type AdminServer, createAdminServer } from "../support/admin.js";

let server: AdminServer;
let first: string;
let next: string;

beforeAll(async () => {
  server = await createAdminServer();
  await initialise(server.context);
  first = server.context.config.signingKey.kid;
});
afterAll(() => server.close());

async function list(): Promise<Record<string, unknown>[]> {
  return (await server.request("GET", "/signing-keys")).body["items"] as Record<string, unknown>[];
}

test("a key that has signed for long says that the next one is due", async () => {
  expect(await list()).toMatchObject([{ kid: first, state: "active", ageDays: 0, advice: null }]);
  await server.database.query("UPDATE signing_keys SET activated_at = activated_at - interval '151 days'");
  expect(await list()).toMatchObject([{ ageDays: 151, advice: { code: "stage_next" } }]);
  await server.database.query("UPDATE signing_keys SET activated_at = activated_at - interval '30 days'");
  expect(await list()).toMatchObject([{ ageDays: 181, advice: { code: "rotation_overdue" } }]);
});

test("a staged key is in the key set at once, and the answer never has its private part", async () => {
  server.clock.advance(1);
  const staged = await server.request("POST", "/signing-keys");
  expect(staged.status).toBe(201);
  expect(staged.body).toMatchObject({
    state: "staged",
    inKeySet: true,
    activatableFrom: "2026-11-20T12:15:01.000Z",
    advice: { code: "activate_when_ready" },
  });
  expect(staged.text).not.toContain('"d"');
  next = String(staged.body["kid"]);
  const keySet = await server.app.inject("/api/oauth/jwks");
  expect(keySet.body).toContain(next);
  expect((await server.audit("signing_key.staged")).at(-1)).toMatchObject({
    actor_id: server.ada.user.id,
    request_id: expect.any(String) as string,
  });
});

test("what the rules of the rotation refuse is refused, in the words of the console", async () => {
  const early = await server.request("POST", `/signing-keys/${next}/activations`, { body: {} });
  expect([early.status, early.body["error"]]).toEqual([409, "in_use"]);
  expect(early.body["error_description"]).toContain("may sign from 2026-11-20T12:15:01.000Z on");
  const active = await server.request("POST", `/signing-keys/${first}/retirements`, { body: {} });
  expect(active.body["error_description"]).toContain("Activate another one");
  const again = await server.request("POST", `/signing-keys/${first}/activations`, { body: {} });
  expect(again.body["error_description"]).toContain("already active");
  const unknown = await server.request("POST", "/signing-keys/nobody/activations", { body: {} });
  expect(unknown.status).toBe(404);
  expect(early.text + active.text).not.toContain("authz-server");
});

test("a staged key is let sign by itself, and no longer; before every service knows it is too early", async () => {
  const schedule = (kid: string, body: object) =>
    server.request("POST", `/signing-keys/${kid}/schedules`, { body });
  const ready = await schedule(next, {});
  expect([ready.status, ready.body]).toMatchObject([
    200,
    { kid: next, activatesAt: "2026-11-20T12:15:01.000Z", advice: { code: "activates_itself" } },
  ]);
  expect((await schedule(next, {})).status).toBe(200);
  const later = await schedule(next, { activatesAt: "2026-11-21T05:00:00+01:00" });
  expect(later.body["activatesAt"]).toBe("2026-11-21T04:00:00.000Z");
  const never = await schedule(next, { activatesAt: null });
  expect(never.body).toMatchObject({ activatesAt: null, advice: { code: "activate_when_ready" } });
  expect((await server.audit("signing_key.scheduled")).map(({ data }) => data)).toEqual([
    { kid: next, activatesAt: "2026-11-20T12:15:01.000Z" },
    { kid: next, activatesAt: "2026-11-21T04:00:00.000Z" },
    { kid: next, activatesAt: null },
  ]);
});

test.each([
  {
    name: "a time at which some services do not know it",
    body: { activatesAt: "2026-11-20T12:15:00Z" },
    status: 409,
  },
  { name: "a time without a zone", body: { activatesAt: "2026-11-21T12:15:00" }, status: 400 },
  { name: "a time that is none", body: { activatesAt: "soon" }, status: 400 },
  { name: "another member", body: { emergency: true }, status: 400 },
])("a schedule is refused for $name", async ({ body, status }) => {
  expect((await server.request("POST", `/signing-keys/${next}/schedules`, { body })).status).toBe(status);
});

test("a schedule is refused for the active key, and for one that nobody knows", async () => {
  const active = await server.request("POST", `/signing-keys/${first}/schedules`, { body: {} });
  expect([active.status, active.body["error"]]).toEqual([409, "in_use"]);
  expect((await server.request("POST", "/signing-keys/nobody/schedules", { body: {} })).status).toBe(404);
  expect((await list())[0]).toMatchObject({ kid: next, activatesAt: null });
});

test("a preview of an activation stores nothing; the activation hands the role over", async () => {
  server.clock.advance(16 * 60);
  const path = `/signing-keys/${next}/activations`;
  const preview = await server.request("POST", `${path}?preview=true`, { body: {} });
  expect(preview.body).toMatchObject({
    impact: {
      notes: [
        `${next} would sign.`,
        expect.stringContaining(
          `${first} would no longer sign, and would stay in the key set until`,
        ) as string,
      ],
    },
  });
  expect(await list()).toMatchObject([
    { kid: next, state: "staged", advice: { code: "activate_now" } },
    { kid: first, state: "active" },
  ]);
  const done = await server.request("POST", path, { body: {} });
  expect(done.body).toEqual({
    kid: next,
    retired: first,
    retiredPublishedUntil: expect.stringMatching(/^2026-11-20T12:/) as string,
  });
  expect(await list()).toMatchObject([
    { kid: next, state: "active", advice: null },
    { kid: first, state: "retired", inKeySet: true },
  ]);
});

test("in an emergency a retired key leaves the key set now", async () => {
  const path = `/signing-keys/${first}/retirements`;
  expect((await server.request("POST", path, { body: {} })).status).toBe(409);
  expect((await server.request("POST", path, { body: { emergency: true } })).status).toBe(204);
  expect(await list()).toMatchObject([{ kid: next }, { kid: first, inKeySet: false }]);
  expect((await server.app.inject("/api/oauth/jwks")).body).not.toContain(first);
});

test("the list comes in pages, and finds a key by a part of its name", async () => {
  const page = (query: string) => server.request("GET", `/signing-keys?limit=1${query}`);
  const newest = (await page("")).body;
  expect(newest["items"]).toMatchObject([{ kid: next }]);
  const rest = (await page(`&cursor=${String(newest["nextCursor"])}`)).body;
  expect(rest).toMatchObject({ items: [{ kid: first }], nextCursor: null });
  expect((await page(`&q=${first.slice(1)}`)).body).toMatchObject({ items: [{ kid: first }] });
  expect((await page("&sort=stagedAt")).body["items"]).toMatchObject([{ kid: first }]);
});
