import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { disconnect } from "../../../src/connectors/disconnect/disconnect.js";
import { sealTokens } from "../../../src/connectors/refresh/stored-tokens.js";
import type { ServerContext } from "../../../src/context.js";
import type { ConnectorFields } from "../../../src/store/connectors.js";
import { type Forwarding, type RecordingApi, startForwarding, startRecordingApi } from "../use/forwarding.js";

/** An administrator may send people's requests to more places; tokens go only where the connector sent them before. */
let forwarding: Forwarding;
let context: ServerContext;
let elsewhere: RecordingApi;

beforeAll(async () => {
  [forwarding, elsewhere] = await Promise.all([startForwarding(), startRecordingApi()]);
  ({ context } = forwarding.system.server);
});
afterAll(async () => {
  await forwarding.close();
  await elsewhere.close();
});
beforeEach(() => {
  elsewhere.seen.length = 0;
});

const save = (connector: ConnectorFields) => context.store.connectors.save(connector, new Date());

async function end(connectionId: string) {
  const { store, connectorVault: vault, connectorProvider: provider, clock, log } = context;
  const by = { actor: { type: "system" } } as const;
  return await disconnect({ connectionId, by }, { store, vault, provider, clock, log });
}

test("a token is not sent to a host that was added after the account was connected", async () => {
  const { connector, connection } = await forwarding.connect();
  const requestPrefixes = [...connector.requestPrefixes, `${elsewhere.origin}/v1`];
  await save({ ...connector, requestPrefixes });
  const target = `${elsewhere.origin}/v1/notes/1`;
  const refused = await forwarding.send({ key: connector.key, target });
  expect(refused.status).toBe(409);
  expect(JSON.parse(refused.body)).toMatchObject({ error: "reconnect_required", sent: "no" });
  expect(elsewhere.seen).toHaveLength(0);
  expect((await forwarding.send({ key: connector.key })).status).toBe(200);

  const { account, grantedScopes, refreshable } = connection;
  const credentials = await sealTokens(
    { accessToken: forwarding.token, refreshToken: undefined },
    { connection, connector: { ...connector, requestPrefixes }, vault: context.connectorVault },
  );
  const again = { account, grantedScopes, refreshable, credentials, accessExpiresAt: null, now: new Date() };
  const { id, connectorId, userId } = connection;
  await context.store.connections.save({ id, connectorId, userId, ...again });
  expect((await forwarding.send({ key: connector.key, target })).status).toBe(200);
  expect(elsewhere.seen).toHaveLength(1);
});

test("another path of the same host needs no new connection", async () => {
  const { connector } = await forwarding.connect();
  await save({ ...connector, requestPrefixes: [`${forwarding.api.origin}/v2`] });
  expect((await forwarding.send({ key: connector.key, target: "/v2/notes" })).status).toBe(200);
});

test("tokens are not ended at a host that was named after the account was connected", async () => {
  const { connector, connection } = await forwarding.connect();
  await save({ ...connector, revocationEndpoint: `${elsewhere.origin}/revoke` });
  expect(await end(connection.id)).toBe("unconfirmed");
  expect(elsewhere.seen).toHaveLength(0);
  expect(await context.store.connections.find(connection.id)).toBeUndefined();
});

test("they are ended at the host of the token endpoint and of the API", async () => {
  const { connector, connection } = await forwarding.connect();
  await save({ ...connector, revocationEndpoint: `${forwarding.api.origin}/revoke` });
  expect(await end(connection.id)).toBe("confirmed");
});

test("a host that was added after the account was connected is not asked whether a token works", async () => {
  const { connector, connection } = await forwarding.connect();
  const { id, connectorId, userId, account, grantedScopes, credentialVersion } = connection;
  const credentials = await sealTokens(
    { accessToken: forwarding.token, refreshToken: undefined },
    { connection, connector, vault: context.connectorVault },
  );
  const withoutRefresh = { account, grantedScopes, credentials, refreshable: false, accessExpiresAt: null };
  await context.store.connections.save({ id, connectorId, userId, ...withoutRefresh, now: new Date() });
  await save({ ...connector, accountEndpoint: `${elsewhere.origin}/me` });
  await context.store.connections.markStale({ id, credentialVersion: credentialVersion + 1 });
  expect((await forwarding.send({ key: connector.key })).status).toBe(409);
  expect(elsewhere.seen).toHaveLength(0);
  expect(await context.store.connections.find(id)).toMatchObject({ reason: "expired" });
});
