import { underMissingKey } from "../../support/connectors.js";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { disconnect } from "../../../src/connectors/disconnect/disconnect.js";
import { finishLeftOver } from "../../../src/connectors/disconnect/finish-left-over.js";
import { openTokens } from "../../../src/connectors/refresh/stored-tokens.js";
import { VaultError } from "../../../src/platform/vault/key-ring.js";
import type { ServerContext } from "../../../src/context.js";
import { readForm } from "../../support/browser.js";
import { type Connecting, type Person, startConnecting } from "../connecting.js";

let connecting: Connecting;
let context: ServerContext;
let ada: Person;

beforeAll(async () => {
  connecting = await startConnecting();
  ({ ada } = connecting);
  ({ context } = connecting.system.server);
});

afterAll(() => connecting.close());

beforeEach(async () => {
  await connecting.reset();
  await ada.connect();
});

/** The tokens that are stored now. */
async function tokens(): Promise<readonly string[]> {
  const connection = await ada.connection();
  if (connection === undefined) throw new Error("Ada is not connected.");
  const { accessToken, refreshToken = "" } = await openTokens(connection, context.connectorVault);
  return [accessToken, refreshToken];
}

async function alive(those: readonly string[]): Promise<readonly boolean[]> {
  return await Promise.all(those.map((token) => connecting.thirdParty.isLive(token)));
}

const leftOver = () => {
  const { store, connectorVault: vault, connectorProvider: provider, clock, log } = context;
  return finishLeftOver({ store, vault, provider, clock, log });
};

const lastRemoval = async () => (await connecting.system.audit("connection.removed")).at(-1);

describe("disconnecting", () => {
  it("ends the tokens at the third party, and removes what is stored", async () => {
    const ended = await tokens();
    expect(await alive(ended)).toEqual([true, true]);
    const { status, body } = await ada.call("DELETE", "/notes");
    expect({ status, body }).toEqual({ status: 200, body: { revocation: "confirmed" } });
    expect(await alive(ended)).toEqual([false, false]);
    expect(await ada.connection()).toBeUndefined();
    expect(await lastRemoval()).toMatchObject({
      outcome: "success",
      data: { connector: "notes", revocation: "confirmed" },
    });
    expect((await ada.call("DELETE", "/notes")).body).toMatchObject({ error: "not_connected" });
    expect((await ada.call("DELETE", "/nothing")).body).toMatchObject({ error: "not_found" });
  });

  it.each([
    { name: "answers 503", failure: { kind: "answer", status: 503 } },
    { name: "breaks the connection", failure: { kind: "break" } },
    { name: "refuses", failure: { kind: "answer", status: 400, body: '{"error":"unsupported_token_type"}' } },
  ] as const)("says so when the third party $name", async ({ failure }) => {
    connecting.thirdParty.failures.set("revocation", failure);
    expect((await ada.call("DELETE", "/notes")).body).toEqual({ revocation: "unconfirmed" });
    expect(await ada.connection()).toBeUndefined();
    expect(await lastRemoval()).toMatchObject({ outcome: "failed", data: { revocation: "unconfirmed" } });
  });

  it("says so when the third party has no way to end tokens", async () => {
    await connecting.change({ revocationEndpoint: null });
    expect((await ada.call("DELETE", "/notes")).body).toEqual({ revocation: "unsupported" });
    expect(await ada.connection()).toBeUndefined();
  });

  it("says so when the key of the tokens is missing", async () => {
    await connecting.system.database.query(
      `UPDATE connections SET credentials = ${underMissingKey("credentials")}`,
    );
    expect((await ada.call("DELETE", "/notes")).body).toEqual({ revocation: "unconfirmed" });
    expect(await ada.connection()).toBeUndefined();
  });

  it("still works when an administrator has switched the connector off", async () => {
    await connecting.change({ enabled: false });
    expect((await ada.call("GET", "/notes")).body).toMatchObject({ state: "connected" });
    expect((await ada.call("DELETE", "/notes")).body).toEqual({ revocation: "confirmed" });
    expect((await ada.call("GET", "/notes")).status).toBe(404);
  });

  it("waits for a refresh that is running, and ends what it brings", async () => {
    const connection = await ada.connection();
    const connector = await context.store.connectors.findByKey("notes");
    if (connection === undefined || connector === undefined) throw new Error("Ada is not connected.");
    const { id, credentialVersion } = connection;
    await context.store.connections.markStale({ id, credentialVersion });
    let answer = () => {};
    const until = new Promise<void>((resolve) => {
      answer = resolve;
    });
    connecting.thirdParty.failures.set("token", { kind: "wait", afterwards: true, until });
    const stale = await ada.connection();
    const refreshing = context.connectorCredentials
      .loadAccessToken(stale ?? connection, connector)
      .catch(() => "none");
    await expect.poll(async () => (await ada.connection())?.refresh.lease).toBeTypeOf("string");
    const deleting = ada.call("DELETE", "/notes");
    await expect.poll(async () => (await ada.connection())?.state).toBe("disconnecting");
    expect((await ada.call("DELETE", "/notes")).body).toMatchObject({ error: "disconnecting" });
    expect((await ada.call("POST", "/notes/attempts")).body).toMatchObject({ error: "disconnecting" });
    answer();
    expect(await refreshing).toBe("none");
    expect((await deleting).body).toEqual({ revocation: "confirmed" });
    expect(await ada.connection()).toBeUndefined();
  });

  it("is finished in the background when its process was killed in between", async () => {
    const ended = await tokens();
    const { id } = (await ada.connection()) ?? { id: "" };
    await context.store.connections.block({ id, now: new Date(context.clock()) });
    expect(await leftOver()).toBe(0);
    connecting.system.advance(61);
    expect(await leftOver()).toBe(1);
    connecting.system.advance(-61);
    expect(await ada.connection()).toBeUndefined();
    expect(await alive(ended)).toEqual([false, false]);
    expect(await connecting.system.audit("connection.removed")).toContainEqual(
      expect.objectContaining({ data: expect.objectContaining({ connectionId: id }) as unknown }),
    );
  });
});

