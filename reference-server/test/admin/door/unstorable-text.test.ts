import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AdminServer, createAdminServer } from "../../support/admin.js";

let server: AdminServer;

beforeAll(async () => {
  server = await createAdminServer();
});
afterAll(() => server.close());

const addresses = [
  "/scopes?q=a%00",
  "/resources?q=a%00",
  "/assignments?q=a%00",
  "/assignments?group=acme:%00",
  "/users?q=a%00",
  "/groups?q=a%00",
  "/groups?provider=%00",
  "/group-providers?q=a%00",
  "/identity-providers?q=a%00",
  "/clients?q=a%00",
  "/sessions?q=a%00",
  "/sessions?provider=%00",
  "/grants?q=a%00",
  "/grants?client=%00",
  "/skills?q=a%00",
  "/skills/a%00",
  "/skills/a%00/audience",
  "/catalogs?q=a%00",
  "/catalogs/a%00",
  "/audit-events?q=a%00",
  "/audit-events?type=%00",
  "/audit-events?type=a&type=%00",
  "/audit-events?actor=a%00",
  "/audit-events?actor=a%00@acme.example",
  "/audit-events?subject=a%00",
  "/audit-events?client=a%00",
  "/audit-events/export?format=csv&client=a%00",
];

const provider = { key: "x", name: "x", clientId: "x", clientSecret: "x", scopes: ["openid"] };
const skill = { id: "x", title: "x", requiredScopes: [], content: "x" };

const writes: readonly {
  readonly method: string;
  readonly path: string;
  readonly body: (text: string) => unknown;
}[] = [
  { method: "POST", path: "/scopes", body: (description) => ({ key: "a:b", description }) },
  { method: "PATCH", path: "/settings", body: (installationName) => ({ installationName }) },
  { method: "PATCH", path: "/settings", body: (instructions) => ({ instructions }) },
  {
    method: "POST",
    path: "/identity-providers",
    body: (name) => ({ ...provider, name, issuer: "https://x.example" }),
  },
  {
    method: "POST",
    path: "/identity-providers",
    body: (text) => ({ ...provider, issuer: `https://x.example/${text}` }),
  },
  {
    method: "POST",
    path: "/group-providers",
    body: (name) => ({ type: "directory", key: "x", name, url: "https://x.example", secret: "x" }),
  },
  { method: "POST", path: "/clients", body: (name) => ({ type: "public", id: "x", name, redirectUris: [] }) },
  { method: "POST", path: "/skills", body: (title) => ({ ...skill, title }) },
  { method: "POST", path: "/skills", body: (content) => ({ ...skill, content }) },
  { method: "POST", path: "/skills", body: (scope) => ({ ...skill, requiredScopes: [scope] }) },
  { method: "POST", path: "/signing-keys/a%00/activations", body: () => ({}) },
  {
    method: "POST",
    path: "/assignments/bulk",
    body: (key) => ({ create: [{ group: { provider: "acme", key }, scope: "authz:login" }] }),
  },
];

const texts = [
  { name: "a NUL", text: "a\0b" },
  { name: "half of a character", text: "a\ud800b" },
];

describe("text that the database has no place for", () => {
  test.each(addresses)("is refused where it is looked for: GET %s", async (path) => {
    const { status, body } = await server.request("GET", path);
    expect([status, body["error"]]).toEqual([400, "invalid_request"]);
  });

  test.each(writes.flatMap((write) => texts.map((text) => ({ ...write, ...text }))))(
    "is refused where it is to be stored: $method $path with $name",
    async ({ method, path, body, text }) => {
      const answer = await server.request(method, path, { body: body(text), version: 1 });
      expect([answer.status, answer.body["error"]]).toEqual([400, "invalid_request"]);
    },
  );
});
