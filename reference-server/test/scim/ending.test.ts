import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createSecret, hashSecret } from "../../src/protocol/secrets.js";
import { createBrowser } from "../support/device.js";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";
import { exchangeForm, RawDevice } from "../support/raw-device.js";
import { createScimClient, groupSchema, patchOf, type ScimClient, userSchema } from "./scim-client.js";

let system: OauthServer;
let device: RawDevice;
let scim: ScimClient;
beforeAll(async () => {
  system = await startOauthServer({ AUTHZ_RATE_LIMITS: "off" });
  device = await RawDevice.create(system.issuer);
  const { store } = system.server.context;
  const provider = await store.identityProviders.findByKey("acme");
  const secret = createSecret();
  const credential = {
    id: randomUUID(),
    providerId: provider?.id ?? "",
    createdAt: new Date(),
    lastUsedAt: null,
  };
  await store.provisioningCredentials.insert(credential, { hash: hashSecret(secret), most: 2 });
  scim = createScimClient(system.issuer, { providerId: credential.providerId, key: "acme", secret });
});
afterAll(() => system.close());

const query = <Row extends object>(sql: string, values: readonly unknown[] = []) =>
  system.database.query<Row>(sql, [...values]);

/** Nobody is provisioned, nobody has signed in. */
beforeEach(async () => {
  await system.server.context.store.settings.save({ breakGlassEmail: null }, new Date());
  await query("DELETE FROM provisioned_users");
  await query("DELETE FROM provisioned_groups");
  await query("DELETE FROM users");
});

const ada = (change: object = {}) => ({
  schemas: [userSchema],
  userName: "ada@acme.example",
  externalId: "ada",
  displayName: "Ada",
  emails: [{ value: "ada@acme.example", type: "work", primary: true }],
  ...change,
});
const create = async (change: object = {}): Promise<string> => {
  const { status, body } = await scim.request("POST", "/Users", { body: ada(change) });
  expect([status, body["detail"]]).toEqual([201, undefined]);
  return String(body["id"]);
};
const setActive = (id: string, value: unknown) =>
  scim.request("PATCH", `/Users/${id}`, { body: patchOf({ op: "Replace", path: "active", value }) });
const refreshed = async (token: string | undefined) => {
  const { status, body } = await device.refresh(token ?? "");
  return status === 200 ? "issued" : body["error"];
};
const signIn = async (person = "ada") => {
  try {
    return await device.signIn({}, createBrowser(), person);
  } catch {
    return undefined;
  }
};

/** The ways in which a provider says that a person has left. */
const endings = [
  { name: "active false", end: (id: string) => setActive(id, false), status: 200 },
  { name: 'active "False", as Entra ID writes it', end: (id: string) => setActive(id, "False"), status: 200 },
  {
    name: "active false without a path, as Okta writes it",
    end: (id: string) =>
      scim.request("PATCH", `/Users/${id}`, { body: patchOf({ op: "replace", value: { active: false } }) }),
    status: 200,
  },
  {
    name: "PUT with active false",
    end: (id: string) => scim.request("PUT", `/Users/${id}`, { body: ada({ active: false }) }),
    status: 200,
  },
  { name: "DELETE", end: (id: string) => scim.request("DELETE", `/Users/${id}`), status: 204 },
];

describe.each(endings)("$name", ({ end, status }) => {
  test("ends everything that is signed in, with one event, before it is answered", async () => {
    const id = await create();
    const tokens = await signIn();
    expect(await refreshed(tokens?.["refresh_token"])).toBe("issued");
    const { refresh_token: refreshToken } = (await signIn()) ?? {};

    expect((await end(id)).status).toBe(status);

    expect(await refreshed(refreshToken)).toBe("invalid_grant");
    expect(await query("SELECT FROM browser_sessions")).toEqual([]);
    expect(await query("SELECT enabled, disabled_by, disabled_by_provider FROM users")).toEqual([
      { enabled: false, disabled_by: "provider", disabled_by_provider: "acme" },
    ]);
    expect(await signIn()).toBeUndefined();
    const [ended] = (await system.audit("person.ended")).slice(-1);
    expect(ended?.data).toMatchObject({ cause: "scim", provider: "acme", grants: 2 });
  });

  test("is undone by the provider, and brings nothing back", async () => {
    const id = await create();
    const { refresh_token: refreshToken } = (await signIn()) ?? {};
    await end(id);
    const again = status === 204 ? await create() : id;
    expect((await setActive(again, "True")).body["active"]).toBe(true);
    expect(await query("SELECT enabled FROM users")).toEqual([{ enabled: true }]);
    expect(await refreshed(refreshToken)).toBe("invalid_grant");
    expect(await query("SELECT FROM browser_sessions")).toEqual([]);
    expect(await query("SELECT FROM consents")).toEqual([]);
    expect(await signIn()).toBeDefined();
  });

  test("leaves the break-glass administrator alone, and records the attempt", async () => {
    const id = await create();
    await system.server.context.store.settings.save({ breakGlassEmail: "ada@acme.example" }, new Date());
    const { refresh_token: refreshToken } = (await signIn()) ?? {};
    const refusal = await end(id);
    expect([refusal.status, refusal.body["scimType"]]).toEqual(
      status === 204 ? [403, undefined] : [400, "mutability"],
    );
    expect(await refreshed(refreshToken)).toBe("issued");
    expect((await scim.request("GET", `/Users/${id}`)).body).toMatchObject({ active: true });
    const [kept] = (await system.audit("user.kept")).slice(-1);
    expect(kept).toMatchObject({ outcome: "denied", data: { provider: "acme", account: id } });
  });
});

