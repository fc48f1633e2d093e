import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEncryptionKeysCommand } from "../../src/commands/encryption-keys.js";
import { createConnectorVault } from "../../src/encryption-keys/open-vaults.js";
import { connectorRow } from "../../src/platform/vault/rows.js";
import { environmentKeyId } from "../../src/platform/vault/environment-keys.js";
import { loadConfig } from "../../src/config/config.js";
import type { ServerContext } from "../../src/context.js";
import { connect, testConnector } from "../support/connectors.js";
import { testEnvironment } from "../support/environment.js";
import { runCommand } from "../support/run-command.js";
import { createTestServer, type TestServer } from "../support/server.js";

const [first, second, lost] = [randomBytes(32), randomBytes(32), randomBytes(32)];
const connector = testConnector();
let server: TestServer;
beforeAll(async () => {
  server = await createTestServer({ AUTHZ_CONNECTOR_KEK: first.toString("base64") });
});
afterAll(() => server.close());

/** The server's context in a process with these keys. */
function contextWith(variables: Record<string, string | undefined>): ServerContext {
  const { connectorKeys } = loadConfig(testEnvironment(variables));
  return { ...server.context, connectorVault: createConnectorVault(connectorKeys, { clock: Date.now }) };
}

const keysOf = (active: Buffer, ...previous: Buffer[]) => ({
  AUTHZ_CONNECTOR_KEK: active.toString("base64"),
  AUTHZ_CONNECTOR_KEK_PREVIOUS: previous.map((key) => key.toString("base64")).join(","),
});

const done = (purpose: string, keyId: string) =>
  `Everything of ${purpose} is encrypted with ${keyId}. Other keys can be removed once all servers have it and "status" says the same.\n`;

/** Runs `authz-server encryption-keys …`. */
const run = (context: ServerContext, ...args: string[]) =>
  runCommand(createEncryptionKeysCommand, context, ...args);

test("an installation without connectors needs no key", async () => {
  const none = contextWith({ AUTHZ_CONNECTOR_KEK: undefined });
  const { text, exitCode } = await run(none, "status");
  expect(text).toMatch(/^connectors: not_configured\. Connectors need a key/m);
  expect(exitCode).toBe(0);
});

describe("a key is replaced", () => {
  beforeAll(async () => {
    const at = new Date(server.clock());
    const clientSecret = await server.context.connectorVault.seal("s", connectorRow(connector.id));
    await server.context.store.connectors.save({ ...connector, clientSecret }, at);
  });

  test("by two commands, after which the old one can go", async () => {
    const both = contextWith(keysOf(second, first));
    const [oldId, newId] = [environmentKeyId(first), environmentKeyId(second)];

    const status = await run(both, "status");
    expect(status.exitCode).toBe(0);
    expect(status.text).toContain(
      `connectors: ready\n  ${newId}: 0 connectors, 0 connections, active\n  ${oldId}: 1 connectors, 0 connections, only opens\n`,
    );
    expect(await run(both, "rewrap", "--batch", "1")).toEqual({
      text:
        done("credentials", await server.context.credentials.activeKeyId()) +
        "1 connectors encrypted again.\n" +
        done("connectors", newId),
      exitCode: 0,
    });
    const after = contextWith(keysOf(second));
    const { text, exitCode } = await run(after, "status", "--json");
    expect(exitCode).toBe(0);
    expect(JSON.parse(text)).toMatchObject({ unreadable: [], credentials: { state: "ready" } });
    expect((JSON.parse(text) as { connectors: object }).connectors).toEqual({
      state: "ready",
      problem: null,
      activeKeyId: newId,
      keys: [{ keyId: newId, active: true, readable: true, connectors: 1, connections: 0 }],
    });
  });
});

test("what no key opens is named, and the exit code says so", async () => {
  const [userId, id] = [randomUUID(), randomUUID()];
  await server.database.query("INSERT INTO users (id) VALUES ($1)", [userId]);
  const foreign = contextWith(keysOf(lost)).connectorVault;
  const credentials = await foreign.seal("tokens", `connections/${id}/${connector.id}/${userId}`);
  await connect(server.context.store, {
    id,
    connectorId: connector.id,
    userId,
    now: new Date(),
    credentials,
  });
  const context = contextWith(keysOf(second));
  const line = `${environmentKeyId(lost)}: 0 connectors, 1 connections`;

  const status = await run(context, "status");
  expect(status.exitCode).toBe(1);
  expect(status.text).toContain(`${line}, NOT CONFIGURED: nothing of this opens`);
  const credentialsDone = done("credentials", await server.context.credentials.activeKeyId());
  expect(await run(context, "rewrap")).toEqual({
    text: `${credentialsDone}${line}: this key is not configured\n`,
    exitCode: 1,
  });

  const damaged = contextWith(keysOf(second, lost));
  await server.database.query(
    "UPDATE connections SET credentials = overlay(credentials PLACING '\\x00000000' FROM 45) WHERE id = $1",
    [id],
  );
  const { text, exitCode } = await run(damaged, "rewrap");
  expect(text).toBe(
    `${credentialsDone}${line}: left\nconnections/${id}/${connector.id}/${userId} does not open: it has to be entered or connected again\n`,
  );
  expect(exitCode).toBe(1);
});

test("without an active key nothing is sealed again", async () => {
  const context = contextWith({ AUTHZ_CONNECTOR_KEK: "hunter2" });
  await expect(run(context, "rewrap")).rejects.toThrow("AUTHZ_CONNECTOR_KEK cannot be used");
  await expect(run(context, "rewrap")).rejects.not.toThrow("hunter2");
  expect((await run(context, "status")).exitCode).toBe(1);
});

test.each(["0", "5001", "x", "-1", "1.5"])("a batch of %s is refused", async (batch) => {
  await expect(run(server.context, "rewrap", "--batch", batch)).rejects.toThrow(
    "whole number from 1 to 5000",
  );
});

test("the start says which keys are missing", async () => {
  await server.start();
  const warning = server.log.find(({ code }) => code === "CONNECTOR_KEY_MISSING");
  expect(warning).toMatchObject({ level: 40, connections: expect.any(Number) as number });
});
