import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  groupSchema,
  patchOf,
  type ScimClient,
  type ScimRequestOptions,
  type ScimServer,
  startScimServer,
  userSchema,
} from "./scim-client.js";

let server: ScimServer;
let client: ScimClient;
let id: string;
let group: string;
beforeAll(async () => {
  server = await startScimServer();
  client = await server.addProvider({ key: "acme-scim", allowedEmailDomains: ["acme.example"] });
  id = String((await client.request("POST", "/Users", { body: user() })).body["id"]);
  group = String((await client.request("POST", "/Groups", { body: team() })).body["id"]);
});
afterAll(() => server.close());

const user = (change: object = {}) => ({
  schemas: [userSchema],
  userName: "grace@acme.example",
  externalId: "g1",
  emails: [{ value: "grace@acme.example", primary: true }],
  ...change,
});
const team = (change: object = {}) => ({
  schemas: [groupSchema],
  displayName: "Team",
  externalId: "t1",
  ...change,
});
const fresh = (change: object = {}) =>
  user({ userName: "new@acme.example", externalId: "n1", emails: [], ...change });
const nested = (depth: number): string => `${"(".repeat(depth)}active eq true${")".repeat(depth)}`;
const terms = (count: number): string => Array.from({ length: count }, () => "active eq true").join(" and ");
const filterOf = (filter: string, kind = "Users") => `/${kind}?filter=${encodeURIComponent(filter)}`;

interface Refusal {
  readonly name: string;
  readonly send: () => readonly [method: string, path: string, options?: ScimRequestOptions];
  readonly status: number;
  readonly scimType?: string;
}

const bearer = (authorization: string) => ({ secret: null, headers: { authorization } });

const credentials: readonly Refusal[] = [
  { name: "without a credential", send: () => ["GET", "/Users", { secret: null }], status: 401 },
  {
    name: "with another scheme",
    send: () => ["GET", "/Users", bearer(`Basic ${client.secret}`)],
    status: 401,
  },
  {
    name: "with a part of the secret",
    send: () => ["GET", "/Users", { secret: client.secret.slice(1) }],
    status: 401,
  },
  {
    name: "with something behind the secret",
    send: () => ["GET", "/Users", { secret: `${client.secret}=` }],
    status: 401,
  },
  { name: "with an unknown secret", send: () => ["GET", "/Users", { secret: "A".repeat(43) }], status: 401 },
  {
    name: "for discovery without a credential",
    send: () => ["GET", "/Schemas", { secret: null }],
    status: 401,
  },
  {
    name: "for an unknown address without a credential",
    send: () => ["GET", "/Nothing", { secret: null }],
    status: 401,
  },
];

const bodies: readonly Refusal[] = [
  {
    name: "that is no JSON",
    send: () => ["POST", "/Users", { body: "{" }],
    status: 400,
    scimType: "invalidSyntax",
  },
  { name: "that is absent", send: () => ["POST", "/Users"], status: 400, scimType: "invalidSyntax" },
  {
    name: "that is a list",
    send: () => ["POST", "/Users", { body: [user()] }],
    status: 400,
    scimType: "invalidSyntax",
  },
  {
    name: "that names a member twice",
    send: () => [
      "POST",
      "/Users",
      { body: JSON.stringify(fresh()).replace("{", '{"active":true,"active":false,') },
    ],
    status: 400,
    scimType: "invalidSyntax",
  },
  {
    name: "that names a member twice in other case",
    send: () => ["POST", "/Users", { body: fresh({ active: false, Active: true }) }],
    status: 400,
    scimType: "invalidSyntax",
  },
  {
    name: "of a form",
    send: () => [
      "POST",
      "/Users",
      { body: "a=b", headers: { "content-type": "application/x-www-form-urlencoded" } },
    ],
    status: 415,
  },
  {
    name: "of more than 4 MiB",
    send: () => ["POST", "/Users", { body: fresh({ title: "x".repeat(4_194_304) }) }],
    status: 413,
  },
  {
    name: "nested too deep",
    send: () => ["POST", "/Users", { body: `{"a":${"[".repeat(200)}${"]".repeat(200)}}` }],
    status: 400,
    scimType: "invalidSyntax",
  },
];