test("nothing of a change is stored when the person cannot be ended", async () => {
  const id = await create();
  await system.server.context.store.settings.save({ breakGlassEmail: "ada@acme.example" }, new Date());
  const body = patchOf(
    { op: "replace", path: "displayName", value: "Eve" },
    { op: "replace", path: "active", value: false },
  );
  expect((await scim.request("PATCH", `/Users/${id}`, { body })).status).toBe(400);
  expect((await scim.request("GET", `/Users/${id}`)).body).toMatchObject({
    displayName: "Ada",
    active: true,
  });
});

test("the break-glass administrator keeps the address that the exemption hangs on", async () => {
  const id = await create();
  await system.server.context.store.settings.save({ breakGlassEmail: "ada@acme.example" }, new Date());
  const moved = { emails: [{ value: "eve@acme.example", primary: true }], userName: "eve@acme.example" };
  for (const change of [moved, { ...moved, active: false }]) {
    const answer = await scim.request("PUT", `/Users/${id}`, { body: ada(change) });
    expect([answer.status, answer.body["scimType"]]).toEqual([400, "mutability"]);
  }
  expect(await query("SELECT email, enabled FROM users")).toEqual([
    { email: "ada@acme.example", enabled: true },
  ]);
});

describe("what the provider did not end", () => {
  test.each([
    { by: { by: "administrator" } as const, provider: null },
    { by: { by: "support" } as const, provider: null },
    { by: { by: "provider", provider: "other" } as const, provider: "other" },
  ])("stays: $by", async ({ by }) => {
    const { store } = system.server.context;
    const id = await create({ active: false });
    await store.users.setEnabled(await userOf(id), true, new Date());
    await store.users.setEnabled(await userOf(id), false, new Date(), by);
    await setActive(id, true);
    expect(await query("SELECT enabled FROM users")).toEqual([{ enabled: false }]);
    await scim.request("DELETE", `/Users/${id}`);
    await create();
    expect(await query("SELECT enabled FROM users")).toEqual([{ enabled: false }]);
  });

  test("an administrator's enabling does not open the provider to a person who is inactive there", async () => {
    const { store } = system.server.context;
    const id = await create({ active: false });
    await store.users.setEnabled(await userOf(id), true, new Date());
    expect(await signIn()).toBeUndefined();
  });
});

const userOf = async (id: string): Promise<string> => {
  const [row] = await query<{ userId: string }>(
    'SELECT user_id AS "userId" FROM provisioned_users WHERE id = $1',
    [id],
  );
  return row?.userId ?? "";
};

describe("a person who is provisioned before the first sign-in", () => {
  test("is linked by the configured pair, whatever the address", async () => {
    const id = await create({
      emails: [{ value: "a.lovelace@acme.example", primary: true }],
      userName: "al",
    });
    expect(await signIn()).toBeDefined();
    const people = await query<{ id: string; email: string }>("SELECT id, email FROM users");
    expect(people).toEqual([{ id: await userOf(id), email: "ada@acme.example" }]);
    expect((await system.audit("user.linked")).slice(-1)).toMatchObject([{ data: { account: "ada" } }]);
  });

  test("is linked by the address when the pair says nothing", async () => {
    const id = await create({ externalId: undefined });
    expect(await signIn()).toBeDefined();
    expect(await query("SELECT id FROM users")).toEqual([{ id: await userOf(id) }]);
  });

  test("is somebody else than a person with another account", async () => {
    await create({ externalId: "bruno", userName: "bruno", emails: [{ value: "bruno@acme.example" }] });
    await signIn();
    expect((await query("SELECT id FROM users")).length).toBe(2);
  });

  test("cannot sign in while inactive", async () => {
    await create({ active: false });
    expect(await signIn()).toBeUndefined();
  });
});

