import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createDataKeyCache } from "../../../src/platform/vault/data-key-cache.js";
import {
  createTransitClient,
  type TokenSource,
  type TransitConfig,
} from "../../../src/platform/vault/transit-client.js";
import { createTransitKeys } from "../../../src/platform/vault/transit-keys.js";
import { type KeyEncryption, VaultError, type WrappedKey } from "../../../src/platform/vault/key-ring.js";
import { startTransitEngine, type TransitEngine } from "../../support/transit-engine.js";

const row = "connections/1/2/3";
const dataKey = randomBytes(32);
let engine: TransitEngine;
let seconds: number;
beforeEach(async () => {
  engine = await startTransitEngine();
  seconds = 0;
});
afterEach(() => engine.close());

function configOf(changes: Partial<TransitConfig> = {}): TransitConfig {
  const token: TokenSource = { text: "s.first" };
  return { address: engine.address, token, mount: "transit", key: "authz", namespace: undefined, ...changes };
}

/** As a process sees it: with a cache of its own. */
function keysOf(
  changes: Partial<TransitConfig> = {},
  readToken: (path: string) => Promise<string> = noFile,
): KeyEncryption {
  return createTransitKeys(configOf(changes), { clock: () => seconds * 1000, readToken });
}

function noFile(): Promise<string> {
  return Promise.reject(new Error("there is no file"));
}

async function errorOf(work: Promise<unknown>): Promise<VaultError> {
  return await work.then(
    () => expect.fail("nothing was refused"),
    (error: unknown) => error as VaultError,
  );
}

describe("a data key", () => {
  test("goes to the engine and comes back, bound to its row", async () => {
    const key = await keysOf().wrap(dataKey, row);

    expect(key.keyId).toBe("vault:transit/authz:v1");
    expect(key.wrapped.toString()).toMatch(/^vault:v1:/);
    expect(await keysOf().unwrap(key, row)).toEqual(dataKey);
    expect(await errorOf(keysOf().unwrap(key, "connections/1/2/4"))).toMatchObject({ reason: "unreadable" });
    expect(engine.requests[0]).toMatchObject({
      path: "POST /v1/transit/encrypt/authz",
      headers: { "x-vault-token": "s.first", "x-vault-request": "true", "content-type": "application/json" },
    });
    expect(engine.requests[0]?.headers["x-vault-namespace"]).toBeUndefined();
  });

  test("is asked for in a namespace, below a mount", async () => {
    await engine.close();
    engine = await startTransitEngine({ mount: "security/keys", key: "connectors" });
    const place = { mount: "security/keys", key: "connectors", namespace: "team/a" };
    const key = await keysOf(place).wrap(dataKey, row);
    expect(key.keyId).toBe("vault:security/keys/connectors:v1");
    expect(engine.requests[0]?.headers["x-vault-namespace"]).toBe("team/a");
  });

  test("keeps its version when the engine's key is rotated, and new ones get the next", async () => {
    const keys = keysOf();
    const old = await keys.wrap(dataKey, row);
    expect(await keys.activeKeyId()).toBe("vault:transit/authz:v1");
    engine.rotate();
    seconds = 60;

    expect(await keys.activeKeyId()).toBe("vault:transit/authz:v2");
    expect((await keys.wrap(dataKey, row)).keyId).toBe("vault:transit/authz:v2");
    expect(await keys.unwrap(old, row)).toEqual(dataKey);
  });

  test("of a version that is over does not open", async () => {
    const key = await keysOf().wrap(dataKey, row);
    engine.rotate();
    engine.minDecryptionVersion = 2;
    const error = await errorOf(keysOf().unwrap(key, row));
    expect(error).toMatchObject({ reason: "unreadable" });
    expect(error.message).toContain("min_decryption_version");
  });

  const altered: { name: string; change: (key: WrappedKey) => WrappedKey }[] = [
    { name: "an altered byte", change: (key) => ({ ...key, wrapped: flipped(key.wrapped) }) },
    { name: "a missing end", change: (key) => ({ ...key, wrapped: key.wrapped.subarray(0, -8) }) },
    { name: "nothing at all", change: (key) => ({ ...key, wrapped: Buffer.alloc(0) }) },
    { name: "another version", change: (key) => ({ ...key, keyId: "vault:transit/authz:v2" }) },
  ];
  test.each(altered)("with $name does not open", async ({ change }) => {
    const key = change(await keysOf().wrap(dataKey, row));
    expect(await errorOf(keysOf().unwrap(key, row))).toMatchObject({ reason: "unreadable" });
  });
  function flipped(bytes: Buffer): Buffer {
    const text = bytes.toString();
    return Buffer.from(`${text.slice(0, 20)}${text[20] === "A" ? "B" : "A"}${text.slice(21)}`);
  }
});

