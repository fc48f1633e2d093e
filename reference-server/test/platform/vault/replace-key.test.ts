import { randomBytes, randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { deriveEventKey, deriveSealKey } from "../../../src/audit/seal.js";
import { createSealer } from "../../../src/audit/sealer.js";
import { verifyAuditChain } from "../../../src/audit/verify-chain.js";
import { loadConfig } from "../../../src/config/config.js";
import { createCredentialKeysCommand } from "../../../src/commands/credential-keys.js";
import { createResealLoop } from "../../../src/upkeep/credential-keys/reseal-loop.js";
import { providerSecretRow } from "../../../src/platform/vault/rows.js";
import { createLog } from "../../../src/platform/http/log.js";
import { initialise } from "../../../src/upkeep/start/initialise.js";
import { activateKey, stageKey } from "../../../src/oauth/keys/rotate-keys.js";
import { createServer, type Server } from "../../../src/server.js";
import { createTestDatabase, type TestDatabase } from "../../support/database.js";
import { testEnvironment } from "../../support/environment.js";

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
      clientSecret: credentials.seal("s3cret", providerSecretRow(providerId)),
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

/** The installation as it was before the key of the seals was stored. */
async function forgetSealKey(): Promise<void> {
  await database.query("DELETE FROM sealed_secrets; DELETE FROM credential_keys");
}

async function isIntact(context: Server["context"]): Promise<boolean> {
  const { faults, seals } = await verifyAuditChain(context.store, { sealKey: await context.openSealKey() });
  return faults.length === 0 && seals > 0;
}

async function secretOf({ store, credentials }: Server["context"]): Promise<string> {
  const provider = await store.identityProviders.find(providerId);
  return credentials.open(provider?.clientSecret ?? Buffer.alloc(0), providerSecretRow(providerId));
}

/** Runs `authz-server credential-keys …`. */
async function command(context: Server["context"], ...args: string[]) {
  let [printed, code] = ["", 0];
  const run = (work: (given: Server["context"]) => Promise<void>) => work(context);
  const created = createCredentialKeysCommand({
    withReader: run,
    withInstallation: run,
    print: (text) => void (printed += text),
    exitWith: (given) => void (code = given),
  });
  await created.parseAsync(args, { from: "user" });
  return { printed, code };
}

const codes = () => log.map(({ code }) => code).filter((code) => code !== undefined);

describe("the key that seals credentials", () => {
  test("is replaced while everything runs, and then the old one is not needed any more", async () => {
    await fill(await startedWith(oldKey));
    const context = await startedWith(newKey, oldKey);
    expect(await secretOf(context)).toBe("s3cret");
    expect(await command(context, "status")).toMatchObject({ code: 1 });

    await createResealLoop(context).run();
    const id = context.credentials.activeKeyId;
    expect(codes()).toEqual(["CREDENTIALS_RESEALED", "CREDENTIAL_KEY_REPLACED"]);
    expect(await command(context, "status")).toEqual({
      code: 0,
      printed: `${id}: 3 credentials, active\nOnce all servers have ${id} as AUTHZ_CREDENTIAL_ENCRYPTION_KEY, no other key is needed.\n`,
    });

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
    await createResealLoop(after).run();
    log.length = 0;
    await createResealLoop(before).run();
    expect(codes()).toEqual([]);
    expect((await command(after, "status")).code).toBe(0);
    expect(await secretOf(before)).toBe("s3cret");
  });

  test("is replaced by the command at once, also back", async () => {
    const before = await startedWith(oldKey, newKey);
    await fill(before);
    const after = await startedWith(newKey, oldKey);
    expect(await command(after, "reseal")).toMatchObject({
      code: 0,
      printed: expect.stringContaining("3 credentials sealed again.") as string,
    });
    expect((await command(before, "reseal")).code).toBe(0);
    expect(await secretOf(await startedWith(oldKey))).toBe("s3cret");
  });

  test("names what no key opens, and keeps it", async () => {
    const context = await startedWith(newKey, oldKey);
    await fill(context);
    await database.query("UPDATE identity_providers SET client_secret = '\\x0102'");
    await createResealLoop(context).run();
    expect(codes()).toEqual(["CREDENTIALS_UNREADABLE"]);
    const { code, printed } = await command(context, "status");
    expect(code).toBe(1);
    expect(printed).toContain(`identity_providers/${providerId}: NO KEY THAT IS NAMED HERE OPENS IT`);
    expect(JSON.parse((await command(context, "status", "--json")).printed)).toMatchObject({
      unreadable: [`identity_providers/${providerId}`],
    });
  });

  test("loses no secret that somebody enters in the meantime", async () => {
    await fill(await startedWith(oldKey));
    const context = await startedWith(newKey, oldKey);
    const { store, credentials } = context;
    const [secret] = await store.sealedSecrets.list({ after: "identity_providers/", limit: 1 });
    const entered = credentials.seal("entered", providerSecretRow(providerId));
    await database.query("UPDATE identity_providers SET client_secret = $1", [entered]);
    const from = secret?.sealed ?? Buffer.alloc(0);
    const change = { row: providerSecretRow(providerId), from, to: Buffer.of(1) };
    expect(await store.sealedSecrets.replace([change])).toBe(0);
    expect(await secretOf(context)).toBe("entered");
  });
});

describe("the key of the audit trail's seals", () => {
  test("is random in a new installation", async () => {
    const context = await startedWith(oldKey);
    const key = await context.openSealKey();
    expect(key).toHaveLength(32);
    expect(key).not.toEqual(deriveSealKey(oldKey));
    expect(await (await startedWith(oldKey)).openSealKey()).toEqual(key);
  });

  test.each([
    { name: "with the same key", keys: [oldKey] },
    { name: "with a new key, and the one before", keys: [newKey, oldKey] },
  ])("stays what it was where seals are older than it, at a start $name", async ({ keys }) => {
    // Not started, so that the key is derived, as it was before.
    const before = await processWith(oldKey);
    await fill(before);
    await forgetSealKey();
    const [active = oldKey, ...previous] = keys;
    const context = await startedWith(active, ...previous);
    expect(await context.openSealKey()).toEqual(deriveSealKey(oldKey));
    expect(await isIntact(context)).toBe(true);
  });

  test("stays what it was although somebody has damaged the last seal, which then shows", async () => {
    await fill(await processWith(oldKey));
    await database.query(`ALTER TABLE audit_seals DISABLE TRIGGER ALL;
      UPDATE audit_seals SET mac = '\\x00'; ALTER TABLE audit_seals ENABLE TRIGGER ALL`);
    const context = await startedWith(oldKey);
    expect(await context.openSealKey()).toEqual(deriveSealKey(oldKey));
    expect(await isIntact(context)).toBe(false);
  });

  test.each([
    { name: "that is stored", prepare: () => Promise.resolve() },
    { name: "that seals were made with before", prepare: forgetSealKey },
  ])(
    "$name stops a start with the key of another installation, and nothing is written",
    async ({ prepare }) => {
      await fill(await startedWith(oldKey));
      await prepare();
      const rows = () => database.query("SELECT * FROM sealed_secrets, credential_keys, audit_seals");
      const before = await rows();
      await expect(startedWith(thirdKey)).rejects.toThrow("AUTHZ_CREDENTIAL_ENCRYPTION_KEY");
      expect(await rows()).toEqual(before);
    },
  );
});
