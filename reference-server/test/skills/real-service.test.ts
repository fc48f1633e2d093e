import { generateEs256KeyPair, inMemory, initAuthz } from "@authz/fastify";
import { type Skill, skillDigest } from "@authz/skills";
import fastify, { type FastifyInstance } from "fastify";
import { afterAll, beforeAll, expect, test } from "vitest";
import { catalogState } from "../../src/skills/catalog-state.js";
import { refreshCatalogs } from "../../src/skills/refresh-catalogs.js";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";
import { findFreePort } from "../../../tools/src/network/ports.js";

const hidden: Skill = {
  id: "archive-contracts",
  title: "Archive contracts",
  requiredScopes: ["contracts:write"],
  visibility: "HIDDEN_IF_UNALLOWED",
  content: "Run `authz request --scope contracts:write`.",
};

const picture = Uint8Array.of(0x89, 0x50, 0, 0xff);
const files = [
  { path: "references/errors.md", content: "# Fehler é\n" },
  { path: "assets/logo.png", content: picture },
];

let system: OauthServer;
let service: FastifyInstance;
let publicOrigin: string;

beforeAll(async () => {
  system = await startOauthServer();
  service = fastify();
  // The origin is part of the options, so the port is found before they are made.
  publicOrigin = `http://127.0.0.1:${await findFreePort()}`;
  const authz = initAuthz(system.issuer, {
    resource: `${publicOrigin}/api`,
    publicOrigin,
    clientId: "authz-cli",
    supportedScopes: ["contracts:read", "contracts:write"],
    signingKey: { kid: "service-1", ...(await generateEs256KeyPair()) },
    replayStore: inMemory(),
    skills: { items: [{ ...hidden, files }] },
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

test("a service built with the SDK gives its hidden skills to this server only", async () => {
  const { context } = system.server;
  const registered = {
    ...system.resource,
    authorizationServer: publicOrigin,
    resource: `${publicOrigin}/api`,
  };
  await context.store.resources.save({ ...registered, skillDiscovery: true }, new Date());

  expect(await refreshCatalogs(context, new Date(context.clock()))).toBe(1);

  const catalog = await context.store.skillCatalogs.find(system.resource.id);
  const listed = files.map(({ path, content }) => ({
    path,
    size: Buffer.from(content).length,
    digest: skillDigest(content),
  }));
  expect(catalog).toMatchObject({ failure: null, items: [{ ...hidden, files: listed }] });
  for (const { content } of files) {
    const stored = await context.store.skillCatalogs.findFile({
      resourceId: system.resource.id,
      digest: skillDigest(content),
    });
    expect(Buffer.from(stored ?? "")).toEqual(Buffer.from(content));
  }
  expect(catalogState(catalog, new Date(context.clock()))).toBe("fresh");
  expect((await fetch(`${publicOrigin}/.well-known/skills`)).status).toBe(401);
  const address = `${publicOrigin}/.well-known/skills/files/${skillDigest(picture).slice(7)}`;
  expect((await fetch(address)).status).toBe(401);
});
