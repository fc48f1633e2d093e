import { randomUUID } from "node:crypto";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RedemptionRecord } from "../../src/store/redemptions.js";
import type { Store } from "../../src/store/store.js";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";
import { RawDevice } from "../support/raw-device.js";
import { RegisteredClient } from "../support/registered-client.js";

let system: OauthServer;
let device: RawDevice;
let store: Store;
beforeAll(async () => {
  system = await startOauthServer();
  device = await RawDevice.create(system.issuer);
  ({ store } = system.server.context);
});
afterAll(() => system.close());

/** Ada, logged in, with everything a token request of hers was decided by. */
async function decidedRequest(): Promise<{ record: RedemptionRecord; userId: string; grantId: string }> {
  await device.signIn();
  const [row] = await system.database.query<{ id: string; user_id: string }>(
    "SELECT id, user_id FROM grants ORDER BY created_at DESC LIMIT 1",
  );
  if (row === undefined) throw new Error("There is a grant.");
  const assignments = await store.assignments.listByEmail("ada@acme.example");
  const now = new Date(system.server.context.clock());
  return {
    userId: row.user_id,
    grantId: row.id,
    record: {
      once: [{ key: randomUUID(), expiresAt: Math.floor(now.getTime() / 1000) + 65 }],
      basis: {
        clientId: "authz-cli",
        grantId: row.id,
        userId: row.user_id,
        resourceId: null,
        assignmentIds: assignments.map(({ id }) => id),
        machineScopes: [],
      },
      audit: {
        at: now,
        type: "assertion.issued",
        version: 1,
        outcome: "success",
        actorType: "user",
        actorId: row.user_id,
        subject: row.user_id,
        clientId: "authz-cli",
        requestId: null,
        data: {},
      },
      now,
    },
  };
}

const events = async () => (await system.audit("assertion.issued")).length;

describe("what is committed between the decision and the issuing statement counts:", () => {
  const changes: [
    name: string,
    change: (request: { userId: string; grantId: string }) => Promise<unknown>,
    undo?: (request: { userId: string }) => Promise<unknown>,
  ][] = [
    [
      "a revoked grant",
      ({ grantId: id }) =>
        store.grants.revoke({ id, reason: "revoked_by_user", at: new Date(system.server.context.clock()) }),
    ],
    [
      "a disabled person",
      ({ userId }) => store.users.setEnabled(userId, false, new Date()),
      ({ userId }) => store.users.setEnabled(userId, true, new Date()),
    ],
    [
      "a disabled client",
      () => system.database.query("UPDATE clients SET enabled = false WHERE id = 'authz-cli'"),
      () => system.database.query("UPDATE clients SET enabled = true WHERE id = 'authz-cli'"),
    ],
    [
      "an assignment that was taken away",
      () => system.database.query("DELETE FROM assignments WHERE scope_key = 'contracts:read'"),
      () =>
        store.assignments.insertMissing(
          { id: randomUUID(), email: "ada@acme.example", scope: "contracts:read" },
          new Date(),
        ),
    ],
    [
      "an assignment that is over",
      () =>
        system.database.query("UPDATE assignments SET expires_at = now() WHERE scope_key = 'contracts:read'"),
      () => system.database.query("UPDATE assignments SET expires_at = NULL"),
    ],
  ];
  test.each(changes)("%s", async (_name, change, undo) => {
    const request = await decidedRequest();
    const before = await events();
    await change(request);
    const outcome = await store.redemptions.recordIssuance(request.record);
    await undo?.(request);
    expect(outcome).toStrictEqual({ kind: "lost" });
    expect(await events()).toBe(before);
  });

  test("a scope that a machine has lost", async () => {
    const { record } = await decidedRequest();
    const machine = await RegisteredClient.register(system, { type: "machine" }, ["contracts:read"]);
    const basis = {
      clientId: machine.id,
      grantId: null,
      userId: null,
      resourceId: null,
      assignmentIds: [],
      machineScopes: ["contracts:read"],
    };
    await store.clients.saveMachineScopes(machine.id, []);
    expect(await store.redemptions.recordIssuance({ ...record, basis })).toStrictEqual({ kind: "lost" });
    await store.clients.saveMachineScopes(machine.id, ["contracts:read"]);
    expect(await store.redemptions.recordIssuance({ ...record, basis })).toStrictEqual({
      kind: "stored",
      statusIndex: undefined,
    });
  });

  test("and when nothing has changed, it is stored, once", async () => {
    const { record } = await decidedRequest();
    expect(await store.redemptions.recordIssuance(record)).toStrictEqual({
      kind: "stored",
      statusIndex: undefined,
    });
    const [key] = record.once.map((once) => once.key);
    expect(await store.redemptions.recordIssuance(record)).toStrictEqual({ kind: "replayed", key });
  });
});

test("a request whose basis was lost is judged again and refused with the reason", async () => {
  const tokens = await device.signIn();
  const [row] = await system.database.query<{ id: string }>(
    "SELECT id FROM grants ORDER BY created_at DESC LIMIT 1",
  );
  // The statement waits for this row; the revocation commits first.
  const release = await holdRefreshToken(row?.id ?? "");
  const refresh = device.refresh(tokens["refresh_token"] ?? "");
  await waitUntilBlocked();
  await release();
  const { status, body } = await refresh;
  expect({ status, error: body["error"] }).toStrictEqual({ status: 400, error: "invalid_grant" });
});

/** Locks the refresh token of a grant in a transaction that revokes the grant when it is released. */
async function holdRefreshToken(grantId: string): Promise<() => Promise<void>> {
  const connection = new Client({ connectionString: system.database.adminUrl });
  await connection.connect();
  await connection.query("BEGIN");
  await connection.query("SELECT FROM refresh_tokens WHERE grant_id = $1 FOR UPDATE", [grantId]);
  await connection.query("UPDATE refresh_tokens SET used_at = now() WHERE grant_id = $1", [grantId]);
  await connection.query("UPDATE grants SET revoked_at = now() WHERE id = $1", [grantId]);
  return async () => {
    await connection.query("COMMIT");
    await connection.end();
  };
}

async function waitUntilBlocked(): Promise<void> {
  const blocked = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = $1";
  while ((await system.database.query(blocked, [system.database.name])).length === 0);
}