const users: readonly Refusal[] = [
  { name: "without schemas", change: { schemas: undefined }, scimType: "invalidSyntax" },
  { name: "with the schema of a group", change: { schemas: [groupSchema] }, scimType: "invalidSyntax" },
  { name: "without userName", change: { userName: undefined }, scimType: "invalidValue" },
  { name: "with an empty userName", change: { userName: " " }, scimType: "invalidValue" },
  {
    name: "with a userName of 257 characters",
    change: { userName: "x".repeat(257) },
    scimType: "invalidValue",
  },
  { name: "with a control character", change: { userName: "a\u0000b" }, scimType: "invalidValue" },
  { name: "with a number as name", change: { displayName: 7 }, scimType: "invalidValue" },
  { name: "with active as a word", change: { active: "maybe" }, scimType: "invalidValue" },
  { name: "with active as a number", change: { active: 0 }, scimType: "invalidValue" },
  {
    name: "with an address that is none",
    change: { emails: [{ value: "grace" }] },
    scimType: "invalidValue",
  },
  {
    name: "with an address of another domain",
    change: { emails: [{ value: "g@evil.example" }] },
    scimType: "invalidValue",
  },
  {
    name: "with 21 addresses",
    change: { emails: Array.from({ length: 21 }, (_, index) => ({ value: `g${index}@acme.example` })) },
    scimType: "invalidValue",
  },
  {
    name: "with the userName of another",
    change: { userName: "GRACE@acme.example" },
    status: 409,
    scimType: "uniqueness",
  },
  {
    name: "with the externalId of another",
    change: { externalId: "g1" },
    status: 409,
    scimType: "uniqueness",
  },
  {
    name: "with the address of another",
    change: { emails: [{ value: "Grace@acme.example" }] },
    status: 409,
    scimType: "uniqueness",
  },
].map(({ change, status = 400, ...row }) => ({
  ...row,
  status,
  send: () => ["POST", "/Users", { body: fresh(change) }] as const,
}));

const filters: readonly Refusal[] = [
  { name: "an attribute that is unknown", filter: 'shoeSize eq "1"' },
  { name: "an operator that is unknown", filter: 'userName like "x"' },
  { name: "no value", filter: "userName eq" },
  { name: "a value without quotation marks", filter: "userName eq grace" },
  { name: "a text that does not end", filter: 'userName eq "grace' },
  { name: "single quotation marks", filter: "userName eq 'grace'" },
  { name: "a bracket that is not closed", filter: '(userName eq "x"' },
  { name: "a bracket too many", filter: 'userName eq "x")' },
  { name: "something behind it", filter: 'userName eq "x" userName' },
  { name: "SQL behind it", filter: 'userName eq "x"; DROP TABLE users' },
  { name: "a text for a boolean", filter: 'active eq "true"' },
  { name: "an order of booleans", filter: "active gt false" },
  { name: "a text that is no time", filter: 'meta.created gt "yesterday"' },
  { name: "a part of a single value", filter: 'userName[value eq "x"]' },
  { name: "a part that is unknown", filter: 'emails[color eq "x"]' },
  { name: "not without brackets", filter: 'not userName eq "x"' },
  { name: "an escape that JSON does not have", filter: String.raw`userName eq "\x41"` },
  { name: "U+0000", filter: String.raw`userName eq "\u0000"` },
  { name: "nine levels", filter: nested(9) },
  { name: "33 terms", filter: terms(33) },
  { name: "2,049 characters", filter: `userName eq "${"x".repeat(2035)}"` },
].map(({ filter, ...row }) => ({
  ...row,
  status: 400,
  scimType: "invalidFilter",
  send: () => ["GET", filterOf(filter)] as const,
}));

const queries: readonly Refusal[] = [
  { name: "count as a word", query: "count=many" },
  { name: "count twice", query: "count=1&count=2" },
  { name: "startIndex with a fraction", query: "startIndex=1.5" },
  { name: "filter twice", query: "filter=a&filter=b" },
  { name: "attributes and excludedAttributes", query: "attributes=id&excludedAttributes=emails" },
  {
    name: "51 attributes",
    query: `attributes=${Array.from({ length: 51 }, (_, index) => `a${index}`).join(",")}`,
  },
  { name: "an attribute that is no name", query: "attributes=a..b", scimType: "invalidPath" },
].map(({ query, scimType = "invalidValue", ...row }) => ({
  ...row,
  status: 400,
  scimType,
  send: () => ["GET", `/Users?${query}`] as const,
}));

