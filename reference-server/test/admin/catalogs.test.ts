import { randomUUID } from "node:crypto";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { skillDigest } from "@authz/skills";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AdminServer, createAdminServer } from "../support/admin.js";
import { resourceRecord } from "../support/records.js";

const skill = {
  id: "list",
  title: "List contracts",
  requiredScopes: ["contracts:read"],
  visibility: "DEFAULT",
  content: "# List",
};

let server: AdminServer;
let service: Server;
let answer: RequestListener;
let origin: string;

beforeAll(async () => {
  server = await createAdminServer();
  service = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  for (const [key, authorizationServer, skillDiscovery] of [
    ["archive", "https://archive.acme.example", true],
    ["contracts", origin, true],
    ["silent", "https://silent.acme.example", false],
  ] as const) {
    await server.context.store.resources.save(
      resourceRecord({ id: randomUUID(), key, name: `The ${key}`, authorizationServer, skillDiscovery }),
      new Date(server.clock()),
    );
  }
});
afterAll(async () => {
  service.closeAllConnections();
  service.close();
  await server.close();
});

const keys = async (query: string) =>
  ((await server.request("GET", `/catalogs${query}`)).body["items"] as { resourceKey: string }[]).map(
    ({ resourceKey }) => resourceKey,
  );

test("every resource that publishes skills has a catalog, before it was ever fetched", async () => {
  expect(await keys("")).toEqual(["archive", "contracts"]);
  expect((await server.request("GET", "/catalogs/contracts")).body).toEqual({
    resourceKey: "contracts",
    resourceName: "The contracts",
    url: `${origin}/.well-known/skills`,
    state: "pending",
    error: null,
    skills: null,
    fetchedAt: null,
    attemptedAt: null,
    nextAttemptAt: null,
    items: [],
  });
});

test("fetching now waits for the service, and leaves a good copy", async () => {
  answer = (_request, response) => response.end(JSON.stringify({ skills: [skill] }));
  const { status, body } = await server.request("POST", "/catalogs/contracts/refreshes");
  expect(status).toBe(200);
  expect(body).toMatchObject({
    state: "fresh",
    error: null,
    skills: 1,
    items: [{ publishedId: "contracts.list", title: "List contracts", content: "# List" }],
    nextAttemptAt: "2026-11-20T12:05:00.000Z",
  });
  expect((await server.audit("catalog.refreshed"))[0]?.data).toEqual({
    resource: "contracts",
    skills: 1,
    failure: null,
  });
});

test("the files of a skill are named, not shown, and one that is not what it should be is a reason to keep the old copy", async () => {
  const text = "# Errors";
  const file = { path: "references/errors.md", size: 8, digest: skillDigest(text) };
  const serve =
    (given: string): RequestListener =>
    (request, response) =>
      response.end(
        request.url === "/.well-known/skills"
          ? JSON.stringify({ skills: [{ ...skill, files: [file] }] })
          : given,
      );
  answer = serve(text);
  const taken = await server.request("POST", "/catalogs/contracts/refreshes");
  expect(taken.body).toMatchObject({
    state: "fresh",
    items: [{ publishedId: "contracts.list", files: [file] }],
  });
  expect(JSON.stringify(taken.body)).not.toContain(text);

  answer = (_request, response) =>
    response.end(JSON.stringify({ skills: [{ ...skill, files: [{ ...file, path: "../errors.md" }] }] }));
  const refused = await server.request("POST", "/catalogs/contracts/refreshes");
  expect(refused.body).toMatchObject({ state: "stale", items: [{ files: [file] }] });
  expect(refused.body["error"]).toContain("skills[0].files[0].path must be a relative path");

  answer = (_request, response) => response.end(JSON.stringify({ skills: [skill] }));
  await server.request("POST", "/catalogs/contracts/refreshes");
});

test("a service that is away is said to be, with the last good copy", async () => {
  answer = (_request, response) => void response.writeHead(503).end();
  const { body } = await server.request("POST", "/catalogs/contracts/refreshes");
  expect(body).toMatchObject({ state: "stale", skills: 1, error: expect.stringContaining("503") as string });
  expect(await keys("?state=stale&state=failed")).toEqual(["contracts"]);
  expect(await keys("?state=pending")).toEqual(["archive"]);
  expect(await keys("?q=ARCH")).toEqual(["archive"]);
  expect(await keys("?sort=-attemptedAt")).toEqual(["contracts", "archive"]);
});

test("a catalog is fetched once at a time", async () => {
  let finish: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    answer = (_request, response) => {
      finish = () => void response.end(JSON.stringify({ skills: [] }));
      resolve();
    };
  });
  const first = server.request("POST", "/catalogs/contracts/refreshes");
  await asked;
  const second = await server.request("POST", "/catalogs/contracts/refreshes");
  expect([second.status, second.body["error"]]).toEqual([409, "in_use"]);
  finish();
  expect((await first).body).toMatchObject({ state: "fresh", skills: 0 });
});

test.each(["silent", "nobody"])("%s has no catalog", async (key) => {
  expect((await server.request("GET", `/catalogs/${key}`)).status).toBe(404);
  expect((await server.request("POST", `/catalogs/${key}/refreshes`)).status).toBe(404);
});
