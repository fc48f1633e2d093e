import { randomBytes, randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { deriveEventKey } from "../../src/audit/seal.js";
import { createSealer } from "../../src/audit/sealer.js";
import { verifyAuditChain } from "../../src/audit/verify-chain.js";
import { loadConfig } from "../../src/config/config.js";
import { createEncryptionKeysCommand } from "../../src/commands/encryption-keys.js";
import { createRewrapLoop } from "../../src/encryption-keys/rewrap-loop.js";
import { providerSecretRow } from "../../src/platform/vault/rows.js";
import { createLog } from "../../src/platform/http/log.js";
import { initialise } from "../../src/upkeep/start/initialise.js";
import { activateKey, stageKey } from "../../src/oauth/keys/rotate-keys.js";
import { createServer, type Server } from "../../src/server.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { testEnvironment } from "../support/environment.js";
import { runCommand } from "../support/run-command.js";

const [oldKey, newKey, thirdKey] = [randomBytes(32), randomBytes(32), randomBytes(32)];
const providerId = randomUUID();
let database: TestDatabase;
let open: Server[];
let log: Record<string, unknown>[];
beforeEach(async () => {
  database = await createTestDatabase();
  open = [];
  log = [];
});
afterEach(async () => {
  await Promise.all(open.map((server) => server.close()));
  await database.drop();
});

/** A process of the installation that has these keys, the active one first. */
async function processWith(active: Buffer, ...previous: readonly Buffer[]): Promise<Server["context"]> {
  const names = previous.map((key) => key.toString("base64")).join(", ");
  const config = loadConfig(
    testEnvironment({
      POSTGRES_URL: database.url,
      AUTHZ_CREDENTIAL_ENCRYPTION_KEY: active.toString("base64"),
      ...(names !== "" && { AUTHZ_CREDENTIAL_ENCRYPTION_KEY_PREVIOUS: names }),
    }),
  );
  const write = (line: string) => void log.push(JSON.parse(line) as Record<string, unknown>);
  const server = await createServer(config, { log: createLog("info", { write }) });
  open.push(server);
  return server.context;
}

async function startedWith(active: Buffer, ...previous: readonly Buffer[]): Promise<Server["context"]> {
  const context = await processWith(active, ...previous);
  await initialise(context);
  return context;
}

/** An installation in use: a provider with a secret, a signing key of its own, sealed events. */
async function fill(context: Server["context"]): Promise<void> {
  const { store, credentials } = context;
  const at = new Date();
  await store.identityProviders.save(
    {
      id: providerId,
      key: "acme",
      name: "Acme",
      issuer: "https://id.acme.example",
      clientId: "authz",
      clientSecret: await credentials.seal("s3cret", providerSecretRow(providerId)),
      tokenEndpointAuthMethod: null,
      discoveryUrl: null,
      scopes: ["openid"],
      allowedEmailDomains: [],
      enabled: true,
    },
    at,
  );
  const { kid } = await stageKey({ store, credentials, at });
  await activateKey({ kid, emergency: true }, { store, at });
  await seal(context);
}

async function seal({ store, openSealKey, clock, config }: Server["context"]): Promise<void> {
  const silent = { info: () => undefined, warn: () => undefined };
  await createSealer({
    store,
    openSealKey,
    eventKey: deriveEventKey(config.sessionSecret),
    clock,
    log: silent,
  }).run();
}

async function isIntact(context: Server["context"]): Promise<boolean> {
  const { faults, seals } = await verifyAuditChain(context.store, { sealKey: await context.openSealKey() });
  return faults.length === 0 && seals > 0;
}

async function secretOf({ store, credentials }: Server["context"]): Promise<string> {
  const provider = await store.identityProviders.find(providerId);
  return await credentials.open(provider?.clientSecret ?? Buffer.alloc(0), providerSecretRow(providerId));
}

/** Runs `authz-server encryption-keys …`. */
const command = (context: Server["context"], ...args: string[]) =>
  runCommand(createEncryptionKeysCommand, context, ...args);

const codes = () => log.map(({ code }) => code).filter((code) => code !== undefined);

describe("the key that seals credentials", () => {
  test("is replaced while everything runs, and then the old one is not needed any more", async () => {
    await fill(await startedWith(oldKey));
    const context = await startedWith(newKey, oldKey);
    expect(await secretOf(context)).toBe("s3cret");
    expect((await command(context, "status")).text).toMatch(/: 3 secrets, only opens$/m);

    await createRewrapLoop(context).run();
    const id = await context.credentials.activeKeyId();
    expect(codes()).toEqual(["CREDENTIALS_RESEALED", "CREDENTIAL_KEY_REPLACED"]);
    const { exitCode, text } = await command(context, "status");
    expect(exitCode).toBe(0);
    expect(text).toMatch(`credentials: ready\n  ${id}: 3 secrets, active\nconnectors: `);

    const without = await startedWith(newKey);
    expect(await secretOf(without)).toBe("s3cret");
    await seal(without);
    expect(await isIntact(without)).toBe(true);
    await expect(startedWith(oldKey)).rejects.toThrow("AUTHZ_CREDENTIAL_ENCRYPTION_KEY");
  });

  test("is replaced once: the process with the old setting does not undo it, and says nothing is done", async () => {
    const before = await startedWith(oldKey, newKey);
    await fill(before);
    const after = await startedWith(newKey, oldKey);
    await createRewrapLoop(after).run();
    log.length = 0;
    await createRewrapLoop(before).run();
    expect(codes()).toEqual([]);
    expect((await command(after, "status")).text).not.toContain("only opens");
    expect(await secretOf(before)).toBe("s3cret");
  });

  test("is replaced by the command at once, also back", async () => {
    const before = await startedWith(oldKey, newKey);
    await fill(before);
    const after = await startedWith(newKey, oldKey);
    expect(await command(after, "rewrap")).toMatchObject({
      exitCode: 0,
      text: expect.stringMatching(/^(?:1 secrets encrypted again\.\n){3}Everything of credentials/) as string,
    });
    expect((await command(before, "rewrap")).exitCode).toBe(0);
    expect(await secretOf(await startedWith(oldKey))).toBe("s3cret");
  });

  test("names what no key opens, and keeps it", async () => {
    const context = await startedWith(newKey, oldKey);
    await fill(context);
    await database.query("UPDATE identity_providers SET client_secret = '\\x0102'");
    await createRewrapLoop(context).run();
    expect(codes()).toEqual(["CREDENTIALS_UNREADABLE"]);
    const { exitCode, text } = await command(context, "status");
    expect(exitCode).toBe(1);
    expect(text).toContain(`identity_providers/${providerId}: NO KEY THAT IS NAMED HERE OPENS IT`);
    expect(JSON.parse((await command(context, "status", "--json")).text)).toMatchObject({
      unreadable: [`identity_providers/${providerId}`],
    });
  });

  test("loses no secret that is entered meanwhile", async () => {
    await fill(await startedWith(oldKey));
    const context = await startedWith(newKey, oldKey);
    const { store, credentials } = context;
    const keyIds = await store.sealedSecrets.listKeyIds("identity_providers");
    const only = { keyIds, after: undefined, limit: 1 };
    const [secret] = await store.sealedSecrets.list("identity_providers", only);
    const entered = await credentials.seal("entered", providerSecretRow(providerId));
    await database.query("UPDATE identity_providers SET client_secret = $1", [entered]);
    const from = secret?.sealed ?? Buffer.alloc(0);
    const change = { id: providerId, from, to: Buffer.of(1) };
    expect(await store.sealedSecrets.replace("identity_providers", [change])).toEqual([]);
    expect(await secretOf(context)).toBe("entered");
  });
});

describe("the key of the audit trail's seals", () => {
  test("is random in a new installation", async () => {
    const context = await startedWith(oldKey);
    const key = await context.openSealKey();
    expect(key).toHaveLength(32);
    expect(key).not.toEqual(oldKey);
    expect(await (await startedWith(oldKey)).openSealKey()).toEqual(key);
  });

  test("stops a start with the key of another installation, and nothing is written", async () => {
    await fill(await startedWith(oldKey));
    const rows = () => database.query("SELECT * FROM sealed_secrets, credential_keys, audit_seals");
    const before = await rows();
    await expect(startedWith(thirdKey)).rejects.toThrow("AUTHZ_CREDENTIAL_ENCRYPTION_KEY");
    expect(await rows()).toEqual(before);
  });
});
