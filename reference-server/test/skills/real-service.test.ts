import { generateEs256KeyPair, inMemory, initAuthz } from "@authz/fastify";
import type { Skill } from "@authz/skills";
import fastify, { type FastifyInstance } from "fastify";
import { afterAll, beforeAll, expect, test } from "vitest";
import { catalogState } from "../../src/skills/catalog-state.js";
import { refreshCatalogs } from "../../src/skills/refresh-catalogs.js";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";

const hidden: Skill = {
  id: "archive-contracts",
  title: "Archive contracts",
  requiredScopes: ["contracts:write"],
  visibility: "HIDDEN_IF_UNALLOWED",
  content: "Run `authz request --scope contracts:write`.",
};

let system: OauthServer;
let service: FastifyInstance;
let publicOrigin: string;

beforeAll(async () => {
  system = await startOauthServer();
  service = fastify();
  // The origin is part of the options, so the port is found before they are made.
  const probe = fastify();
  publicOrigin = await probe.listen({ port: 0, host: "127.0.0.1" });
  await probe.close();
  const authz = initAuthz(system.issuer, {
    resource: `${publicOrigin}/api`,
    publicOrigin,
    clientId: "authz-cli",
    supportedScopes: ["contracts:read", "contracts:write"],
    signingKey: { kid: "service-1", ...(await generateEs256KeyPair()) },
    replayStore: inMemory(),
    skills: { items: [hidden] },
    allowInsecureLoopback: true,
  });
  authz.registerRoutes(service);
  await service.listen({ port: Number(new URL(publicOrigin).port), host: "127.0.0.1" });
  await authz.ready();
});
afterAll(async () => {
  await service.close();
  await system.close();
});

test("a service built with the SDK gives its hidden skills to this server, and to nobody else", async () => {
  const { context } = system.server;
  const registered = {
    ...system.resource,
    authorizationServer: publicOrigin,
    resource: `${publicOrigin}/api`,
  };
  await context.store.resources.save({ ...registered, skillDiscovery: true }, new Date());

  expect(await refreshCatalogs(context, new Date(context.clock()))).toBe(1);

  const catalog = await context.store.skillCatalogs.find(system.resource.id);
  expect(catalog).toMatchObject({ failure: null, items: [hidden] });
  expect(catalogState(catalog, new Date(context.clock()))).toBe("fresh");
  expect((await fetch(`${publicOrigin}/.well-known/skills`)).status).toBe(401);
});
