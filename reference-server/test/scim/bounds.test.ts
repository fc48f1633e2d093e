import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  groupSchema,
  patchOf,
  type ScimClient,
  type ScimServer,
  startScimServer,
  userSchema,
} from "./scim-client.js";

let server: ScimServer;
let acme: ScimClient;
let partner: ScimClient;
beforeAll(async () => {
  server = await startScimServer();
  [acme, partner] = await Promise.all([
    server.addProvider({ key: "one" }),
    server.addProvider({ key: "two" }),
  ]);
});
afterAll(() => server.close());

const user = (name: string, change: object = {}) => ({
  schemas: [userSchema],
  userName: name,
  externalId: name,
  emails: [{ value: `${name}@acme.example`, primary: true }],
  ...change,
});
const statusesOf = (answers: readonly { readonly status: number }[]) =>
  answers.map(({ status }) => status).toSorted((one, other) => one - other);
const create = async (client: ScimClient, kind: "Users" | "Groups", body: object) =>
  (await client.request("POST", `/${kind}`, { body })).body as { readonly id: string };

describe("one provider and another", () => {
  let id: string;
  let group: string;
  beforeAll(async () => {
    ({ id } = await create(acme, "Users", user("hedy")));
    ({ id: group } = await create(acme, "Groups", { schemas: [groupSchema], displayName: "Hedys" }));
  });

  test.each([
    { name: "reads a person", send: () => ["GET", `/Users/${id}`] },
    { name: "replaces a person", send: () => ["PUT", `/Users/${id}`, user("hedy", { active: false })] },
    {
      name: "deactivates a person",
      send: () => ["PATCH", `/Users/${id}`, patchOf({ op: "replace", path: "active", value: false })],
    },
    { name: "removes a person", send: () => ["DELETE", `/Users/${id}`] },
    { name: "reads a group", send: () => ["GET", `/Groups/${group}`] },
    {
      name: "renames a group",
      send: () => ["PATCH", `/Groups/${group}`, patchOf({ op: "replace", path: "displayName", value: "x" })],
    },
    { name: "removes a group", send: () => ["DELETE", `/Groups/${group}`] },
  ] as readonly { name: string; send: () => readonly [string, string, object?] }[])(
    "neither $name",
    async ({ send }) => {
      const [method, path, body] = send();
      const answer = await partner.request(method, path, body === undefined ? {} : { body });
      expect(answer.status).toBe(404);
      expect(await server.person(id)).toMatchObject({ active: true, enabled: true });
      expect((await acme.request("GET", `/Groups/${group}`)).body).toMatchObject({ displayName: "Hedys" });
    },
  );

  test("nor finds them in a list", async () => {
    for (const path of [
      "/Users",
      "/Groups",
      `/Users?filter=id eq "${id}"`,
      '/Users?filter=userName eq "hedy"',
    ]) {
      const answer = await partner.request("GET", path.replaceAll(" ", "%20"));
      expect(answer.body).toMatchObject({ totalResults: 0, Resources: [] });
    }
  });

  test("nor takes them into a group", async () => {
    const own = await create(partner, "Groups", { schemas: [groupSchema], displayName: "Hedys" });
    const body = patchOf({ op: "add", path: "members", value: [{ value: id }] });
    const answer = await partner.request("PATCH", `/Groups/${own.id}`, { body });
    expect([answer.status, answer.body["scimType"]]).toEqual([400, "invalidValue"]);
  });

  test("names may be the same", async () => {
    const other = await create(partner, "Users", user("hedy", { emails: [] }));
    expect(await server.person(other.id)).toMatchObject({ active: true });
  });

  test("a credential that is removed opens nothing any more", async () => {
    const path = "/identity-providers/two/provisioning";
    const second = await server.request("POST", `${path}/credentials`);
    expect(second.status).toBe(201);
    const third = await server.request("POST", `${path}/credentials`);
    expect([third.status, third.body["error"]]).toEqual([400, "invalid_request"]);
    const secret = String(second.body["secret"]);
    for (const each of [secret, partner.secret]) {
      expect((await partner.request("GET", "/Users", { secret: each })).status).toBe(200);
    }
    const listed = (await server.request("GET", path)).body["credentials"] as readonly { id: string }[];
    const first = listed.find((credential) => credential.id !== second.body["id"]);
    expect((await server.request("DELETE", `${path}/credentials/${first?.id}`)).status).toBe(204);
    expect((await partner.request("GET", "/Users")).status).toBe(401);
    expect((await partner.request("GET", "/Users", { secret })).status).toBe(200);
    expect((await server.request("DELETE", `${path}/credentials/${first?.id}`)).status).toBe(404);
    const shown = await server.request("GET", path);
    expect(shown.text).not.toContain(secret);
    expect(JSON.stringify(await server.audit())).not.toContain(secret);
    const hashes = await server.database.query(
      "SELECT secret_hash::text AS hash FROM provisioning_credentials",
    );
    expect(JSON.stringify(hashes)).not.toContain(secret);
  });

  test("a credential is not removed below another provider", async () => {
    const [credential] = (await server.request("GET", "/identity-providers/one/provisioning")).body[
      "credentials"
    ] as readonly { id: string }[];
    const path = `/identity-providers/two/provisioning/credentials/${credential?.id}`;
    expect((await server.request("DELETE", path)).status).toBe(404);
    expect((await acme.request("GET", "/Users")).status).toBe(200);
  });
});

