import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AdminServer, createAdminServer } from "../support/admin.js";

let server: AdminServer;
beforeAll(async () => void (server = await createAdminServer()));
afterAll(() => server.close());

async function create(key: string, description = `May ${key}`) {
  return await server.request("POST", "/scopes", { body: { key, description } });
}

describe("a scope", () => {
  test("of the server itself stays as it is", async () => {
    const { body } = await server.request("GET", "/scopes/authz:login");
    const version = body["version"] as number;
    const changed = await server.request("PATCH", "/scopes/authz:login", {
      body: { description: "x" },
      version,
    });
    const removed = await server.request("DELETE", "/scopes/authz:login", { version });
    expect([changed.status, removed.status]).toEqual([409, 409]);
  });

  test("in use is not removed, and the answer says what uses it", async () => {
    await create("used:read");
    await server.request("POST", "/assignments", { body: { email: "Bea@acme.example", scope: "used:read" } });
    await server.request("POST", "/resources", {
      body: {
        key: "used",
        name: "Used",
        resource: "https://used.example/api",
        authorizationServer: "https://used.example",
        clientId: "authz-cli",
        requestPrefixes: ["https://used.example/api"],
        supportedScopes: ["used:read"],
      },
    });
    const { status, body } = await server.request("DELETE", "/scopes/used:read", { version: 1 });
    expect([status, body["error"]]).toEqual([409, "in_use"]);
    expect(body["error_description"]).toBe(
      '"used:read" is in use by 1 assignment, the service used. Remove it there first.',
    );
  });
});

describe("the list", () => {
  test("is cut into pages that hold still while scopes are created", async () => {
    for (const letter of ["a", "b", "c", "d"]) await create(`page-${letter}:read`);
    const first = await server.request("GET", "/scopes?q=page&limit=2");
    expect(keysOf(first.body)).toEqual(["page-a:read", "page-b:read"]);
    await create("page-aa:read");
    const second = await server.request(
      "GET",
      `/scopes?q=page&limit=2&cursor=${String(first.body["nextCursor"])}`,
    );
    expect(keysOf(second.body)).toEqual(["page-c:read", "page-d:read"]);
    expect(second.body["nextCursor"]).toBeNull();
  });

  test("is sorted in both directions", async () => {
    const { body } = await server.request("GET", "/scopes?sort=-key&limit=200");
    const keys = keysOf(body);
    expect(keys).toEqual([...keys].sort((one, other) => (one < other ? 1 : -1)));
  });

  test("finds words by their beginning, in the key and in the description", async () => {
    await create("needle:read", "Find the HAY stack");
    expect(keysOf((await server.request("GET", "/scopes?q=need")).body)).toEqual(["needle:read"]);
    expect(keysOf((await server.request("GET", "/scopes?q=hay%20find")).body)).toEqual(["needle:read"]);
    expect(keysOf((await server.request("GET", "/scopes?q=%27%3A%2A%20%25&system=true")).body)).toEqual([
      "authz:administer",
      "authz:agents",
      "authz:audit",
      "authz:login",
      "authz:support",
    ]);
  });

  test.each([
    { name: "an unknown member", query: "colour=red", path: "colour" },
    { name: "a limit of none", query: "limit=0", path: "limit" },
    { name: "a limit that is too high", query: "limit=201", path: "limit" },
    { name: "a limit that is no number", query: "limit=many", path: "limit" },
    { name: "an unknown order", query: "sort=colour", path: "sort" },
    { name: "a cursor of nobody", query: "cursor=abc", path: "cursor" },
    { name: "a cursor of another order", query: `cursor=${cursor("-key", "a", "a")}`, path: "cursor" },
    {
      name: "a cursor that is no time",
      query: `sort=createdAt&cursor=${cursor("createdAt", "x", "a")}`,
      path: "cursor",
    },
    { name: "two limits", query: "limit=1&limit=2", path: "limit" },
  ])("refuses $name", async ({ query, path }) => {
    const { status, body } = await server.request("GET", `/scopes?${query}`);
    expect([status, body["error"]]).toEqual([400, "invalid_request"]);
    expect(body["fields"]).toEqual([{ path, message: expect.any(String) }]);
  });
});

function cursor(...parts: string[]): string {
  return Buffer.from(JSON.stringify(parts)).toString("base64url");
}

function keysOf(body: Record<string, unknown>): string[] {
  return (body["items"] as { key: string }[]).map(({ key }) => key);
}
