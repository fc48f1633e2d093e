import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { randomUUID } from "node:crypto";
import { decodeProtectedHeader, importJWK, jwtVerify } from "jose";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { ServerContext } from "../../src/context.js";
import { createOutboundClient } from "../../src/platform/outbound/outbound-fetch.js";
import { catalogState } from "../../src/skills/catalog-state.js";
import { refreshCatalogs, refreshSeconds, retrySeconds } from "../../src/skills/refresh-catalogs.js";
import { listVisibleSkills } from "../../src/skills/visible-skills.js";
import { createTestServer, type TestServer } from "../support/server.js";
import { resourceRecord } from "../support/records.js";

const skill = {
  id: "list-contracts",
  title: "List contracts",
  requiredScopes: ["contracts:read"],
  visibility: "DEFAULT",
  content: "Run `authz request`.",
};

const nobody = {
  user: { id: randomUUID(), email: null, name: null, enabled: true, pausedAt: null },
  assignments: [],
  undecided: [],
};

let server: TestServer;
let context: ServerContext;
let service: Server;
let authorizationServer: string;
let answer: RequestListener;
let asked = 0;
const resourceId = randomUUID();

beforeAll(async () => {
  server = await createTestServer();
  context = server.context;
  service = createServer((request, response) => {
    asked += 1;
    answer(request, response);
  });
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  authorizationServer = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  await context.store.resources.save(
    resourceRecord({ id: resourceId, authorizationServer, skillDiscovery: true }),
    now(),
  );
});
afterEach(() => {
  asked = 0;
  // Whatever a test did, the next one finds the catalog due.
  server.clock.advance(24 * 3600);
});
afterAll(async () => {
  service.closeAllConnections();
  service.close();
  await server.close();
});

function now(): Date {
  return new Date(server.clock());
}

function json(value: unknown): RequestListener {
  return (_request, response) =>
    response.setHeader("content-type", "application/json").end(JSON.stringify(value));
}

async function refresh(options: Partial<ServerContext> = {}): Promise<number> {
  return await refreshCatalogs({ ...context, ...options }, now());
}

async function find() {
  const catalog = await context.store.skillCatalogs.find(resourceId);
  return { catalog, state: catalogState(catalog, now()) };
}

test("a catalog that was never fetched is pending, and failed while the first fetch does not succeed", async () => {
  expect((await find()).state).toBe("pending");
  answer = (_request, response) => response.writeHead(503).end();

  await refresh();

  const { catalog, state } = await find();
  expect(state).toBe("failed");
  expect(catalog?.failure).toBe(`${authorizationServer}/.well-known/skills answered with status 503.`);
});

test("a catalog is fetched with a signed assertion that lives for a minute at most", async () => {
  const assertions: string[] = [];
  answer = (request, response) => {
    expect(request.url).toBe("/.well-known/skills");
    assertions.push(request.headers.authorization?.replace(/^Bearer /, "") ?? "");
    json({ skills: [skill] })(request, response);
  };

  expect(await refresh()).toBe(1);

  const { catalog, state } = await find();
  expect(state).toBe("fresh");
  expect(catalog?.items).toEqual([skill]);
  const [assertion = ""] = assertions;
  expect(decodeProtectedHeader(assertion)).toMatchObject({ typ: "authz-skills+jwt", alg: "ES256" });
  const key = await importJWK({ ...context.config.signingKey.publicJwk, alg: "ES256" });
  const { issuer } = context.config;
  const { payload } = await jwtVerify(assertion, key, {
    issuer,
    audience: authorizationServer,
    currentDate: now(),
  });
  expect(payload).toMatchObject({ sub: issuer, jti: expect.any(String) as string });
  expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBeLessThanOrEqual(60);
});