describe("two requests at once", () => {
  const versions = async (path: string) => (await acme.request("GET", path)).headers.get("etag") ?? "";

  test.each(["Users", "Groups"] as const)(
    "of %s with the same version: one wins, the other gets 412",
    async (kind) => {
      const body =
        kind === "Users" ? user(`race-${kind}`) : { schemas: [groupSchema], displayName: `race-${kind}` };
      const { id } = await create(acme, kind, body);
      const path = `/${kind}/${id}`;
      for (const round of [1, 2, 3]) {
        const headers = { "if-match": await versions(path) };
        const answers = await Promise.all(
          ["a", "b", "c", "d"].map((name) =>
            acme.request("PATCH", path, {
              headers,
              body: patchOf({ op: "replace", path: "displayName", value: `${name}${round}` }),
            }),
          ),
        );
        const statuses = statusesOf(answers);
        expect(statuses).toEqual([kind === "Users" ? 200 : 204, 412, 412, 412]);
      }
      expect(await versions(path)).toBe('W/"4"');
    },
  );

  test("of a removal and a change with the same version: one of them", async () => {
    const { id } = await create(acme, "Users", user("race-removal"));
    const headers = { "if-match": await versions(`/Users/${id}`) };
    const [removed, changed] = await Promise.all([
      acme.request("DELETE", `/Users/${id}`, { headers }),
      acme.request("PATCH", `/Users/${id}`, {
        headers,
        body: patchOf({ op: "replace", path: "displayName", value: "x" }),
      }),
    ]);
    expect([
      [204, 404],
      [412, 200],
    ]).toContainEqual([removed.status, changed.status]);
  });

  test("that create the same person: one person", async () => {
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => acme.request("POST", "/Users", { body: user("race-creation") })),
    );
    expect(statusesOf(answers)).toEqual([201, 409, 409, 409, 409, 409]);
    const rows = await server.database.query("SELECT FROM users WHERE email = 'race-creation@acme.example'");
    expect(rows.length).toBe(1);
  });

  test("that create credentials: two at most", async () => {
    const path = "/identity-providers/one/provisioning/credentials";
    const answers = await Promise.all(Array.from({ length: 5 }, () => server.request("POST", path)));
    expect(answers.filter(({ status }) => status === 201).length).toBe(1);
  });

  test("that change groups with the same people wait for each other", async () => {
    const people = await Promise.all(
      Array.from({ length: 5 }, (_, index) => create(acme, "Users", user(`member-${index}`))),
    );
    const teams = await Promise.all(
      ["a", "b", "c"].map((name) =>
        create(acme, "Groups", { schemas: [groupSchema], displayName: `members-${name}` }),
      ),
    );
    const value = people.map(({ id }) => ({ value: id }));
    const bodies = [value, value.toReversed()].map((members) =>
      patchOf({ op: "replace", path: "members", value: members }),
    );
    const answers = await Promise.all(
      teams.flatMap(({ id }) => bodies.map((body) => acme.request("PATCH", `/Groups/${id}`, { body }))),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]));
  });
});

describe("versions", () => {
  test("a person who has not changed is answered with 304", async () => {
    const { id } = await create(acme, "Users", user("etag"));
    const { headers } = await acme.request("GET", `/Users/${id}`);
    const etag = headers.get("etag") ?? "";
    expect(etag).toBe('W/"1"');
    const again = await acme.request("GET", `/Users/${id}`, { headers: { "if-none-match": etag } });
    expect([again.status, again.body]).toEqual([304, {}]);
    const same = patchOf({ op: "replace", path: "active", value: "True" });
    const unchanged = await acme.request("PATCH", `/Users/${id}`, { body: same });
    expect(unchanged.headers.get("etag")).toBe('W/"1"');
  });
});