const patches: readonly Refusal[] = [
  { name: "of another schema", body: { schemas: [userSchema], Operations: [] }, scimType: "invalidSyntax" },
  { name: "without operations", body: patchOf(), scimType: "invalidSyntax" },
  {
    name: "with 1,001 operations",
    body: patchOf(...Array.from({ length: 1001 }, () => ({ op: "add", path: "displayName", value: "x" }))),
    scimType: "tooMany",
  },
  {
    name: "that moves",
    body: patchOf({ op: "move", path: "displayName", value: "x" }),
    scimType: "invalidSyntax",
  },
  { name: "that removes without a path", body: patchOf({ op: "remove" }), scimType: "noTarget" },
  {
    name: "with a path that is no text",
    body: patchOf({ op: "add", path: 1, value: 1 }),
    scimType: "invalidPath",
  },
  {
    name: "of an unknown attribute",
    body: patchOf({ op: "add", path: "shoeSize", value: 1 }),
    scimType: "invalidPath",
  },
  {
    name: "of __proto__",
    body: patchOf({ op: "add", path: "__proto__.active", value: 1 }),
    scimType: "invalidPath",
  },
  {
    name: "of constructor",
    body: patchOf({ op: "add", path: "constructor", value: 1 }),
    scimType: "invalidPath",
  },
  {
    name: "of a part of a part",
    body: patchOf({ op: "add", path: "name.a.b", value: "x" }),
    scimType: "invalidPath",
  },
  {
    name: "with a filter on a single value",
    body: patchOf({ op: "add", path: 'userName[a eq "b"]', value: "x" }),
    scimType: "invalidPath",
  },
  { name: "of the id", body: patchOf({ op: "replace", path: "id", value: "x" }), scimType: "mutability" },
  {
    name: "that removes userName",
    body: patchOf({ op: "remove", path: "userName" }),
    scimType: "mutability",
  },
  { name: "that removes active", body: patchOf({ op: "remove", path: "active" }), scimType: "mutability" },
  {
    name: "that empties userName",
    body: patchOf({ op: "replace", path: "userName", value: "" }),
    scimType: "mutability",
  },
  {
    name: "without a value",
    body: patchOf({ op: "replace", path: "displayName" }),
    scimType: "invalidValue",
  },
  {
    name: "with a text as value without a path",
    body: patchOf({ op: "replace", value: "x" }),
    scimType: "invalidValue",
  },
  {
    name: "with active as a word",
    body: patchOf({ op: "replace", path: "active", value: "no" }),
    scimType: "invalidValue",
  },
  {
    name: "of a value that is not there",
    body: patchOf({ op: "replace", path: 'emails[type eq "fax"].value', value: "f@acme.example" }),
    scimType: "noTarget",
  },
  {
    name: "with a filter that orders",
    body: patchOf({ op: "remove", path: 'emails[value gt "a"]' }),
    scimType: "invalidFilter",
  },
].map(({ body, ...row }) => ({
  ...row,
  status: 400,
  send: () => ["PATCH", `/Users/${id}`, { body }] as const,
}));

const groups: readonly Refusal[] = [
  {
    name: "without a name",
    send: () => ["POST", "/Groups", { body: team({ displayName: undefined }) }],
    status: 400,
    scimType: "invalidValue",
  },
  {
    name: "with the name of another",
    send: () => ["POST", "/Groups", { body: team({ displayName: "TEAM", externalId: "t2" }) }],
    status: 409,
    scimType: "uniqueness",
  },
  {
    name: "with a member that is no id",
    send: () => [
      "POST",
      "/Groups",
      { body: team({ displayName: "T2", externalId: "t2", members: [{ value: "x" }] }) },
    ],
    status: 400,
    scimType: "invalidValue",
  },
  {
    name: "with a member that is unknown",
    send: () => [
      "PATCH",
      `/Groups/${group}`,
      {
        body: patchOf({
          op: "add",
          path: "members",
          value: [{ value: "0b2f1c3e-54a6-4c8e-9a53-6d7f8e9a0b1c" }],
        }),
      },
    ],
    status: 400,
    scimType: "invalidValue",
  },
  {
    name: "with a change of a member's part",
    send: () => [
      "PATCH",
      `/Groups/${group}`,
      { body: patchOf({ op: "replace", path: "members.value", value: id }) },
    ],
    status: 400,
    scimType: "mutability",
  },
  {
    name: "with a removal by name",
    send: () => [
      "PATCH",
      `/Groups/${group}`,
      { body: patchOf({ op: "remove", path: 'members[display eq "x"]' }) },
    ],
    status: 400,
    scimType: "invalidFilter",
  },
  {
    name: "that is unknown",
    send: () => ["GET", "/Groups/0b2f1c3e-54a6-4c8e-9a53-6d7f8e9a0b1c"],
    status: 404,
  },
];

