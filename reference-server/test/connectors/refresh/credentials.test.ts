import { underMissingKey } from "../../support/connectors.js";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createCredentials } from "../../../src/connectors/refresh/credentials.js";
import { CredentialsError } from "../../../src/connectors/refresh/load-tokens.js";
import { createProvider } from "../../../src/connectors/provider/provider.js";
import { VaultError } from "../../../src/platform/vault/key-ring.js";
import type { ServerContext } from "../../../src/context.js";
import type { Connection } from "../../../src/store/connections.js";
import type { ThirdPartyFailure } from "../../support/third-party.js";
import { type Connecting, startConnecting } from "../connecting.js";

let connecting: Connecting;
let first: ServerContext;
let second: ServerContext;

beforeAll(async () => {
  connecting = await startConnecting();
  await connecting.system.startSecondInstance();
  const [one, other] = connecting.system.instances;
  if (one === undefined || other === undefined) throw new Error("There are two processes.");
  first = one.context;
  second = other.context;
});

afterAll(() => connecting.close());

beforeEach(async () => {
  await connecting.reset();
  await connecting.ada.connect();
});

async function stored(): Promise<Connection> {
  const connection = await connecting.ada.connection();
  if (connection === undefined) throw new Error("Ada is not connected.");
  return connection;
}

/** Loads as a request would: with what the database says at the moment. */
async function load(context: ServerContext) {
  const connector = await context.store.connectors.findByKey("notes");
  if (connector === undefined) throw new Error("The connector is gone.");
  return await context.connectorCredentials.loadAccessToken(await stored(), connector);
}

async function makeStale(): Promise<void> {
  const { id, credentialVersion } = await stored();
  await first.store.connections.markStale({ id, credentialVersion });
}

/** What is thrown, as far as a client is told. */
async function refusal(work: Promise<unknown>): Promise<Record<string, unknown>> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof CredentialsError)) throw new Error("It was not refused.", { cause: error });
  const { reason, reconnectReason, retryAfterSeconds } = error;
  return { reason, reconnectReason, retryAfterSeconds };
}

/** A process whose third party gets only this long to answer. */
function impatient(timeoutSeconds: number) {
  const { store, connectorVault: vault, outboundFetch, clock, log } = first;
  const { issuer } = connecting.system;
  const provider = createProvider({
    issuer,
    vault,
    outboundFetch,
    allowInsecureLoopback: true,
    timeoutSeconds,
    clockDifferenceSeconds: () => 0,
  });
  return createCredentials({ store, vault, provider, clock, log });
}

async function loadWith(credentials: ReturnType<typeof impatient>) {
  const connector = await first.store.connectors.findByKey("notes");
  if (connector === undefined) throw new Error("The connector is gone.");
  return await credentials.loadAccessToken(await stored(), connector);
}

const lastAudit = async (type: string) => (await connecting.system.audit(type)).at(-1)?.data;

