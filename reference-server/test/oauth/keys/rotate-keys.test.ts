import { generateEs256KeyPair } from "@authz/dpop";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createServer } from "../../../src/server.js";
import { VaultError } from "../../../src/platform/vault/key-ring.js";
import { loadConfig } from "../../../src/config/config.js";
import { initialise } from "../../../src/upkeep/start/initialise.js";
import { reloadKeys } from "../../../src/oauth/keys/keys.js";
import {
  activateDueKeys,
  activateKey,
  publicationSeconds,
  retentionSeconds,
  retireKey,
  scheduleKey,
  SigningKeyError,
  stageKey,
} from "../../../src/oauth/keys/rotate-keys.js";
import { testEnvironment } from "../../support/environment.js";
import { createTestServer, type TestServer } from "../../support/server.js";

let server: TestServer;
/** The last event before a test. */
let lastEvent: string;
beforeAll(async () => {
  server = await createTestServer();
});
beforeEach(async () => {
  await server.database.query("DELETE FROM signing_keys");
  const [row] = await server.database.query<{ id: string }>(
    "SELECT coalesce(max(id), 0)::text AS id FROM audit_events",
  );
  lastEvent = row?.id ?? "0";
  await initialise(server.context);
});
afterAll(() => server.close());

const firstKid = () => server.context.config.signingKey.kid;
const options = () => ({ ...server.context, at: new Date(server.clock()) });
const activate = (kid: string, emergency = false) => activateKey({ kid, emergency }, options());
const retire = (kid: string, emergency = false) => retireKey({ kid, emergency }, options());

async function stageLongAgo(): Promise<string> {
  const { kid } = await stageKey(options());
  server.clock.advance(publicationSeconds);
  return kid;
}

async function publishedKids(): Promise<string[]> {
  await reloadKeys(server.context);
  const { keys } = (await server.app.inject("/api/oauth/jwks")).json<{ keys: { kid: string }[] }>();
  return keys.map(({ kid }) => kid);
}

async function audited(): Promise<unknown[]> {
  const rows = await server.database.query<{ type: string; actorType: string; data: object }>(
    `SELECT type, actor_type AS "actorType", data FROM audit_events WHERE type LIKE 'signing_key.%' AND id > $1 ORDER BY id`,
    [lastEvent],
  );
  return rows.map(({ type, actorType, data }) => ({ type, actorType, ...data }));
}

describe("the key of the environment", () => {
  test("is the first active key, and ten processes that start together take it once", async () => {
    await Promise.all(Array.from({ length: 10 }, () => initialise(server.context)));
    const [key, ...others] = await server.context.store.signingKeys.list({ limit: 10 });
    expect(key).toMatchObject({ kid: firstKid(), state: "active", source: "environment" });
    expect(others).toEqual([]);
    expect(await audited()).toEqual([
      { type: "signing_key.staged", actorType: "system", kid: firstKid(), source: "environment" },
      {
        type: "signing_key.activated",
        actorType: "system",
        kid: firstKid(),
        replaced: null,
        emergency: false,
      },
    ]);
  });

  test("that is another one later is staged and changes nothing else", async () => {
    const { privateJwk, publicJwk } = await generateEs256KeyPair();
    const kid = "9d5d3f0e-1111-4222-8333-444455556666";
    const config = loadConfig(
      testEnvironment({
        POSTGRES_URL: server.database.url,
        AUTHZ_SIGNING_KID: kid,
        AUTHZ_SIGNING_PRIVATE_JWK: JSON.stringify(privateJwk),
        AUTHZ_SIGNING_PUBLIC_JWK: JSON.stringify(publicJwk),
      }),
    );
    const other = await createServer(config, { log: server.context.log, clock: server.clock });
    await initialise(other.context);
    expect(server.log.at(-1)).toMatchObject({ kid, msg: expect.stringContaining("keys activate") as string });
    // The process with the new environment signs with the active key, which it has from the database.
    const token = other.context.keys.sign({ typ: "JWT" }, {});
    expect(JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString())).toMatchObject({
      kid: firstKid(),
    });
    await other.close();
    expect(await publishedKids()).toEqual([firstKid(), kid]);
  });

  test("is refused under a kid that the database knows with another key", async () => {
    const { x, y } = (await generateEs256KeyPair()).publicJwk;
    await server.database.query("UPDATE signing_keys SET public_jwk = $1", [
      JSON.stringify({ kty: "EC", crv: "P-256", x, y }),
    ]);
    await expect(initialise(server.context)).rejects.toMatchObject({ reason: "kid_taken" });
  });
});