const others: readonly Refusal[] = [
  { name: "for bulk", send: () => ["POST", "/Bulk", { body: {} }], status: 501 },
  { name: "for me", send: () => ["GET", "/Me"], status: 501 },
  { name: "with a filter for schemas", send: () => ["GET", filterOf('id eq "x"', "Schemas")], status: 403 },
  { name: "for an unknown address", send: () => ["GET", "/Devices"], status: 404 },
  { name: "for an unknown schema", send: () => ["GET", "/Schemas/urn:x"], status: 404 },
  {
    name: "with a version of another time",
    send: () => ["DELETE", `/Users/${id}`, { headers: { "if-match": 'W/"99"' } }],
    status: 412,
  },
  {
    name: "with a version that is none",
    send: () => ["DELETE", `/Users/${id}`, { headers: { "if-match": '"abc"' } }],
    status: 412,
  },
  { name: "with the method of a list", send: () => ["DELETE", "/Users"], status: 404 },
];

describe.each([
  { about: "a request", rows: credentials },
  { about: "a body", rows: bodies },
  { about: "a User", rows: users },
  { about: "a filter with", rows: filters },
  { about: "a query with", rows: queries },
  { about: "a PATCH", rows: patches },
  { about: "a Group", rows: groups },
  { about: "a request", rows: others },
])("$about", ({ rows }) => {
  test.each(rows)("$name is refused", async ({ send, status, scimType }) => {
    const before = await stored();
    const answer = await client.request(...send());
    expect([answer.status, answer.body["scimType"]]).toEqual([status, scimType]);
    expect(answer.body).toMatchObject({
      schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
      status: String(status),
      detail: expect.stringMatching(/\w.*\.$/) as unknown,
    });
    expect(answer.headers.get("content-type")).toBe("application/scim+json; charset=utf-8");
    expect(answer.headers.has("www-authenticate")).toBe(status === 401);
    expect(await stored()).toEqual(before);
  });
});

/** Everything that a provider can change. */
async function stored(): Promise<unknown> {
  return await server.database.query(`
    SELECT (SELECT jsonb_agg(p ORDER BY id) FROM provisioned_users p) AS users,
      (SELECT jsonb_agg(u ORDER BY id) FROM users u) AS people,
      (SELECT jsonb_agg(g ORDER BY id) FROM provisioned_groups g) AS groups,
      (SELECT jsonb_agg(m ORDER BY group_id, member_id) FROM provisioned_members m) AS members`);
}

test("the same requests without the mistake are answered", async () => {
  const created = await client.request("POST", "/Users", {
    body: fresh({ emails: [{ value: "n@acme.example" }] }),
  });
  expect(created.status).toBe(201);
  const one = `/Users/${String(created.body["id"])}`;
  for (const filter of [
    nested(8),
    terms(32),
    `userName eq "${"x".repeat(2034)}"`,
    String.raw`userName eq "\u0041"`,
  ]) {
    expect([filter.slice(0, 20), (await client.request("GET", filterOf(filter))).status]).toEqual([
      filter.slice(0, 20),
      200,
    ]);
  }
  const many = Array.from({ length: 1000 }, () => ({ op: "add", path: "displayName", value: "x" }));
  expect((await client.request("PATCH", one, { body: patchOf(...many) })).status).toBe(200);
  const version = (await client.request("GET", one)).headers.get("etag") ?? "";
  expect((await client.request("DELETE", one, { headers: { "if-match": version } })).status).toBe(204);
});

test("the last refusal is kept for administrators, without the query and without a secret", async () => {
  await client.request("GET", filterOf('shoeSize eq "secret"'));
  const { body, text } = await server.request("GET", "/identity-providers/acme-scim/provisioning");
  expect(body["lastRefusal"]).toMatchObject({ method: "GET", path: "/Users", status: 400 });
  expect(text).not.toContain(client.secret);
  expect(JSON.stringify(server.log)).not.toContain(client.secret);
});