describe("an access token", () => {
  it("is handed out as it is while it has time left", async () => {
    const before = connecting.thirdParty.refreshes();
    const { accessToken, credentialVersion, tokenType } = await load(first);
    expect({ credentialVersion, tokenType }).toEqual({ credentialVersion: 1, tokenType: "Bearer" });
    expect(await connecting.thirdParty.isLive(accessToken)).toBe(true);
    expect(connecting.thirdParty.refreshes()).toBe(before);
  });

  it("is refreshed exactly once, however many requests of however many processes want it", async () => {
    const before = connecting.thirdParty.refreshes();
    const old = await load(first);
    await makeStale();
    const contexts = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? first : second));
    const loaded = await Promise.all(contexts.map(load));
    expect(connecting.thirdParty.refreshes() - before).toBe(1);
    expect(new Set(loaded.map(({ accessToken }) => accessToken)).size).toBe(1);
    expect(loaded[0]?.accessToken).not.toBe(old.accessToken);
    expect(new Set(loaded.map(({ credentialVersion }) => credentialVersion))).toEqual(new Set([2]));
    expect(await stored()).toMatchObject({
      state: "connected",
      credentialVersion: 2,
      refresh: { lease: null, until: null, uncertain: false, notBefore: null },
    });
    expect(await lastAudit("connection.refreshed")).toMatchObject({
      connector: "notes",
      connectionId: (await stored()).id,
    });
    // And the new refresh token works: it was stored.
    await makeStale();
    expect((await load(second)).credentialVersion).toBe(3);
  });

  it("is refreshed when it has less than half a minute left", async () => {
    connecting.system.advance(3600 - 29);
    expect((await load(first)).credentialVersion).toBe(2);
    connecting.system.advance(29 - 3600);
  });

  it("is not renewed while new tokens could not be sealed: the old ones would be used up", async () => {
    const before = connecting.thirdParty.refreshes();
    await makeStale();
    const { store, connectorVault, connectorProvider: provider, clock, log } = first;
    const prepare = () => Promise.reject(new VaultError("unavailable", "Vault is sealed."));
    const vault = { ...connectorVault, prepare };
    const keyless = createCredentials({ store, vault, provider, clock, log });

    await expect(loadWith(keyless)).rejects.toThrow("Vault is sealed.");
    expect(connecting.thirdParty.refreshes()).toBe(before);
    expect(await stored()).toMatchObject({ state: "connected", refresh: { lease: null, uncertain: false } });
    expect((await load(first)).credentialVersion).toBe(2);
  });

  it("cannot be renewed without a refresh token", async () => {
    connecting.thirdParty.refreshTokens = false;
    await connecting.change({
      scopes: connecting.connector.scopes.filter(({ scope }) => scope !== "offline_access"),
    });
    await connecting.ada.connect();
    expect((await stored()).refreshable).toBe(false);
    await makeStale();
    // A third party that refused one request has not refused the token.
    expect(await load(first)).toMatchObject({ credentialVersion: 1 + 1 });
    // And it is not asked about that one again.
    expect((await stored()).accessExpiresAt).toBeNull();
    await makeStale();
    await connecting.thirdParty.revokeGrants();
    expect(await refusal(load(first))).toMatchObject({
      reason: "reconnect_required",
      reconnectReason: "expired",
    });
    expect(await stored()).toMatchObject({ state: "reconnect_required", reason: "expired" });
    expect(await lastAudit("connection.reconnect_required")).toMatchObject({ reason: "expired" });
  });
});

describe("a refresh that fails", () => {
  const away: readonly {
    readonly name: string;
    readonly failure: ThirdPartyFailure;
    readonly uncertain: boolean;
    readonly wait: number;
  }[] = [
    { name: "with 503", failure: { kind: "answer", status: 503 }, uncertain: true, wait: 5 },
    { name: "with a broken connection", failure: { kind: "break" }, uncertain: true, wait: 5 },
    { name: "with nonsense", failure: { kind: "answer", status: 200, body: "{" }, uncertain: true, wait: 5 },
    {
      name: "with 429",
      failure: { kind: "answer", status: 429, headers: { "retry-after": "7" } },
      uncertain: false,
      wait: 7,
    },
    {
      name: "because the client secret is wrong",
      failure: { kind: "answer", status: 401, body: '{"error":"invalid_client"}' },
      uncertain: false,
      wait: 60,
    },
  ];

  it.each(away)(
    "$name leaves the connection as it is, and pauses refreshes",
    async ({ failure, uncertain, wait }) => {
      const { thirdParty, system } = connecting;
      await makeStale();
      thirdParty.failures.set("token", failure);
      expect(await refusal(load(first))).toEqual({
        reason: "refresh_unavailable",
        reconnectReason: undefined,
        retryAfterSeconds: wait,
      });
      expect(await stored()).toMatchObject({
        state: "connected",
        credentialVersion: 1,
        refresh: { lease: null, uncertain },
      });
      thirdParty.failures.clear();
      expect(await refusal(load(second))).toMatchObject({ reason: "refresh_unavailable" });
      system.advance(wait + 1);
      expect((await load(second)).credentialVersion).toBe(2);
      expect((await stored()).refresh.uncertain).toBe(false);
      system.advance(-wait - 1);
    },
  );

  it("with a third party that is slow gives up after its time, and keeps what comes later from being lost", async () => {
    const { thirdParty, system } = connecting;
    await makeStale();
    let answer = () => {};
    const until = new Promise<void>((resolve) => {
      answer = resolve;
    });
    thirdParty.failures.set("token", { kind: "wait", until });
    expect(await refusal(loadWith(impatient(0.2)))).toMatchObject({ reason: "refresh_unavailable" });
    expect((await stored()).refresh).toMatchObject({ uncertain: true, lease: null });
    thirdParty.failures.clear();
    answer();
    system.advance(6);
    // Whether the third party has rotated by now or not: a token, or a connection that says what happened.
    const result = await load(first).catch((error: unknown) => (error as CredentialsError).reconnectReason);
    expect(["rotation_lost", 2]).toContain(typeof result === "object" ? result.credentialVersion : result);
    system.advance(-6);
  });

  it("because the rotated token was lost asks the person to connect again, and says so", async () => {
    const { thirdParty, system } = connecting;
    await makeStale();
    thirdParty.failures.set("token", { kind: "break", afterwards: true });
    expect(await refusal(load(first))).toMatchObject({ reason: "refresh_unavailable" });
    thirdParty.failures.clear();
    system.advance(6);
    expect(await refusal(load(first))).toMatchObject({
      reason: "reconnect_required",
      reconnectReason: "rotation_lost",
    });
    system.advance(-6);
    expect(await stored()).toMatchObject({ state: "reconnect_required", reason: "rotation_lost" });
    expect((await connecting.ada.connect()).html).toContain("Notes is connected");
    expect((await load(second)).accessToken).toBeTruthy();
  });

  it("because everything was revoked there says that it was refused", async () => {
    await makeStale();
    await connecting.thirdParty.revokeGrants();
    expect(await refusal(load(first))).toMatchObject({
      reason: "reconnect_required",
      reconnectReason: "refused",
    });
    expect(await refusal(load(second))).toMatchObject({
      reason: "reconnect_required",
      reconnectReason: "refused",
    });
    expect(await lastAudit("connection.reconnect_required")).toMatchObject({ reason: "refused" });
  });

  it("because its process was killed is taken over, and what was lost is called lost", async () => {
    const { id, credentialVersion } = await stored();
    await makeStale();
    const now = new Date(first.clock());
    const lease = {
      id,
      credentialVersion,
      lease: "of a process that is gone",
      now,
      until: new Date(now.getTime() + 15_000),
    };
    expect(await first.store.connections.beginRefresh(lease)).toBe(true);
    await connecting.thirdParty.revokeGrants();
    connecting.system.advance(16);
    expect(await refusal(load(second))).toMatchObject({ reconnectReason: "rotation_lost" });
    connecting.system.advance(-16);
  });
});

