import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { reloadKeys } from "../../src/oauth/keys/keys.js";
import { activateKey, stageKey } from "../../src/oauth/keys/rotate-keys.js";
import { createAfterRestoreCommand } from "../../src/commands/after-restore.js";
import { revokeGrants } from "../../src/lifecycle/revoke.js";
import { type Client, registeredClient } from "../../src/store/clients.js";
import { Browser, readForm } from "../support/browser.js";
import { allScopes, createBrowser, signIn } from "../support/device.js";
import { saveKeptClient } from "../support/kept-client.js";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";
import { RawDevice } from "../support/raw-device.js";
import { runCommand } from "../support/run-command.js";

let system: OauthServer;
let device: RawDevice;
beforeAll(async () => {
  system = await startOauthServer({ AUTHZ_RATE_LIMITS: "off" });
  device = await RawDevice.create(system.issuer);
});
afterAll(() => system.close());

const tables = [
  "browser_sessions",
  "device_authorizations",
  "authorization_requests",
  "sign_in_attempts",
  "grants",
  "consents",
  "authorization_codes",
  "refresh_tokens",
  "dpop_replays",
  "signing_keys",
] as const;

/** An app whose answers only it can receive. */
const webApp: Client = {
  ...registeredClient,
  id: "https://claude.ai/oauth/client",
  name: "Claude",
  type: "public",
  redirectUris: ["https://claude.ai/oauth/callback"],
  keys: [],
  dpopBound: true,
  source: "metadata_document",
  builtIn: false,
  enabled: true,
};

/** Keeps the tables as they are, as a backup does. */
async function backUp(): Promise<void> {
  const copies = tables.map(
    (name) => `DROP TABLE IF EXISTS backup.${name}; CREATE TABLE backup.${name} AS TABLE ${name};`,
  );
  await system.database.query(`CREATE SCHEMA IF NOT EXISTS backup; ${copies.join(" ")}`);
}

async function restore(): Promise<void> {
  const emptied = tables.toReversed().map((name) => `DELETE FROM ${name};`);
  const filled = tables.map((name) => `INSERT INTO ${name} SELECT * FROM backup.${name};`);
  await system.database.query([...emptied, ...filled].join(" "));
  await reloadKeys(system.server.context);
}

/** Runs `authz-server after-restore …` and returns what it prints. */
async function afterRestore(before: string): Promise<string> {
  const { context } = system.server;
  const { text } = await runCommand(createAfterRestoreCommand, context, "--before", before);
  await reloadKeys(context);
  return text;
}

/** Something that was there when the backup was made, and that was used up or ended afterwards. */
interface BroughtBack {
  spend(): Promise<unknown>;
  /** Whether the server takes it (again). */
  isTaken(): Promise<boolean>;
}

const succeeded = ({ status }: { readonly status: number }) => status === 200;