it("that fails for one connection keeps no other one from being ended", async () => {
  const { store, connectorVault: vault, connectorProvider, clock, log } = context;
  await connecting.fred.connect();
  const now = new Date(context.clock());
  const { id: first = "" } = (await ada.connection()) ?? {};
  const { id: second = "" } = (await connecting.fred.connection()) ?? {};
  await store.connections.block({ id: first, now });
  await store.connections.block({ id: second, now: new Date(now.getTime() + 1) });
  let asked = 0;
  const revoke: typeof connectorProvider.revoke = async (...what) => {
    asked += 1;
    if (asked === 1) throw new TypeError("Nobody foresaw this.");
    return await connectorProvider.revoke(...what);
  };
  connecting.system.advance(62);
  const provider = { ...connectorProvider, revoke };
  expect(await finishLeftOver({ store, vault, provider, clock, log })).toBe(1);
  expect(await connecting.fred.connection()).toBeUndefined();
  expect((await ada.connection())?.state).toBe("disconnecting");
  expect(await leftOver()).toBe(1);
  connecting.system.advance(-62);
});

describe("when the place of the key is away", () => {
  const vault = () => ({
    ...context.connectorVault,
    open: () => Promise.reject(new VaultError("unavailable", "Vault does not answer.")),
  });
  const dependencies = () => {
    const { store, connectorProvider: provider, clock, log } = context;
    return { store, vault: vault(), provider, clock, log };
  };

  it("a person is told so at once", async () => {
    const { id = "" } = (await ada.connection()) ?? {};
    const by = { actor: { type: "user", id: await ada.id() } } as const;
    expect(await disconnect({ connectionId: id, by }, dependencies())).toBe("unconfirmed");
    expect(await ada.connection()).toBeUndefined();
  });

  it("the server waits, so that the tokens can be ended after all", async () => {
    const { id = "" } = (await ada.connection()) ?? {};
    await context.store.connections.block({ id, now: new Date(context.clock()) });
    connecting.system.advance(61);
    expect(await finishLeftOver(dependencies())).toBe(0);
    expect((await ada.connection())?.state).toBe("disconnecting");
    expect(await leftOver()).toBe(1);
    connecting.system.advance(-61);
    expect((await lastRemoval())?.data).toMatchObject({ revocation: "confirmed" });
  });
});

describe("the page", () => {
  it("asks before it disconnects, and says what became of it", async () => {
    const home = await ada.browser.open(connecting.system.issuer);
    expect(home.html).toContain("as ada@private.example");
    expect(home.html).toContain('href="/connections/disconnect?connector=notes"');
    const question = await ada.browser.open(
      `${connecting.system.issuer}/connections/disconnect?connector=notes`,
    );
    expect(question.html).toContain("Agents can no longer use the account.");
    expect(await ada.connection()).toBeDefined();
    const end = await ada.browser.submit(readForm(question));
    expect(end.html).toContain("Notes has confirmed that the access has ended.");
    expect(await ada.connection()).toBeUndefined();
  });

  it("says where to remove the access when the third party did not confirm", async () => {
    await connecting.change({ kind: "github" });
    connecting.thirdParty.failures.set("revocation", { kind: "answer", status: 503 });
    const question = await ada.browser.open(
      `${connecting.system.issuer}/connections/disconnect?connector=notes`,
    );
    const end = await ada.browser.submit(readForm(question));
    expect(end.html).toContain("did not confirm that the access has ended.");
    expect(end.html).toContain('href="https://github.com/settings/applications"');
  });

  it("does nothing for a form from elsewhere, or for another person", async () => {
    const question = await ada.browser.open(
      `${connecting.system.issuer}/connections/disconnect?connector=notes`,
    );
    const form = readForm(question);
    await ada.browser.submit(form, { csrf: "no" });
    await ada.browser.submit(form, {}, { origin: "https://elsewhere.example" });
    await connecting.fred.browser.submit(form);
    expect((await ada.connection())?.state).toBe("connected");
  });

  it("says on the employee's page that an account has to be connected again, and why", async () => {
    const { id = "", credentialVersion = 0 } = (await ada.connection()) ?? {};
    await context.store.connections.requireReconnect({ id, credentialVersion, reason: "rotation_lost" });
    const home = await ada.browser.open(connecting.system.issuer);
    expect(home.html).toContain("A renewal at Notes was interrupted");
    expect(home.html).toContain("Reconnect");
  });
});