describe("a refresh that brings less", () => {
  it("stores that an optional scope is gone", async () => {
    await makeStale();
    await connecting.thirdParty.shrinkGrants(["notes:write"]);
    expect((await load(first)).credentialVersion).toBe(2);
    expect((await stored()).grantedScopes).toEqual([
      "openid",
      "email",
      "offline_access",
      "notes:read",
      "notes:share",
    ]);
  });

  it("asks to connect again when a required scope is gone", async () => {
    await makeStale();
    await connecting.thirdParty.shrinkGrants(["notes:read"]);
    expect(await refusal(load(first))).toMatchObject({
      reason: "reconnect_required",
      reconnectReason: "grant_shrunk",
    });
    expect(await stored()).toMatchObject({
      state: "reconnect_required",
      reason: "grant_shrunk",
      credentialVersion: 2,
    });
  });
});

describe("tokens", () => {
  it("are used only by the client that they were issued to", async () => {
    await connecting.change({ clientId: "another-client" });
    const before = connecting.thirdParty.tokenRequests.length;
    expect(await refusal(load(first))).toMatchObject({ reconnectReason: "client_changed" });
    expect(connecting.thirdParty.tokenRequests.length).toBe(before);
  });

  it("that are renewed go only to the hosts of those before them", async () => {
    const { requestPrefixes } = connecting.connector;
    await connecting.change({ requestPrefixes: [...requestPrefixes, "https://elsewhere.example"] });
    await makeStale();
    const renewed = await load(first);
    expect(renewed.credentialVersion).toBe(2);
    expect(renewed.origins).toContain(new URL(requestPrefixes[0] ?? "").origin);
    expect(renewed.origins).not.toContain("https://elsewhere.example");
    expect((await load(second)).origins).toEqual(renewed.origins);
  });

  it("that were altered in the database ask to connect again", async () => {
    await connecting.system.database.query(
      "UPDATE connections SET credentials = set_byte(credentials, 40, get_byte(credentials, 40) # 1)",
    );
    expect(await refusal(load(first))).toMatchObject({ reconnectReason: "unreadable" });
    expect(connecting.system.log.some(({ code }) => code === "CONNECTION_UNREADABLE")).toBe(true);
  });

  it("whose key is missing here stay as they are", async () => {
    await connecting.system.database.query(
      `UPDATE connections SET credentials = ${underMissingKey("credentials")}`,
    );
    await expect(load(first)).rejects.toBeInstanceOf(VaultError);
    expect((await stored()).state).toBe("connected");
  });

  it("of a connection that is being disconnected are not handed out", async () => {
    await first.store.connections.block({ id: (await stored()).id, now: new Date() });
    expect(await refusal(load(first))).toMatchObject({ reason: "disconnecting" });
  });
});