const kinds: Readonly<Record<string, () => Promise<BroughtBack>>> = {
  async "a refresh token that was spent"() {
    const { refresh_token: token = "" } = await device.signIn();
    return {
      async spend() {
        const { body } = await device.refresh(token);
        await device.refresh(body["refresh_token"] ?? "");
      },
      isTaken: async () => succeeded(await device.refresh(token)),
    };
  },
  async "a refresh token that was revoked"() {
    const { refresh_token: token = "" } = await device.signIn();
    return {
      spend: () => device.post("/api/oauth/revoke", { token, client_id: "authz-cli" }, { proofs: [] }),
      isTaken: async () => succeeded(await device.refresh(token)),
    };
  },
  async "an access token that was revoked"() {
    const { access_token: token = "" } = await device.signIn();
    return {
      spend: () => device.post("/api/oauth/revoke", { token, client_id: "authz-cli" }, { proofs: [] }),
      isTaken: async () => succeeded(await device.userinfo(token)),
    };
  },
  async "a code that was redeemed"() {
    const form = device.codeParameters(await device.authorize());
    const redeem = () => device.token(form);
    return { spend: redeem, isTaken: async () => succeeded(await redeem()) };
  },
  async "a device code that was redeemed"() {
    const begun = await device.post("/api/oauth/device_authorization", {
      client_id: "authz-cli",
      scope: allScopes,
    });
    const browser = createBrowser();
    const page = await signIn(browser, begun.body["verification_uri_complete"] ?? "", "ada");
    const code = /name="user_code" value="([^"]*)"/.exec(page.html)?.[1] ?? "";
    const consent = await browser.submit(readForm(page), { user_code: code });
    await browser.submit(readForm(consent), { decision: "allow" });
    const form = {
      grant_type: "urn:ietf:params:oauth:grant-type:device_code",
      client_id: "authz-cli",
      device_code: begun.body["device_code"],
    };
    return { spend: () => device.token(form), isTaken: async () => succeeded(await device.token(form)) };
  },
  async "a consent that was answered"() {
    const browser = createBrowser();
    const form = readForm(await signIn(browser, device.authorizeUrl(), "ada"));
    const allow = () => browser.submit(form, { decision: "allow" });
    return { spend: allow, isTaken: async () => (await allow()).url.searchParams.has("code") };
  },
  async "a pushed request that was opened"() {
    const { searchParams } = device.authorizeUrl();
    const pushed = await device.post("/api/oauth/par", Object.fromEntries(searchParams));
    const url = new URL(`${system.issuer}/api/oauth/authorize`);
    url.search = new URLSearchParams({
      client_id: "authz-cli",
      request_uri: pushed.body["request_uri"] ?? "",
    }).toString();
    const open = () => signIn(createBrowser(), url, "ada");
    return { spend: open, isTaken: async () => (await open()).html.includes('name="decision"') };
  },
  async "a browser session that was ended"() {
    const provider = new URL(system.idp.issuer).origin;
    let stops = false;
    const browser = createBrowser(
      (url) => (stops && url.origin === provider) || url.pathname === "/callback",
    );
    await signIn(browser, device.authorizeUrl(), "ada");
    stops = true;
    return {
      spend: () => system.database.query("DELETE FROM browser_sessions"),
      isTaken: async () => (await browser.open(device.authorizeUrl())).url.origin !== provider,
    };
  },
  async "what an app was given without asking, until its person ended it"() {
    const { store } = system.server.context;
    await saveKeptClient(store, webApp);
    const [redirect_uri = ""] = webApp.redirectUris;
    const { resource } = system.resource;
    const changes = { client_id: webApp.id, redirect_uri, resource, scope: "contracts:read" };
    const url = device.authorizeUrl(changes);
    const browser = new Browser(({ host }) => host === "claude.ai");
    const page = await signIn(browser, url, "ada");
    const { searchParams } = (await browser.submit(readForm(page), { decision: "allow" })).url;
    await device.token({
      ...device.codeParameters(searchParams.get("code") ?? ""),
      client_id: webApp.id,
      redirect_uri,
    });
    const revocation = { clientId: webApp.id, reason: "revoked_by_user" } as const;
    return {
      spend: () => revokeGrants(revocation, { store, actor: { type: "operator" }, at: new Date() }),
      isTaken: async () => (await signIn(browser, url, "ada")).url.searchParams.has("code"),
    };
  },
  async "a signing key that was retired"() {
    const { kid } = await currentKey();
    return {
      async spend() {
        const { context } = system.server;
        const at = new Date();
        const next = await stageKey({ ...context, at });
        await activateKey({ kid: next.kid, emergency: true }, { ...context, at });
        await context.store.signingKeys.unpublish({ kid, at });
        await reloadKeys(context);
      },
      isTaken: async () => (await publishedKeys()).includes(kid),
    };
  },
};

async function currentKey(): Promise<{ kid: string }> {
  const [key] = await system.server.context.store.signingKeys.listPublished(new Date());
  return { kid: key?.kid ?? "" };
}