test.each([
  ["vault:transit/authz:v1", true],
  ["vault:transit/authz:v12", true],
  ["vault:transit/authz:v", false],
  ["vault:transit/authz:v1/../../sys", false],
  ["vault:transit/other:v1", false],
  ["vault:other/authz:v1", false],
  ["env:0123456789abcdef", false],
])("the id %s is of this engine's key: %s", (keyId, expected) => {
  expect(keysOf().owns(keyId)).toBe(expected);
});

describe("an opened data key", () => {
  const decryptions = () => engine.requests.filter(({ path }) => path.includes("/decrypt/")).length;

  test("is kept for a minute, for exactly these bytes and this row", async () => {
    const key = await keysOf().wrap(dataKey, row);
    const keys = keysOf();
    for (const second of [0, 30, 59]) {
      seconds = second;
      expect(await keys.unwrap(key, row)).toEqual(dataKey);
    }
    expect(decryptions()).toBe(1);
    await errorOf(keys.unwrap(key, "connections/9/2/3"));
    expect(decryptions()).toBe(2);
    seconds = 60;
    await keys.unwrap(key, row);
    expect(decryptions()).toBe(3);
  });

  test("is the caller's own copy, which it can wipe", async () => {
    const keys = keysOf();
    const key = await keys.wrap(dataKey, row);
    (await keys.unwrap(key, row)).fill(0);
    expect(await keys.unwrap(key, row)).toEqual(dataKey);
    expect(decryptions()).toBe(0);
  });

  test("is asked for once by requests that come together, and each gets a copy", async () => {
    const key = await keysOf().wrap(dataKey, row);
    const keys = keysOf();
    const opened = await Promise.all(Array.from({ length: 10 }, () => keys.unwrap(key, row)));
    expect(decryptions()).toBe(1);
    opened[0]?.fill(0);
    expect(opened.slice(1)).toEqual(Array.from({ length: 9 }, () => dataKey));
  });

  test("makes room for others when there are a thousand, the oldest first", () => {
    const cache = createDataKeyCache(() => 0);
    const key = { keyId: "vault:transit/authz:v1", wrapped: Buffer.from("vault:v1:x") };
    for (let index = 0; index <= 1_000; index += 1) cache.set(key, `row ${index}`, dataKey);
    expect(cache.get(key, "row 0")).toBeUndefined();
    expect(cache.get(key, "row 1")).toEqual(dataKey);
    expect(cache.get(key, "row 1000")).toEqual(dataKey);
  });
});

describe("the token", () => {
  test("is read from its file at the first call, and again when the engine refuses it", async () => {
    let text = "s.first\n";
    let reads = 0;
    const readToken = async (path: string) => {
      expect(path).toBe("/run/vault/token");
      reads += 1;
      return text;
    };
    const keys = keysOf({ token: { file: "/run/vault/token" } }, readToken);
    expect(reads).toBe(0);
    const key = await keys.wrap(dataKey, row);
    await keys.wrap(dataKey, row);
    expect(reads).toBe(1);

    engine.tokens.clear();
    engine.tokens.add("s.second");
    text = "s.second";
    await keys.wrap(dataKey, "another row");
    expect(reads).toBe(2);
    seconds = 100;
    expect(await keys.unwrap(key, row)).toEqual(dataKey);
    expect(reads).toBe(2);
  });

  test("is not sent again when the file still has the one that was refused", async () => {
    const keys = keysOf({ token: { file: "f" } }, async () => "s.over");
    expect(await errorOf(keys.wrap(dataKey, row))).toMatchObject({ reason: "unavailable" });
    expect(engine.requests).toHaveLength(1);
  });

  test.each([
    ["is missing", noFile],
    ["is empty", async () => "\n"],
    ["holds two lines", async () => "a\nb"],
  ])("cannot be used when its file %s", async (_name, readToken) => {
    const error = await errorOf(keysOf({ token: { file: "f" } }, readToken).wrap(dataKey, row));
    expect(error).toMatchObject({ reason: "unavailable" });
    expect(error.message).toContain("AUTHZ_CONNECTOR_VAULT_TOKEN_FILE");
    expect(engine.requests).toHaveLength(0);
  });
});