describe("a person who has signed in", () => {
  test("is found by the configured pair", async () => {
    await signIn();
    const id = await create({ emails: [{ value: "other@acme.example" }], userName: "other@acme.example" });
    expect(await query("SELECT id, email FROM users")).toEqual([
      { id: await userOf(id), email: "ada@acme.example" },
    ]);
    expect((await system.audit("user.provisioned")).slice(-1)).toMatchObject([
      { data: { known: "account" } },
    ]);
  });

  test("with the same address and another account is ambiguous", async () => {
    await signIn();
    const answer = await scim.request("POST", "/Users", { body: ada({ externalId: "somebody-else" }) });
    expect([answer.status, answer.body["scimType"]]).toEqual([409, "uniqueness"]);
    expect(await query("SELECT FROM provisioned_users")).toEqual([]);
  });

  test("is ended, when created as inactive", async () => {
    const { refresh_token: refreshToken } = (await signIn()) ?? {};
    await create({ active: false });
    expect(await refreshed(refreshToken)).toBe("invalid_grant");
  });
});

describe("groups by SCIM", () => {
  let groupProviderId: string;
  const writers = (members: readonly string[]) => ({
    schemas: [groupSchema],
    displayName: "Writers",
    members: members.map((value) => ({ value })),
  });
  const issued = async (token: string | undefined) => {
    const parameters = { ...exchangeForm(token, system.resource), client_id: "authz-cli" };
    const { status, body } = await device.token(parameters);
    return status === 200 ? body["scope"] : body["error"];
  };
  beforeAll(async () => {
    const { store } = system.server.context;
    groupProviderId = randomUUID();
    await store.groupProviders.save(
      {
        type: "scim",
        id: groupProviderId,
        key: "acme-groups",
        name: "Acme",
        enabled: true,
        identityProviderId: scim.providerId,
      },
      new Date(),
    );
    const group = { providerId: groupProviderId, key: "Writers" };
    await store.assignments.insertMissing({ id: randomUUID(), group, scope: "contracts:write" }, new Date());
  });

  test.each([
    {
      name: "a member who is removed",
      end: (group: string, member: string) =>
        scim.request("PATCH", `/Groups/${group}`, {
          body: patchOf({ op: "remove", path: `members[value eq "${member}"]` }),
        }),
    },
    {
      name: "a group that is deleted",
      end: (group: string) => scim.request("DELETE", `/Groups/${group}`),
    },
    {
      name: "a group that is replaced by one without members",
      end: (group: string) => scim.request("PUT", `/Groups/${group}`, { body: writers([]) }),
    },
    {
      name: "a group with another name",
      end: (group: string) =>
        scim.request("PATCH", `/Groups/${group}`, {
          body: patchOf({ op: "replace", path: "displayName", value: "Readers" }),
        }),
    },
  ])("$name: the next issuance is without the permission", async ({ end }) => {
    const member = await create();
    const { refresh_token: refreshToken } = (await signIn()) ?? {};
    expect(await issued(refreshToken)).toBe("contracts:read");
    const { body } = await scim.request("POST", "/Groups", { body: writers([member]) });
    const all = String(await issued(refreshToken))
      .split(" ")
      .toSorted();
    expect(all).toEqual(["contracts:read", "contracts:write"]);
    expect((await end(String(body["id"]), member)).status).toBeLessThan(300);
    expect(await issued(refreshToken)).toBe("contracts:read");
  });

  test("do not expire", async () => {
    const member = await create();
    const { refresh_token: refreshToken } = (await signIn()) ?? {};
    await scim.request("POST", "/Groups", { body: writers([member]) });
    expect(await query("SELECT groups, expires_at::text AS until FROM user_groups")).toEqual([
      { groups: ["Writers"], until: "infinity" },
    ]);
    expect(String(await issued(refreshToken))).toContain("contracts:write");
  });

  test("a sign-in does not touch them", async () => {
    const member = await create();
    await scim.request("POST", "/Groups", { body: writers([member]) });
    const { refresh_token: refreshToken } = (await signIn()) ?? {};
    expect(String(await issued(refreshToken))).toContain("contracts:write");
  });

  test("a name that has permissions is not taken by renaming another group", async () => {
    const { body } = await scim.request("POST", "/Groups", {
      body: { schemas: [groupSchema], displayName: "Nobodies" },
    });
    const rename = patchOf({ op: "replace", path: "displayName", value: "Writers" });
    const answer = await scim.request("PATCH", `/Groups/${String(body["id"])}`, { body: rename });
    expect([answer.status, answer.body["scimType"]]).toEqual([409, "uniqueness"]);
  });
});