async function publishedKeys(): Promise<string[]> {
  const response = await fetch(`${system.issuer}/api/oauth/jwks`);
  return ((await response.json()) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
}

async function takenOf(things: Readonly<Record<string, BroughtBack>>): Promise<Record<string, boolean>> {
  const taken: Record<string, boolean> = {};
  for (const [name, thing] of Object.entries(things)) taken[name] = await thing.isTaken();
  return taken;
}

describe("a backup that is restored", () => {
  const things: Record<string, BroughtBack> = {};
  const all = (taken: boolean) => Object.fromEntries(Object.keys(kinds).map((name) => [name, taken]));
  beforeAll(async () => {
    for (const [name, prepare] of Object.entries(kinds)) things[name] = await prepare();
    await backUp();
    for (const thing of Object.values(things)) await thing.spend();
  });
  beforeEach(restore);

  test("brings back what was used up and ended since, without the command", async () => {
    expect(await takenOf(things)).toEqual(all(true));
  });

  test("brings back nothing of it after the command, which counts what it has ended", async () => {
    const printed = await afterRestore("now");
    expect(printed).toMatch(/ [1-9]\d* {2}signed-in apps\n/);
    expect(printed).toMatch(/ [1-9]\d* {2}browser sessions\n/);
    expect(printed).toMatch(/ 1 {2}device codes\n/);
    expect(printed).toMatch(/ 1 {2}authorization codes\n/);
    expect(printed).toMatch(/ [1-9]\d* {2}authorization requests, /);
    expect(printed).toMatch(/ 1 {2}consents that were remembered\n/);
    expect(printed).toMatch(/ 1 {2}signing keys\n/);
    expect(printed).toContain(`${(await currentKey()).kid} signs from now on.`);
    expect(await takenOf(things)).toEqual(all(false));
  });

  test("takes with it what was made out of it before the command ran", async () => {
    const moment = new Date().toISOString();
    const { body } = await device.token(device.codeParameters(await redeemableCode()));
    await afterRestore(moment);
    expect((await device.refresh(body["refresh_token"] ?? "")).status).toBe(400);
  });

  async function redeemableCode(): Promise<string> {
    const browser = createBrowser();
    const code = await device.authorize({}, browser);
    await system.database.query(
      "UPDATE authorization_codes SET auth_time = now() - interval '1 hour' WHERE used_at IS NULL",
    );
    return code;
  }
});

describe("the command", () => {
  const events = async () => (await system.audit("installation.restored")).length;

  test("is one event, and a second run finds nothing to do and leaves what is new alone", async () => {
    await device.signIn();
    const before = await events();
    const moment = new Date().toISOString();
    await afterRestore(moment);
    expect(await events()).toBe(before + 1);
    expect((await system.audit("installation.restored")).at(-1)).toMatchObject({
      data: { before: moment, ended: { grants: expect.any(Number) as number } },
    });

    const fresh = await device.signIn();
    const { kid } = await currentKey();
    const again = await afterRestore(moment);
    expect(again).not.toMatch(/ [1-9]\d* {2}\w/);
    expect(await events()).toBe(before + 1);
    expect((await currentKey()).kid).toBe(kid);
    expect((await device.refresh(fresh["refresh_token"] ?? "")).status).toBe(200);
  });

  test("leaves what was allowed since", async () => {
    const { store } = system.server.context;
    await saveKeptClient(store, webApp);
    await device.signIn();
    const allowed = `INSERT INTO consents (user_id, client_id, resource_id, scopes, client_digest, given_at)
      SELECT u.id, $1, r.id, '{contracts:read}', '', now() - $2::interval
      FROM (SELECT id FROM users LIMIT 1) AS u, (SELECT id FROM resources LIMIT 1) AS r`;
    await system.database.query("DELETE FROM consents");
    await system.database.query(allowed, [webApp.id, "1 hour"]);
    await system.database.query(allowed, ["authz-cli", "0"]);
    await afterRestore(new Date(Date.now() - 60_000).toISOString());
    const left = await system.database.query("SELECT client_id FROM consents");
    expect(left).toEqual([{ client_id: "authz-cli" }]);
  });

  test("goes on where a batch ends, until everything has ended", async () => {
    await device.signIn();
    await system.database.query(
      `INSERT INTO grants (id, user_id, client_id, jkt, scopes, auth_time, amr, created_at, expires_at)
       SELECT gen_random_uuid(), user_id, client_id, jkt, scopes, auth_time, amr, created_at, expires_at
       FROM (SELECT * FROM grants LIMIT 1) AS one, generate_series(1, 4500)`,
    );
    await system.database.query("UPDATE grants SET expires_at = now() + interval '1 day'");
    expect(await afterRestore("now")).toMatch(/ 45\d\d {2}signed-in apps\n/);
    expect(await system.database.query("SELECT FROM grants WHERE revoked_at IS NULL")).toHaveLength(0);
  });

  test("ends everything or nothing", async () => {
    const { refresh_token: token = "" } = await device.signIn();
    await system.database.query("ALTER TABLE audit_events RENAME TO audit_events_away");
    await expect(afterRestore("now")).rejects.toThrow("audit_events");
    await system.database.query("ALTER TABLE audit_events_away RENAME TO audit_events");
    expect((await device.refresh(token)).status).toBe(200);
  });

  test("refuses a moment in the future, and what is no moment", async () => {
    const { refresh_token: token = "" } = await device.signIn();
    await expect(afterRestore("2126-01-01")).rejects.toThrow("2126-01-01T00:00:00.000Z is in the future");
    await expect(afterRestore("yesterday")).rejects.toThrow("Expected: 2026-11-20");
    expect((await device.refresh(token)).status).toBe(200);
  });
});
