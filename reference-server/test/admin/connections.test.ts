import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { finishLeftOver } from "../../src/connectors/disconnect/finish-left-over.js";
import { type AdminServer, createAdminServer } from "../support/admin.js";
import { storeConnection } from "../support/connections.js";
import { startThirdParty, type ThirdParty } from "../support/third-party.js";

let server: AdminServer;
let thirdParty: ThirdParty;
beforeAll(async () => {
  const redirectUris = ["http://127.0.0.1:3000/connections/callback/notes"];
  [server, thirdParty] = await Promise.all([createAdminServer(), startThirdParty({ redirectUris })]);
  const { issuer, api, client } = thirdParty;
  const notes = {
    kind: "oauth2",
    name: "Notes",
    issuer,
    authorizationEndpoint: `${issuer}/auth`,
    tokenEndpoint: `${issuer}/token`,
    clientId: client.id,
    clientSecret: client.secret,
    requestPrefixes: [api],
  };
  const revocable = { ...notes, key: "notes", revocationEndpoint: `${issuer}/token/revocation` };
  await server.request("POST", "/connectors", { body: revocable });
  await server.request("POST", "/connectors", { body: { ...notes, key: "for-good" } });
});
afterAll(() => Promise.all([server.close(), thirdParty.close()]));
afterEach(() => thirdParty.failures.clear());

const now = () => new Date(server.clock());
const connect = (connector: string, userId: string) =>
  storeConnection(server.context, { connector, userId, now: now() });
const find = async (query: string) =>
  (await server.request("GET", `/connections?${query}`)).body["items"] as Record<string, unknown>[];
const disconnect = (id: string) => server.request("DELETE", `/connections/${id}`);

describe("connections", () => {
  test("are found by connector, person and state, and never with a token", async () => {
    await connect("notes", server.ada.user.id);
    const bruno = (await server.signIn("Bruno", ["authz:login"])).user.id;
    const { id } = await connect("notes", bruno);
    expect(await find("connector=notes")).toHaveLength(2);
    expect(await find("connector=notes&q=bru")).toMatchObject([{ id, user: { id: bruno } }]);
    expect(await find("state=disconnecting")).toEqual([]);
    expect(await find("connector=for-good")).toEqual([]);
    const { body, text } = await server.request("GET", `/connections?user=${bruno}`);
    expect(body).toEqual({
      items: [
        {
          id,
          connector: "notes",
          user: { id: bruno, email: "bruno@acme.example", name: "Bruno" },
          state: "connected",
          reason: null,
          account: { label: "ada@private.example" },
          grantedScopes: ["notes:read"],
          connectedAt: "2026-11-20T12:00:00.000Z",
          refreshedAt: null,
          lastUsedAt: null,
          keyId: expect.stringMatching(/^env:[0-9a-f]{16}$/) as unknown,
          keyReadable: true,
        },
      ],
      nextCursor: null,
    });
    expect(text).not.toMatch(/stored-|elsewhere|ciphertext/);
  });

  test("come in pages, the newest first, and none twice", async () => {
    for (const name of ["Carla", "Dora", "Emil"]) {
      server.clock.advance(60);
      await connect("for-good", (await server.signIn(name)).user.id);
    }
    const names: unknown[] = [];
    for (let cursor = ""; ; ) {
      const { body } = await server.request("GET", `/connections?limit=2&connector=for-good${cursor}`);
      names.push(...(body["items"] as { user: { name: string } }[]).map(({ user }) => user.name));
      const { nextCursor } = body as { nextCursor: string | null };
      if (nextCursor === null) break;
      cursor = `&cursor=${nextCursor}`;
    }
    expect(names).toEqual(["Emil", "Dora", "Carla"]);
  });
});

describe("disconnecting somebody's account", () => {
  test.each<{ name: string; connector: string; prepare?: () => unknown; revocation: string }>([
    { name: "is confirmed by the third party", connector: "notes", revocation: "confirmed" },
    {
      name: "is unconfirmed when the third party fails",
      connector: "notes",
      prepare: () => thirdParty.failures.set("revocation", { kind: "answer", status: 500 }),
      revocation: "unconfirmed",
    },
    {
      name: "is unsupported where tokens cannot be revoked",
      connector: "for-good",
      revocation: "unsupported",
    },
  ])("$name", async ({ connector, prepare, revocation }) => {
    const { id } = await connect(connector, server.ada.user.id);
    prepare?.();
    const { status, body } = await disconnect(id);
    expect([status, body]).toEqual([200, { revocation }]);
    expect(await find(`user=${server.ada.user.id}`)).not.toContainEqual(expect.objectContaining({ id }));
    const event = (await server.audit("connection.removed")).at(-1);
    expect(event).toMatchObject({
      actor_id: server.ada.user.id,
      request_id: expect.any(String) as unknown,
      data: { connector, connectionId: id, revocation },
    });
    const links = (await server.request("GET", "/audit-events?type=connection.removed&limit=1")).body[
      "items"
    ];
    expect(links).toMatchObject([
      { links: expect.arrayContaining([{ type: "connector", id: connector, name: null }]) as unknown },
    ]);
    expect((await disconnect(id)).status).toBe(404);
  });

  test("is refused when there is none, and while somebody else is at it", async () => {
    expect((await disconnect(randomUUID())).body["error"]).toBe("not_found");
    const { id } = await connect("notes", server.ada.user.id);
    await server.context.store.connections.block({ id, now: now() });
    const { status, body } = await disconnect(id);
    expect([status, body["error"]]).toEqual([409, "in_use"]);
  });
});

test("those of everybody are revoked and removed in the background, and then the connector can go", async () => {
  const answer = await server.request("POST", "/connectors/notes/disconnections");
  expect([answer.status, Number(answer.body["connections"])]).toEqual([202, 1]);
  const version = Number((await server.request("GET", "/connectors/notes")).body["version"]);
  const remove = () => server.request("DELETE", "/connectors/notes", { version });
  expect((await remove()).status).toBe(409);
  const { store, connectorVault: vault, connectorProvider: provider, log } = server.context;
  server.clock.advance(120);
  expect(await finishLeftOver({ store, vault, provider, clock: server.clock, log })).toBe(2);
  expect(await find("connector=notes")).toEqual([]);
  expect((await remove()).status).toBe(204);
});