describe("lists", () => {
  let scim: ScimClient;
  beforeAll(async () => {
    scim = await server.addProvider({ key: "large" });
    await server.database.query(
      `WITH people AS (
        INSERT INTO users (id) SELECT gen_random_uuid() FROM generate_series(1, 450) RETURNING id
      ) INSERT INTO provisioned_users (id, provider_id, user_id, user_name, active)
      SELECT gen_random_uuid(), $1, id, 'user-' || id, true FROM people`,
      [scim.providerId],
    );
  });

  test.each([
    { query: "", startIndex: 1, itemsPerPage: 100 },
    { query: "?count=1000", startIndex: 1, itemsPerPage: 200 },
    { query: "?count=0", startIndex: 1, itemsPerPage: 0 },
    { query: "?count=-5", startIndex: 1, itemsPerPage: 0 },
    { query: "?startIndex=0&count=2", startIndex: 1, itemsPerPage: 2 },
    { query: "?startIndex=-9&count=2", startIndex: 1, itemsPerPage: 2 },
    { query: "?startIndex=449&count=10", startIndex: 449, itemsPerPage: 2 },
    { query: "?startIndex=999999999&count=10", startIndex: 10_000_000, itemsPerPage: 0 },
  ])("$query", async ({ query, startIndex, itemsPerPage }) => {
    const { status, body } = await scim.request("GET", `/Users${query}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ totalResults: 450, startIndex, itemsPerPage });
    expect(body["Resources"]).toHaveLength(itemsPerPage);
  });

  test("show each person once, over all pages", async () => {
    const ids = new Set<unknown>();
    for (let startIndex = 1; startIndex <= 450; startIndex += 90) {
      const { body } = await scim.request("GET", `/Users?startIndex=${startIndex}&count=90&attributes=id`);
      for (const { id } of body["Resources"] as readonly { id: string }[]) ids.add(id);
    }
    expect(ids.size).toBe(450);
  });

  test("a group takes ten thousand members in one request", async () => {
    await server.database.query(
      `WITH people AS (
        INSERT INTO users (id) SELECT gen_random_uuid() FROM generate_series(1, 9550) RETURNING id
      ) INSERT INTO provisioned_users (id, provider_id, user_id, user_name, active)
      SELECT gen_random_uuid(), $1, id, 'user-' || id, true FROM people`,
      [scim.providerId],
    );
    const rows = await server.database.query<{ id: string }>(
      "SELECT id FROM provisioned_users WHERE provider_id = $1",
      [scim.providerId],
    );
    const members = rows.map(({ id }) => ({
      value: id,
      $ref: `https://authz.acme.example/scim/v2/Users/${id}`,
    }));
    const body = { schemas: [groupSchema], displayName: "Everyone", members };
    const created = await scim.request("POST", "/Groups?excludedAttributes=members", { body });
    expect([created.status, created.body["members"]]).toEqual([201, undefined]);
    const [count] = await server.database.query<{ count: number }>(
      "SELECT count(*)::integer AS count FROM provisioned_members WHERE group_id::text = $1",
      [created.body["id"]],
    );
    expect(count?.count).toBe(10_000);
  });
});

describe("what is shown", () => {
  const one = async (query: string) => {
    const { body } = await acme.request("GET", `/Users?filter=userName%20eq%20%22hedy%22&${query}`);
    const [first] = body["Resources"] as readonly Record<string, unknown>[];
    return Object.keys(first ?? {}).toSorted();
  };
  test.each([
    { query: "attributes=userName", keys: ["id", "schemas", "userName"] },
    {
      query: `attributes=${userSchema}:userName,emails.value`,
      keys: ["emails", "id", "schemas", "userName"],
    },
    { query: "attributes=unknown", keys: ["id", "schemas"] },
    {
      query: "excludedAttributes=emails,meta,id",
      keys: ["active", "externalId", "id", "schemas", "userName"],
    },
  ])("$query", async ({ query, keys }) => {
    expect(await one(query)).toEqual(keys);
  });
});

test("requests of one provider are limited, and say when to go on", async () => {
  const limited = await startScimServer({ AUTHZ_RATE_LIMITS: "scim.provider=3" });
  try {
    const client = await limited.addProvider({ key: "busy" });
    const other = await limited.addProvider({ key: "quiet" });
    const statuses = [];
    for (let index = 0; index < 4; index += 1) statuses.push((await client.request("GET", "/Users")).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    const refused = await client.request("GET", "/Users");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await other.request("GET", "/Users")).status).toBe(200);
  } finally {
    await limited.close();
  }
});