describe("the last good copy stays, and the catalog is stale, when the service", () => {
  const large = { ...skill, content: "x".repeat(1_100_000) };
  test.each<[name: string, failure: string, change: RequestListener, timeoutSeconds?: number]>([
    ["refuses", "answered with status 401", (_request, response) => response.writeHead(401).end()],
    ["does not send JSON", "did not answer with JSON", (_request, response) => response.end("<html>")],
    ["sends JSON without skills", 'without the member "skills"', json({ items: [] })],
    [
      "sends one skill that is not valid among good ones",
      "invalid catalog: skills[1].id",
      json({ skills: [skill, { ...skill, id: "UPPER" }] }),
    ],
    [
      "asks for a scope that a shell would obey",
      "invalid catalog: skills[0].requiredScopes[0]",
      json({ skills: [{ ...skill, requiredScopes: ["contracts:read;id"] }] }),
    ],
    ["uses an id twice", "another skill already has", json({ skills: [skill, skill] })],
    ["sends more than a mebibyte", "more than 1048576 bytes", json({ skills: [large] })],
    [
      "redirects",
      "redirect",
      (_request, response) => response.writeHead(302, { location: "/elsewhere" }).end(),
    ],
    ["never answers", "did not answer within 0.2 s", () => undefined, 0.2],
    ["breaks off", "cannot be reached", (request) => request.socket.destroy()],
  ])("%s", async (_name, failure, change, timeoutSeconds = 5) => {
    answer = json({ skills: [skill] });
    await refresh();
    server.clock.advance(refreshSeconds);
    answer = change;
    const outbound = createOutboundClient({ allowInsecureLoopback: true, timeoutSeconds });

    await refresh({ outboundFetch: outbound.fetch });
    await outbound.close();

    const { catalog, state } = await find();
    expect(state).toBe("stale");
    expect(catalog?.items).toEqual([skill]);
    expect(catalog?.failure).toContain(failure);
  });
});

test("a stored copy with malformed scopes is hidden", async () => {
  const at = now();
  const shown = async (requiredScopes: readonly string[]) => {
    const items = [{ ...skill, requiredScopes, visibility: "DEFAULT" as const }];
    await context.store.skillCatalogs.saveSuccess({ resourceId, items, at, refreshAt: at });
    return (await listVisibleSkills(context.store, nobody, now())).skills.map(({ id }) => id);
  };
  expect(await shown(["contracts:read"])).toEqual(["contracts.list-contracts"]);
  expect(await shown(["contracts:read", "contracts:$(id)"])).toEqual([]);
});

test("a catalog is left alone until it is due, earlier after a failure", async () => {
  answer = json({ skills: [skill] });
  await refresh();
  server.clock.advance(refreshSeconds - 1);
  expect(await refresh()).toBe(0);
  server.clock.advance(1);
  answer = (_request, response) => response.writeHead(500).end();
  expect(await refresh()).toBe(1);
  server.clock.advance(retrySeconds);
  expect(await refresh()).toBe(1);
});

test("an outage is warned about once, and its end is reported", async () => {
  const messages = () =>
    server.log.filter(({ resource }) => resource === "contracts").map(({ level }) => level);
  answer = json({ skills: [skill] });
  await refresh();
  const before = messages().length;
  answer = (_request, response) => response.writeHead(500).end();
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    server.clock.advance(refreshSeconds);
    await refresh();
  }
  server.clock.advance(refreshSeconds);
  answer = json({ skills: [] });
  await refresh();
  expect(messages().slice(before)).toEqual([40, 30]);
});

test("of ten processes that look at the same time one fetches", async () => {
  answer = json({ skills: [skill] });
  const counts = await Promise.all(Array.from({ length: 10 }, () => refresh()));
  expect(counts.toSorted((a, b) => a - b)).toEqual([...Array.from({ length: 9 }, () => 0), 1]);
  expect(asked).toBe(1);
});

test("a copy without a new success for a quarter of an hour is stale", async () => {
  answer = json({ skills: [skill] });
  await refresh();
  server.clock.advance(15 * 60);
  expect((await find()).state).toBe("fresh");
  server.clock.advance(1);
  expect((await find()).state).toBe("stale");
});

test("a resource that is disabled or publishes no skills is not asked", async () => {
  const resource = await context.store.resources.findByKey("contracts");
  if (resource === undefined) throw new Error("the resource is missing");
  for (const change of [{ enabled: false }, { skillDiscovery: false }]) {
    await context.store.resources.save({ ...resource, ...change }, now());
    expect(await refresh()).toBe(0);
  }
  await context.store.resources.save(resource, now());
});