describe("a rotation", () => {
  test("publishes, waits, signs, and keeps the old key until what it signed has expired", async () => {
    const { kid } = await stageKey(options());
    expect(await publishedKids()).toEqual([firstKid(), kid]);
    server.clock.advance(publicationSeconds);
    expect(await activate(kid)).toMatchObject({ retired: firstKid() });
    expect(await publishedKids()).toEqual([kid, firstKid()]);
    server.clock.advance(retentionSeconds - 1);
    expect(await publishedKids()).toEqual([kid, firstKid()]);
    server.clock.advance(1);
    expect(await publishedKids()).toEqual([kid]);
    expect((await audited()).slice(2)).toEqual([
      { type: "signing_key.staged", actorType: "operator", kid, source: "generated" },
      { type: "signing_key.activated", actorType: "operator", kid, replaced: firstKid(), emergency: false },
      {
        type: "signing_key.retired",
        actorType: "operator",
        kid: firstKid(),
        publishedUntil: new Date(server.clock()).toISOString(),
        emergency: false,
      },
    ]);
  });

  test("begins by itself at its time, once, however many processes look", async () => {
    const { kid } = await stageKey(options());
    const due = () => activateDueKeys(options());
    await scheduleKey({ kid, activatesAt: "when_ready" }, options());
    server.clock.advance(publicationSeconds - 1);
    expect(await due()).toBe(false);
    expect(await publishedKids()).toEqual([firstKid(), kid]);
    server.clock.advance(1);
    const changed = await Promise.all(Array.from({ length: 10 }, due));
    expect(changed.filter(Boolean)).toHaveLength(1);
    expect(await publishedKids()).toEqual([kid, firstKid()]);
    expect((await audited()).slice(4)).toMatchObject([
      { type: "signing_key.activated", actorType: "system", kid, replaced: firstKid(), emergency: false },
      { type: "signing_key.retired", actorType: "system", kid: firstKid() },
    ]);
  });

  test("does not begin by itself with a key that was withdrawn, or activated before", async () => {
    const withdrawn = await stageKey(options());
    const activated = await stageKey(options());
    for (const { kid } of [withdrawn, activated]) {
      await scheduleKey({ kid, activatesAt: "when_ready" }, options());
    }
    await retire(withdrawn.kid);
    await activate(activated.kid, true);
    server.clock.advance(publicationSeconds);
    expect(await activateDueKeys(options())).toBe(false);
    expect((await publishedKids())[0]).toBe(activated.kid);
  });

  test("holds private keys encrypted, bound to their row, and only while they may sign", async () => {
    const kid = await stageLongAgo();
    const stored = () =>
      server.database.query<{ kid: string; private_jwk: Buffer | null }>(
        "SELECT kid, private_jwk FROM signing_keys ORDER BY kid = $1",
        [kid],
      );
    for (const { private_jwk } of await stored()) {
      expect(private_jwk?.toString("latin1")).not.toMatch(/"d"|kty/);
    }
    await activate(kid);
    expect((await stored()).map(({ private_jwk }) => private_jwk === null)).toEqual([true, false]);

    const sealed = (await stored())[1]?.private_jwk ?? Buffer.alloc(0);
    const { credentials } = server.context;
    await expect(credentials.open(sealed, `signing_keys/${firstKid()}`)).rejects.toBeInstanceOf(VaultError);
    expect(JSON.parse(await credentials.open(sealed, `signing_keys/${kid}`))).toHaveProperty("d");
  });

  test("asked for by two operators at the same moment happens once", async () => {
    const kid = await stageLongAgo();
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => activate(kid)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await publishedKids()).toEqual([kid, firstKid()]);
  });

  test("to different keys at the same moment leaves exactly one active key", async () => {
    const kids = await Promise.all(Array.from({ length: 4 }, async () => (await stageKey(options())).kid));
    server.clock.advance(publicationSeconds);
    await Promise.all(kids.map((kid) => activate(kid)));
    const states = (await server.context.store.signingKeys.list({ limit: 10 })).map(({ state }) => state);
    expect(states.toSorted()).toEqual(["active", "retired", "retired", "retired", "retired"]);
  });

  test("cannot leave two active keys, enforced by the database", async () => {
    await stageLongAgo();
    const both = "UPDATE signing_keys SET state = 'active', activated_at = now()";
    await expect(server.database.query(both)).rejects.toThrow("signing_keys_one_active");
  });
});

describe("a refusal says why and what to do:", () => {
  const activateEarly = async (seconds: number) => {
    const { kid } = await stageKey(options());
    server.clock.advance(seconds);
    return await activate(kid);
  };
  const rotate = async () => activate(await stageLongAgo());

  test.each<[name: string, change: () => Promise<unknown>, reason: string, message: string]>([
    ["activating a key that was just staged", () => activateEarly(0), "too_early", "in 15 minutes"],
    [
      "activating a key a second too early",
      () => activateEarly(publicationSeconds - 1),
      "too_early",
      "in one minute",
    ],
    ["activating the active key", () => activate(firstKid()), "not_staged", "already the active key"],
    [
      "activating a retired key",
      async () => rotate().then(() => activate(firstKid(), true)),
      "not_staged",
      "never signs again",
    ],
    ["activating an unknown key", () => activate("nothing"), "unknown_key", "keys list"],
    ["retiring the active key", () => retire(firstKid(), true), "still_active", "keys activate"],
    ["retiring an unknown key", () => retire("nothing"), "unknown_key", "keys list"],
    [
      "retiring a retired key",
      async () => rotate().then(() => retire(firstKid())),
      "already_retired",
      "--emergency",
    ],
  ])("%s", async (_name, change, reason, message) => {
    const error = await change().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SigningKeyError);
    expect(error).toMatchObject({ reason });
    expect((error as Error).message).toContain(message);
  });
});

describe("in an emergency", () => {
  test("a key signs at once, and the one in wrong hands leaves the key set", async () => {
    const { kid } = await stageKey(options());
    await activate(kid, true);
    await retire(firstKid(), true);
    expect(await publishedKids()).toEqual([kid]);
    expect((await audited()).slice(-3)).toMatchObject([
      { type: "signing_key.activated", kid, emergency: true },
      { type: "signing_key.retired", kid: firstKid(), emergency: false },
      { type: "signing_key.retired", kid: firstKid(), emergency: true },
    ]);
  });
});

test("a staged key that is retired leaves the key set at once, with its private key", async () => {
  const { kid } = await stageKey(options());
  await retire(kid);
  expect(await publishedKids()).toEqual([firstKid()]);
  expect(await server.context.store.signingKeys.find(kid)).toMatchObject({
    state: "retired",
    privateJwk: null,
  });
});
