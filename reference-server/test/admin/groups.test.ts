import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { groupProviderSecretRow } from "../../src/platform/vault/rows.js";
import { type AdminServer, createAdminServer } from "../support/admin.js";
import { directorySecret, startTestDirectory, type TestDirectory } from "../support/directory.js";

let server: AdminServer;
let directory: TestDirectory;
beforeAll(async () => {
  [server, directory] = await Promise.all([createAdminServer(), startTestDirectory()]);
  const body = { type: "claim", key: "acme-groups", name: "Acme groups", provider: "acme" };
  await server.request("POST", "/group-providers", { body });
});
afterAll(() => Promise.all([server.close(), directory.close()]));

const hr = () => ({
  type: "directory",
  key: "hr",
  name: "People team",
  url: directory.url,
  secret: directorySecret,
});
const patch = (key: string, body: unknown, version: number, preview = false) =>
  server.request("PATCH", `/group-providers/${key}${preview ? "?preview=true" : ""}`, { body, version });

/** A person whom the provider has put into groups. */
async function putInto(name: string, groups: readonly string[]): Promise<void> {
  const { user } = await server.signIn(name);
  await server.context.store.userGroups.replace({
    userId: user.id,
    providerId: server.providerId,
    groups,
    unavailable: false,
    signedInAt: new Date(server.clock()),
    expiresAt: new Date(server.clock() + 365 * 24 * 3_600_000),
  });
}

async function assign(group: string, scope: string): Promise<void> {
  const found = await server.context.store.groupProviders.findByKey("acme-groups");
  const providerId = found?.id ?? "";
  await server.context.store.assignments.insertMissing(
    { id: randomUUID(), group: { providerId, key: group }, scope },
    new Date(server.clock()),
  );
}

describe("a directory", () => {
  test("is added with a secret that never comes back, and changed without it", async () => {
    const created = await server.request("POST", "/group-providers", { body: hr() });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ key: "hr", type: "directory", hasSecret: true, version: 1 });
    expect(created.text).not.toContain(directorySecret);
    const renamed = await patch("hr", { name: "HR" }, 1);
    expect(renamed.body).toMatchObject({ name: "HR", url: directory.url, version: 2 });
    const { store, credentials } = server.context;
    const stored = await store.groupProviders.findByKey("hr");
    const sealed = stored?.type === "directory" ? stored.secret : Buffer.of();
    expect(await credentials.open(sealed, groupProviderSecretRow(stored?.id ?? ""))).toBe(directorySecret);
    const [event] = await server.audit("group_provider.changed");
    expect(event?.data).toEqual({ key: "hr", fields: ["name"] });
  });

  test("at another address needs its secret again", async () => {
    const url = "https://elsewhere.example";
    const { status, body } = await patch("hr", { url }, 2);
    expect(status).toBe(400);
    expect(body).toMatchObject({ fields: [{ path: "secret" }] });
    expect((await patch("hr", { url, secret: "another" }, 2)).body).toMatchObject({ url, version: 3 });
    expect((await patch("hr", { url: directory.url, secret: directorySecret }, 3)).status).toBe(200);
  });

  test("is asked once, with what was typed or with the stored secret", async () => {
    directory.groups.set("ada@acme.example", ["sales", "board"]);
    const check = (body: unknown) => server.request("POST", "/group-providers/checks", { body });
    const typed = { url: directory.url, secret: directorySecret, email: "Ada@acme.example" };
    expect((await check(typed)).body).toEqual({
      checks: [
        {
          id: "groups",
          state: "passed",
          title: "The directory says who is in which groups",
          detail: "The directory answers: ada@acme.example is in 2 groups.",
        },
      ],
      groups: ["board", "sales"],
    });
    const stored = { key: "hr", url: directory.url, email: "ada@acme.example" };
    expect((await check(stored)).body).toMatchObject({ checks: [{ state: "passed" }] });
    expect((await check({ ...typed, secret: "wrong" })).body).toMatchObject({
      checks: [{ state: "failed", detail: `${directory.url}/groups answered with status 401.` }],
      groups: [],
    });
  });

  test("never gets the stored secret of another address", async () => {
    const asked = directory.asked.length;
    const body = { key: "hr", url: `${directory.url}/other`, email: "ada@acme.example" };
    const answer = await server.request("POST", "/group-providers/checks", { body });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ fields: [{ path: "secret" }] });
    expect(directory.asked).toHaveLength(asked);
  });
});

