import { generateEs256KeyPair, inMemory, initAuthz } from "@authz/fastify";
import fastify, { type FastifyInstance } from "fastify";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { defaultsOf } from "../../../src/objects/object.js";
import { resourceShape } from "../../../src/objects/resource.js";
import { probeService } from "../../../src/registry/probes/probe-service.js";
import type { ServiceCheckId } from "../../../src/registry/probes/judge-service.js";
import { say } from "../../support/faults.js";
import type { Language } from "../../../src/text/texts.js";
import { type OauthServer, startOauthServer } from "../../support/oauth-server.js";
import { findFreePort } from "../../../../tools/src/network/ports.js";

type Documents = Record<string, unknown>;

let system: OauthServer;
let service: FastifyInstance;
let origin: string;
/** What the service publishes now, by path. A number is a status. */
let documents: Documents;

beforeAll(async () => {
  system = await startOauthServer();
  service = fastify();
  service.get("/*", async (request, reply) => {
    const document = documents[request.url];
    if (document === undefined) return await reply.code(404).send();
    return typeof document === "number" ? await reply.code(document).send() : document;
  });
  origin = await service.listen({ port: 0, host: "127.0.0.1" });
});
beforeEach(async () => {
  const { publicJwk } = await generateEs256KeyPair();
  documents = {
    "/.well-known/oauth-protected-resource": {
      resource: `${origin}/api`,
      authorization_servers: ["https://auth.example", origin],
      scopes_supported: ["contracts:read"],
      token_status_list_supported: true,
      resource_name: "Verträge & more",
    },
    "/.well-known/oauth-authorization-server": {
      issuer: origin,
      token_endpoint: `${origin}/oauth/token`,
      jwks_uri: `${origin}/.well-known/jwks.json`,
      grant_types_supported: ["urn:ietf:params:oauth:grant-type:jwt-bearer"],
      authorization_grant_profiles_supported: ["urn:ietf:params:oauth:grant-profile:id-jag"],
      dpop_signing_alg_values_supported: ["ES256"],
    },
    "/.well-known/jwks.json": { keys: [{ ...publicJwk, kid: "one" }] },
  };
});
afterAll(async () => {
  await service.close();
  await system.close();
});

interface Asked {
  readonly at?: string;
  readonly key?: string;
  readonly language?: Language;
}

async function inspect({ at = origin, key, language = "en" }: Asked = {}) {
  const { context } = system.server;
  const inspection = await probeService(
    { address: at, ...(key !== undefined && { key }) },
    { context, now: new Date(context.clock()), say: (message) => say(message, language) },
  );
  const states = Object.fromEntries(inspection.checks.map(({ id, state }) => [id, state]));
  return { ...inspection, states };
}

const resource = () => documents["/.well-known/oauth-protected-resource"] as Documents;
const server = () => documents["/.well-known/oauth-authorization-server"] as Documents;
const keys = () => documents["/.well-known/jwks.json"] as { keys: Documents[] };

test("a service without a fault is ready, with a draft that can be registered", async () => {
  const { ready, states, resource: draft, unknownScopes } = await inspect();
  expect(new Set(Object.values(states))).toEqual(new Set(["passed"]));
  expect({ ready, unknownScopes }).toEqual({ ready: true, unknownScopes: [] });
  expect(draft).toEqual({
    key: "vertrage-more",
    name: "Verträge & more",
    resource: `${origin}/api`,
    authorizationServer: origin,
    clientId: "authz-cli",
    requestPrefixes: [`${origin}/api`],
    supportedScopes: ["contracts:read"],
    ...defaultsOf(resourceShape),
  });
});

test.each([
  { said: false, allowsBearer: true },
  { said: true, allowsBearer: false },
  { said: "no", allowsBearer: false },
])("a service that needs bound tokens: $said, is drafted with Bearer: $allowsBearer", async (row) => {
  resource()["dpop_bound_access_tokens_required"] = row.said;
  expect((await inspect()).resource).toMatchObject({ allowsBearer: row.allowsBearer });
});