describe("the engine is not available", () => {
  const ciphertext = (text: unknown) => ({
    status: 200,
    body: JSON.stringify({ data: { ciphertext: text } }),
  });
  const cases: { name: string; change: () => void; says: RegExp; config?: Partial<TransitConfig> }[] = [
    { name: "sealed", change: () => void (engine.sealed = true), says: /answered 503: it is sealed/ },
    {
      name: "a token that is over",
      change: () => engine.tokens.clear(),
      says: /answered 403: the token has expired/,
    },
    {
      name: "another mount",
      change: nothing,
      config: { mount: "kv" },
      says: /answered 404: check that the mount/,
    },
    { name: "another key", change: nothing, config: { key: "other" }, says: /answered 400: check that/ },
    { name: "an error", change: () => answer({ status: 500, body: "oops" }), says: /answered 500/ },
    { name: "a page", change: () => answer({ status: 200, body: "<html>" }), says: /answered 200/ },
    { name: "no data", change: () => answer({ status: 200, body: "{}" }), says: /answered 200/ },
    { name: "no ciphertext", change: () => answer(ciphertext(7)), says: /not from a transit engine/ },
    {
      name: "a strange ciphertext",
      change: () => answer(ciphertext("v1:x")),
      says: /not from a transit engine/,
    },
    {
      name: "a redirect, which is not followed",
      change: () => answer({ status: 307, body: "", headers: { Location: "/elsewhere" } }),
      says: /answered 307: it points somewhere else/,
    },
    {
      name: "an answer without end",
      change: () => answer({ status: 200, body: "x".repeat(70_000) }),
      says: /cannot be reached/,
    },
  ];
  function nothing(): void {}
  function answer(instead: TransitEngine["instead"]): void {
    engine.instead = instead;
  }

  test.each(cases)("with $name", async ({ change, says, config }) => {
    change();
    const keys = keysOf(config);
    const error = await errorOf(keys.wrap(dataKey, row));
    expect(error).toMatchObject({ name: "VaultError", reason: "unavailable" });
    expect(error.message).toMatch(says);
    expect(`${error.message} ${String(error.cause)}`).not.toMatch(/s\.first/);
    expect(engine.requests).toHaveLength(1);
    expect(await errorOf(keys.activeKeyId())).toMatchObject({ reason: "unavailable" });
  });

  test("when the connection is refused", async () => {
    const { address } = engine;
    await engine.close();
    const error = await errorOf(keysOf({ address }).wrap(dataKey, row));
    expect(error).toMatchObject({ reason: "unavailable" });
    expect(error.message).toContain(`${address} cannot be reached`);
    engine = await startTransitEngine();
  });

  test("when it takes the request and does not answer", async () => {
    engine.silent = true;
    const options = { readToken: noFile, timeoutSeconds: 0.05 };
    const error = await errorOf(createTransitClient(configOf(), options)("encrypt", {}));
    expect(error).toMatchObject({ reason: "unavailable" });
    expect(error.message).toContain("did not answer within");
  });

  test("for a moment: the next call goes on", async () => {
    const keys = keysOf();
    engine.sealed = true;
    await errorOf(keys.wrap(dataKey, row));
    engine.sealed = false;
    expect((await keys.wrap(dataKey, row)).keyId).toBe("vault:transit/authz:v1");
  });
});
