import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAdminServer } from "../../support/admin.js";
import { type DescribedRoute, describeRoutes, plausibleRequest } from "../../support/admin-routes.js";
import { type OauthServer, startOauthServer } from "../../support/oauth-server.js";
import { RawDevice } from "../../support/raw-device.js";
import { RegisteredClient } from "../../support/registered-client.js";
import { accessTable } from "./access-table.js";

const documented = await createAdminServer();
const { routes } = await describeRoutes(documented);
await documented.close();

let system: OauthServer;
let device: RawDevice;
beforeAll(async () => {
  system = await startOauthServer();
  device = await RawDevice.create(system.issuer);
});
afterAll(() => system.close());

async function tokenOf(client: RegisteredClient, scope?: string) {
  const { body } = await device.token({
    grant_type: "client_credentials",
    resource: `${system.issuer}/api`,
    ...(scope !== undefined && { scope }),
    ...client.credentials(),
  });
  return body;
}

const register = (scopes: readonly string[]) =>
  RegisteredClient.register(system, { type: "machine", name: "Watcher" }, scopes);

async function send(route: Pick<DescribedRoute, "method"> & Partial<DescribedRoute>, accessToken: string) {
  const { path, options } = plausibleRequest(route as DescribedRoute);
  const url = `${system.issuer}/api/admin/v1${path}`;
  const { method } = route;
  const { body, version, headers } = options;
  const json = body !== undefined && typeof body !== "string";
  const answer = await fetch(url, {
    method,
    headers: {
      authorization: `DPoP ${accessToken}`,
      dpop: device.signer.sign({ method, url, accessToken }),
      ...(json && { "content-type": "application/json" }),
      ...(version !== undefined && { "if-match": `"${version}"` }),
      ...(headers as Record<string, string>),
    },
    ...(body !== undefined && { body: json ? JSON.stringify(body) : body }),
  });
  const text = await answer.text();
  const isJson = answer.headers.get("content-type")?.startsWith("application/json") === true;
  return { status: answer.status, body: (isJson ? JSON.parse(text) : {}) as Record<string, unknown> };
}

describe.each([
  { role: "auditor", scope: "authz:audit" },
  { role: "support", scope: "authz:support" },
])("a machine with $scope", ({ role, scope }) => {
  test("reaches exactly the routes of its role, without those for browsers", async () => {
    const token = (await tokenOf(await register([scope])))["access_token"] ?? "";
    const wrong: unknown[] = [];
    const forBrowsers: string[] = [];
    for (const route of routes) {
      const { status, body } = await send(route, token);
      const isRefused = body["error"] === "forbidden";
      if (body["error"] === "access_denied") forBrowsers.push(route.title);
      const isOpen = accessTable[route.title]?.split(" ").includes(role) === true;
      if (isRefused === isOpen || [401, 429, 500].includes(status)) wrong.push([route.title, status, body]);
    }
    expect(wrong).toEqual([]);
    expect(forBrowsers).toEqual(["GET /session", "GET /views", "PUT /views", "DELETE /views/{id}"]);
  });

  test("gets no other scope, asked for or not", async () => {
    const client = await register([scope]);
    expect((await tokenOf(client))["scope"]).toBe(scope);
    expect(await tokenOf(client, "authz:administer")).toMatchObject({ error: "invalid_scope" });
    expect(await tokenOf(client, `${scope} authz:administer`)).not.toMatchObject({
      scope: expect.stringContaining("administer") as string,
    });
  });
});

test("a machine that loses a scope of two loses its role, and keeps the other", async () => {
  const { store } = system.server.context;
  const client = await register(["authz:audit", "authz:support"]);
  const token = (await tokenOf(client))["access_token"] ?? "";
  const settings = { method: "GET", path: "/settings" };
  const people = { method: "GET", path: "/sessions/ids" };
  expect([(await send(settings, token)).status, (await send(people, token)).status]).toEqual([200, 200]);
  await store.clients.saveMachineScopes(client.id, ["authz:support"]);
  expect([(await send(settings, token)).status, (await send(people, token)).status]).toEqual([403, 200]);
});

test("a machine is no owner, whatever its scopes", async () => {
  const client = await register(["authz:audit", "authz:support"]);
  const token = (await tokenOf(client))["access_token"] ?? "";
  const answer = await send({ method: "POST", path: "/assignments" }, token);
  expect([answer.status, answer.body["error"]]).toEqual([403, "forbidden"]);
});