describe("one thing that is wrong", () => {
  const rows: readonly {
    name: string;
    change: () => unknown;
    id: ServiceCheckId;
    state: "warning" | "failed";
    detail: RegExp;
  }[] = [
    {
      name: "no metadata of the resource",
      change: () => (documents["/.well-known/oauth-protected-resource"] = 404),
      id: "resource_metadata",
      state: "failed",
      detail: /answered with status 404/,
    },
    {
      name: "a page instead of metadata",
      change: () => (documents["/.well-known/oauth-authorization-server"] = "<html>"),
      id: "authorization_server_metadata",
      state: "failed",
      detail: /did not answer with JSON/,
    },
    {
      name: "metadata without an issuer",
      change: () => delete server()["issuer"],
      id: "authorization_server_metadata",
      state: "failed",
      detail: /"issuer" is missing/,
    },
    {
      name: "another issuer",
      change: () => (server()["issuer"] = "https://other.example"),
      id: "identifiers",
      state: "failed",
      detail: /The issuer is https:\/\/other\.example/,
    },
    {
      name: "another authorization server",
      change: () => (resource()["authorization_servers"] = ["https://other.example"]),
      id: "identifiers",
      state: "failed",
      detail: /names https:\/\/other\.example/,
    },
    {
      name: "a service that does not read the status list",
      change: () => (resource()["token_status_list_supported"] = false),
      id: "status_list",
      state: "warning",
      detail: /stay valid until they expire/,
    },
    {
      name: "a service that says nothing about the status list",
      change: () => delete resource()["token_status_list_supported"],
      id: "status_list",
      state: "warning",
      detail: /stay valid until they expire/,
    },
    {
      name: "a resource elsewhere",
      change: () => (resource()["resource"] = "https://other.example/api"),
      id: "identifiers",
      state: "failed",
      detail: /is not on/,
    },
    {
      name: "no grant for assertions",
      change: () => (server()["grant_types_supported"] = ["authorization_code"]),
      id: "grants",
      state: "failed",
      detail: /ID-JAG/,
    },
    {
      name: "no DPoP with ES256",
      change: () => (server()["dpop_signing_alg_values_supported"] = ["RS256"]),
      id: "grants",
      state: "failed",
      detail: /DPoP with ES256/,
    },
    {
      name: "an empty key set",
      change: () => (keys().keys = []),
      id: "signing_keys",
      state: "failed",
      detail: /empty/,
    },
    {
      name: "a private key in the open",
      change: () => keys().keys.push({ kty: "EC", crv: "P-256", x: "x", y: "y", d: "d", kid: "two" }),
      id: "signing_keys",
      state: "failed",
      detail: /"two" is published with its private part/,
    },
    {
      name: "a key of another kind",
      change: () => keys().keys.push({ kty: "RSA", n: "n", e: "AQAB", kid: "two" }),
      id: "signing_keys",
      state: "failed",
      detail: /not a public P-256 key/,
    },
    {
      name: "a scope that is not known yet",
      change: () => (resource()["scopes_supported"] = ["contracts:read", "contracts:burn"]),
      id: "scopes",
      state: "warning",
      detail: /contracts:burn/,
    },
    {
      name: "a scope without a namespace",
      change: () => (resource()["scopes_supported"] = ["read"]),
      id: "scopes",
      state: "failed",
      detail: /cannot be scopes here: read/,
    },
    {
      name: "no scopes",
      change: () => delete resource()["scopes_supported"],
      id: "scopes",
      state: "warning",
      detail: /names no scopes/,
    },
    {
      name: "a proxy that removes the path of the resource",
      change: () => {
        resource()["resource"] = `${origin}/contracts/api`;
        documents["/contracts/.well-known/oauth-protected-resource"] = resource();
      },
      id: "request_prefixes",
      state: "warning",
      detail: /removes \/contracts from addresses/,
    },
    {
      name: "skills that do not answer",
      change: () => (resource()["skills_endpoint"] = `${origin}/.well-known/skills`),
      id: "skills",
      state: "warning",
      detail: /status 404/,
    },
  ];
  test.each(rows)("$name is named, with what to do", async ({ change, id, state, detail }) => {
    change();
    const { checks, ready, states } = await inspect();
    const check = checks.find((found) => found.id === id);
    expect(check).toMatchObject({ state, detail: expect.stringMatching(detail) as string });
    expect(check?.remedy).toMatch(/\.$/);
    expect(ready).toBe(state !== "failed");
    expect(states["reachable"]).toBe("passed");
  });

  test("nobody at the address", async () => {
    const { ready, states, resource: draft, checks } = await inspect({ at: "http://127.0.0.1:1" });
    expect({ ready, draft, reachable: states["reachable"] }).toEqual({
      ready: false,
      draft: null,
      reachable: "failed",
    });
    expect(checks[0]?.detail).toContain("cannot be reached");
    // One thing failed; of all that could not be looked at, nobody knows.
    expect(Object.values(states).filter((state) => state === "failed")).toHaveLength(1);
    expect(Object.values(states).filter((state) => state === "unreached")).toHaveLength(9);
    // Whoever is told to mount routes looks in the wrong place.
    expect(checks.filter(({ remedy }) => remedy?.includes("registerRoutes"))).toEqual([]);
  });

  test("a service that is registered already", async () => {
    const { store } = system.server.context;
    await store.resources.save(
      { ...system.resource, resource: `${origin}/api`, requestPrefixes: [`${origin}/api/v1`] },
      new Date(),
    );
    const { states } = await inspect();
    expect(states).toMatchObject({ identifiers: "failed", request_prefixes: "warning" });
    await store.resources.save(system.resource, new Date());
  });
});