describe("a new group provider is refused", () => {
  test.each<{ name: string; body: () => unknown; path: string }>([
    { name: "with a key that is taken", body: () => ({ ...hr(), key: "acme-groups" }), path: "key" },
    {
      name: "for a claim that is taken",
      body: () => ({ type: "claim", key: "second", name: "Second", provider: "acme" }),
      path: "provider",
    },
    {
      name: "for the claim of nobody",
      body: () => ({ type: "claim", key: "second", name: "Second", provider: "nobody" }),
      path: "provider",
    },
    {
      name: "with a plain http: address",
      body: () => ({ ...hr(), key: "x", url: "http://hr.example" }),
      path: "url",
    },
    { name: "without a secret", body: () => ({ ...hr(), key: "x", secret: undefined }), path: "secret" },
    {
      name: "with a member that is not known",
      body: () => ({ ...hr(), key: "x", version: 7 }),
      path: "version",
    },
  ])("$name", async ({ body, path }) => {
    const events = (await server.audit()).length;
    const answer = await server.request("POST", "/group-providers", { body: body() });
    expect([400, 409]).toContain(answer.status);
    expect(answer.body).toMatchObject({ fields: [{ path }] });
    expect(await server.audit()).toHaveLength(events);
  });
});

test("disabling a claim shows who loses what, stores nothing of that, and then does it", async () => {
  await putInto("Lina", ["sales"]);
  await putInto("Paul", ["sales", "staff"]);
  await assign("sales", "authz:login");
  const seen = (await server.request("GET", "/group-providers/acme-groups")).body;
  const preview = await patch("acme-groups", { enabled: false }, 1, true);
  expect(preview.body).toEqual({
    impact: {
      gains: [],
      losses: [
        {
          scope: "authz:login",
          people: 2,
          sample: ["lina@acme.example", "paul@acme.example"],
          groups: [],
        },
      ],
      notes: [],
    },
  });
  expect((await server.request("GET", "/group-providers/acme-groups")).body).toEqual(seen);
  expect((await patch("acme-groups", { enabled: false }, 1)).body).toMatchObject({ enabled: false });
  const back = await patch("acme-groups", { enabled: true }, 2, true);
  expect(back.body).toMatchObject({ impact: { gains: [{ scope: "authz:login", people: 2 }], losses: [] } });
  expect((await patch("acme-groups", { enabled: true }, 1)).status).toBe(412);
  await patch("acme-groups", { enabled: true }, 2);
});

test("the groups that are known have their people and assignments", async () => {
  const { body } = await server.request("GET", "/groups?provider=acme-groups");
  const provider = { key: "acme-groups", name: "Acme groups", type: "claim", enabled: true };
  expect(body).toEqual({
    items: [
      { key: "sales", provider, people: 2, assignments: 1, roleScopes: [] },
      { key: "staff", provider, people: 1, assignments: 0, roleScopes: [] },
    ],
    nextCursor: null,
  });
  const found = await server.request("GET", "/groups?q=STA");
  expect(found.body["items"]).toMatchObject([{ key: "staff" }]);
});

test("a provider whose groups have assignments is not removed; without them it goes, and its groups with it", async () => {
  const remove = (version: number) => server.request("DELETE", "/group-providers/acme-groups", { version });
  const refused = await remove(3);
  expect(refused.status).toBe(409);
  expect(refused.body).toEqual({
    error: "in_use",
    error_description:
      '1 assignment gives authz:login to groups of "acme-groups". Remove them first, or disable the provider instead.',
  });
  await server.database.query("DELETE FROM assignments WHERE group_key IS NOT NULL");
  expect((await remove(2)).status).toBe(412);
  expect((await remove(3)).status).toBe(204);
  expect((await server.request("GET", "/groups")).body["items"]).toEqual([]);
  expect(await server.database.query("SELECT FROM user_groups")).toEqual([]);
  const [event] = await server.audit("group_provider.removed");
  expect(event?.data).toEqual({ key: "acme-groups" });
});