describe("a service that takes only this server's tokens", () => {
  beforeEach(() => {
    documents = {
      "/.well-known/oauth-protected-resource": {
        ...resource(),
        authorization_servers: [system.issuer],
        skills_endpoint: `${origin}/.well-known/skills`,
      },
    };
  });

  test("is ready without routes of the SDK, and drafted with this server as its issuer", async () => {
    const { ready, states, resource: draft } = await inspect();
    expect(states).toMatchObject({
      authorization_server_metadata: "passed",
      grants: "passed",
      signing_keys: "passed",
    });
    expect({ ready, draft }).toMatchObject({
      ready: true,
      draft: { authorizationServer: system.issuer, skillDiscovery: false },
    });
  });

  test("is told what to publish where its metadata is missing", async () => {
    documents = {};
    const { checks } = await inspect();
    expect(checks.find(({ id }) => id === "resource_metadata")?.remedy).toContain(
      `names only ${system.issuer} in authorization_servers.`,
    );
  });

  test.each([
    { name: "only below its path", at: "/api", whole: undefined, ready: true },
    { name: "only below its path, at the origin alone", at: "", whole: undefined, ready: false },
    { name: "for the whole origin, too", at: "/api", whole: "same", ready: true },
    { name: "for the whole origin, with a page below the path", at: "/api", whole: "only", ready: true },
  ])("publishes its metadata $name: ready $ready", async ({ at, whole, ready }) => {
    const metadata = resource();
    documents = {
      ...(whole !== "only" && { "/.well-known/oauth-protected-resource/api": metadata }),
      ...(whole !== undefined && { "/.well-known/oauth-protected-resource": metadata }),
    };
    const found = await inspect({ at: origin + at });
    expect(found).toMatchObject({ ready, origin });
    expect(found.resource?.resource).toBe(ready ? `${origin}/api` : undefined);
  });

  test("keeps everything of it on its own origin", async () => {
    resource()["resource"] = "https://other.example/api";
    expect((await inspect()).states).toMatchObject({ identifiers: "failed" });
  });
});

describe("a service that is checked again", () => {
  const registered = () => ({
    ...system.resource,
    resource: `${origin}/api`,
    authorizationServer: origin,
    requestPrefixes: [`${origin}/api`],
    supportedScopes: ["contracts:read"],
  });
  const save = async (change: object = {}) =>
    await system.server.context.store.resources.save({ ...registered(), ...change }, new Date());
  beforeEach(async () => await save());
  afterAll(async () => await system.server.context.store.resources.save(system.resource, new Date()));

  test("is no conflict with itself, and keeps its key", async () => {
    const { key } = system.resource;
    const { ready, states, resource: draft } = await inspect({ key });
    expect(new Set(Object.values(states))).toEqual(new Set(["passed"]));
    expect({ ready, key: draft?.key }).toEqual({ ready: true, key });
  });

  test("is compared with what is registered", async () => {
    const { key } = system.resource;
    await save({ resource: `${origin}/old` });
    expect((await inspect({ key })).states).toMatchObject({ identifiers: "failed" });
    await save({ supportedScopes: ["contracts:read", "contracts:write"] });
    const { checks } = await inspect({ key });
    expect(checks.find(({ id }) => id === "scopes")).toMatchObject({
      state: "warning",
      detail: "Registered here, but no longer checked by the service: contracts:write.",
    });
  });

  test("has to be there", async () => {
    await expect(inspect({ key: "nothing" })).rejects.toThrow('There is no service "nothing"');
  });
});

test("what was found is said in German to those who read German", async () => {
  documents["/.well-known/oauth-authorization-server"] = 404;
  const { checks } = await inspect({ language: "de" });
  expect(checks.find(({ id }) => id === "authorization_server_metadata")).toEqual({
    id: "authorization_server_metadata",
    state: "failed",
    title: "Metadaten seines Autorisierungsservers",
    detail: `${origin}/.well-known/oauth-authorization-server antwortet mit dem Status 404.`,
    remedy: `Hängen Sie die Routen des SDK am Dienst selbst ein: registerRoutes(app). Ein Dienst ohne SDK liefert /.well-known/oauth-protected-resource selbst aus und nennt in authorization_servers nur ${system.issuer}.`,
  });
});

test("a service that is built with the SDK passes every check, skills included", async () => {
  const real = fastify();
  const publicOrigin = `http://127.0.0.1:${await findFreePort()}`;
  const authz = initAuthz(system.issuer, {
    resource: `${publicOrigin}/api`,
    publicOrigin,
    clientId: "authz-cli",
    supportedScopes: ["contracts:read", "contracts:write"],
    signingKey: { kid: "service-1", ...(await generateEs256KeyPair()) },
    replayStore: inMemory(),
    skills: { items: [] },
    allowInsecureLoopback: true,
  });
  authz.registerRoutes(real);
  await real.listen({ port: Number(new URL(publicOrigin).port), host: "127.0.0.1" });
  const { ready, checks, resource: draft } = await inspect({ at: publicOrigin });
  expect(checks.filter(({ state }) => state !== "passed")).toEqual([]);
  expect(ready).toBe(true);
  expect(draft).toMatchObject({ resource: `${publicOrigin}/api`, skillDiscovery: true });
  await real.close();
});
