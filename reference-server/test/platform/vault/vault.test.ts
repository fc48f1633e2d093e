import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { readConnectorKeys } from "../../../src/config/connector-keys.js";
import { createConnectorVault, createCredentialVault } from "../../../src/encryption-keys/open-vaults.js";
import { VaultError } from "../../../src/platform/vault/key-ring.js";
import { connectionRow, connectorRow } from "../../../src/platform/vault/rows.js";
import {
  packSealed,
  type SealedParts,
  sealedKeyId,
  unpackSealed,
} from "../../../src/platform/vault/sealed.js";
import { environmentKeyId } from "../../../src/platform/vault/environment-keys.js";

type Variables = Readonly<Record<string, string>>;

function openVault(variables: Variables) {
  const source = {
    text: (name: string) => variables[name],
    file: (name: string) => variables[`${name}_FILE`],
  };
  const config = readConnectorKeys(source, { allowInsecureLoopback: false });
  return createConnectorVault(config, { clock: Date.now });
}

const first = randomBytes(32);
const second = randomBytes(32);
const text = (...keys: Buffer[]) => keys.map((key) => key.toString("base64")).join(",");
const vault = openVault({ AUTHZ_CONNECTOR_KEK: text(first) });
const ids = { id: "11", connectorId: "22", userId: "33" };
const row = connectionRow(ids);
const tokens = JSON.stringify({ access_token: "gho_secret", note: "ünïcode" });

async function errorOf(work: Promise<unknown>): Promise<VaultError> {
  return await work.then(
    () => expect.fail("nothing was refused"),
    (error: unknown) => error as VaultError,
  );
}

/** Changes the parts of a sealed value. */
function changed(sealed: Buffer, change: (parts: SealedParts) => SealedParts): Buffer {
  const parts = unpackSealed(sealed);
  if (parts === undefined) throw new Error("It is not sealed.");
  return packSealed(change(parts));
}

const withWrapped = (parts: SealedParts, wrapped: Buffer): SealedParts => ({
  ...parts,
  key: { ...parts.key, wrapped },
});
const partsOf = (sealed: Buffer) => unpackSealed(sealed) ?? expect.fail("it is not sealed");

describe("a sealed text", () => {
  test("opens again, and shows nothing of what is in it", async () => {
    const envelope = await vault.seal(tokens, row);

    expect(await vault.open(envelope, row)).toBe(tokens);
    expect(sealedKeyId(envelope)).toBe(environmentKeyId(first));
    expect(sealedKeyId(envelope)).toMatch(/^env:[0-9a-f]{16}$/);
    expect(envelope.includes("gho_secret")).toBe(false);
    expect(envelope.includes(first)).toBe(false);
  });

  test("has a data key of its own each time", async () => {
    const [one, other] = [await vault.seal(tokens, row), await vault.seal(tokens, row)];
    const { key, ciphertext } = partsOf(other);
    expect(partsOf(one).key.wrapped.equals(key.wrapped)).toBe(false);
    expect(partsOf(one).ciphertext.equals(ciphertext)).toBe(false);
    const mixed = changed(one, (parts) => withWrapped(parts, key.wrapped));
    expect(await errorOf(vault.open(mixed, row))).toMatchObject({ reason: "unreadable" });
  });

  test("can be prepared before there is a text, for one text", async () => {
    const prepared = await vault.prepare(row);
    const envelope = prepared.seal(tokens);
    expect(await vault.open(envelope, row)).toBe(tokens);
    expect(() => prepared.seal(tokens)).toThrow(TypeError);
    const unused = await vault.prepare(row);
    unused.discard();
    expect(() => unused.seal(tokens)).toThrow("Prepare another one");
  });

  test("holds an empty text and a large one", async () => {
    for (const each of ["", "x".repeat(200_000)]) {
      expect(await vault.open(await vault.seal(each, row), row)).toBe(each);
    }
  });
});

describe("nothing opens", () => {
  const altered = (bytes: Buffer, index: number) => {
    const copy = Buffer.from(bytes);
    const at = index < 0 ? copy.length + index : index;
    copy.writeUInt8(copy.readUInt8(at) ^ 1, at);
    return copy;
  };
  const bytes = { nonce: 0, tag: 12, ciphertext: -1 };
  const layers = {
    "wrapped key": (parts, change) => withWrapped(parts, change(parts.key.wrapped)),
    ciphertext: (parts, change) => ({ ...parts, ciphertext: change(parts.ciphertext) }),
  } satisfies Record<string, (parts: SealedParts, change: (layer: Buffer) => Buffer) => SealedParts>;
  const cases: { name: string; change: (envelope: Buffer) => Buffer; otherRow?: string }[] = [
    ...Object.entries(layers).flatMap(([layer, changeLayer]) => [
      ...Object.entries(bytes).map(([part, index]) => ({
        name: `with an altered ${part} of the ${layer}`,
        change: (sealed: Buffer) =>
          changed(sealed, (parts) => changeLayer(parts, (bytesOf) => altered(bytesOf, index))),
      })),
      ...[0, 1, 27, -1].map((length) => ({
        name: `with a ${layer} cut to ${length} bytes`,
        change: (sealed: Buffer) =>
          changed(sealed, (parts) => changeLayer(parts, (bytesOf) => bytesOf.subarray(0, length))),
      })),
    ]),
    ...[0, 4, 5, 20, 60].map((length) => ({
      name: `cut to ${length} bytes`,
      change: (sealed: Buffer) => sealed.subarray(0, length),
    })),
    { name: "with another format byte", change: (sealed) => altered(sealed, 0) },
    { name: "with another length of the wrapped key", change: (sealed) => altered(sealed, 4) },
    { name: "with a wrapped key longer than all", change: (sealed) => altered(sealed, 3) },
    { name: "with a key id longer than all", change: (sealed) => altered(sealed, 1) },
    { name: "for another id", change: same, otherRow: connectionRow({ ...ids, id: "12" }) },
    { name: "for another person", change: same, otherRow: connectionRow({ ...ids, userId: "34" }) },
    { name: "for another connector", change: same, otherRow: connectionRow({ ...ids, connectorId: "23" }) },
    { name: "for a connector", change: same, otherRow: connectorRow("11") },
    {
      name: "with the two layers exchanged",
      change: (sealed) =>
        changed(sealed, ({ key, ciphertext }) => ({
          key: { ...key, wrapped: ciphertext },
          ciphertext: key.wrapped,
        })),
    },
  ];
  function same(envelope: Buffer): Buffer {
    return envelope;
  }

  test.each(cases)("$name", async ({ change, otherRow = row }) => {
    const envelope = change(await vault.seal(tokens, row));
    const error = await errorOf(vault.open(envelope, otherRow));
    expect(error).toMatchObject({ name: "VaultError", reason: "unreadable" });
    expect(error.message).toContain(otherRow);
    expect(error.message).not.toContain("gho_secret");
  });

  test("with the data key of another row, even when both are of one person", async () => {
    const other = connectionRow({ ...ids, id: "12" });
    const [own, foreign] = [await vault.seal("a", row), await vault.seal("b", other)];
    const swapped = changed(own, (parts) => withWrapped(parts, partsOf(foreign).key.wrapped));
    expect(await errorOf(vault.open(swapped, row))).toMatchObject({ reason: "unreadable" });
    expect(await errorOf(vault.open(swapped, other))).toMatchObject({ reason: "unreadable" });
  });

  test("by the id of a key that another key has sealed", async () => {
    const both = openVault({ AUTHZ_CONNECTOR_KEK: text(second), AUTHZ_CONNECTOR_KEK_PREVIOUS: text(first) });
    const forged = changed(await vault.seal(tokens, row), ({ key, ciphertext }) => ({
      key: { ...key, keyId: environmentKeyId(second) },
      ciphertext,
    }));
    expect(await errorOf(both.open(forged, row))).toMatchObject({ reason: "unreadable" });
  });
});

describe("several keys", () => {
  test("open what each of them sealed; one seals", async () => {
    const both = openVault({ AUTHZ_CONNECTOR_KEK: text(second), AUTHZ_CONNECTOR_KEK_PREVIOUS: text(first) });
    const old = await vault.seal(tokens, row);

    expect(await both.open(old, row)).toBe(tokens);
    expect(sealedKeyId(await both.seal(tokens, row))).toBe(environmentKeyId(second));
    expect(both.readable(sealedKeyId(old))).toBe(true);
    expect(await both.state()).toEqual({ state: "ready", activeKeyId: environmentKeyId(second) });
  });

  test("seal a data key again, and the ciphertext stays", async () => {
    const both = openVault({ AUTHZ_CONNECTOR_KEK: text(second), AUTHZ_CONNECTOR_KEK_PREVIOUS: text(first) });
    const alone = openVault({ AUTHZ_CONNECTOR_KEK: text(second) });
    const old = await vault.seal(tokens, row);
    const moved = await both.rewrap(old, row);

    expect(partsOf(moved).ciphertext.equals(partsOf(old).ciphertext)).toBe(true);
    expect(await alone.open(moved, row)).toBe(tokens);
    expect(await errorOf(alone.open(old, row))).toMatchObject({ reason: "unknown_key" });
    expect(await errorOf(both.rewrap(old, connectorRow("11")))).toMatchObject({ reason: "unreadable" });
  });
});

describe("without a usable key", () => {
  const good = text(first);
  const cases: { name: string; variables: Variables; reason: string; says: RegExp }[] = [
    { name: "none", variables: {}, reason: "not_configured", says: /AUTHZ_CONNECTOR_KEK is not set/ },
    {
      name: "one that only opens",
      variables: { AUTHZ_CONNECTOR_KEK_PREVIOUS: good },
      reason: "not_configured",
      says: /AUTHZ_CONNECTOR_KEK is not set/,
    },
    {
      name: "a short one",
      variables: { AUTHZ_CONNECTOR_KEK: randomBytes(16).toString("base64") },
      reason: "malformed",
      says: /AUTHZ_CONNECTOR_KEK cannot be used: holds 16 bytes instead of 32/,
    },
    {
      name: "a Vault without a token",
      variables: {
        AUTHZ_CONNECTOR_KEK: good,
        AUTHZ_CONNECTOR_VAULT_ADDR: "https://vault.example",
        AUTHZ_CONNECTOR_VAULT_KEY: "authz",
      },
      reason: "malformed",
      says: /AUTHZ_CONNECTOR_VAULT_TOKEN cannot be used: missing/,
    },
  ];
  test.each(cases)("$name: nothing is sealed, and it says why", async ({ variables, reason, says }) => {
    const without = openVault(variables);
    const error = await errorOf(without.seal(tokens, row));
    expect(error).toMatchObject({ name: "VaultError", reason });
    expect(error.message).toMatch(says);
    expect(await errorOf(without.prepare(row))).toMatchObject({ reason });
    expect(await without.state()).toEqual({ state: reason, problem: error.message });
    const values = Object.entries(variables).filter(([name]) => name.startsWith("AUTHZ_CONNECTOR_KEK"));
    for (const [, value] of values) expect(error.message).not.toContain(value);
  });

  const opening: { name: string; variables: Variables; reason: string; says: RegExp }[] = [
    { name: "no key", variables: {}, reason: "not_configured", says: /Set AUTHZ_CONNECTOR_KEK/ },
    {
      name: "another key",
      variables: { AUTHZ_CONNECTOR_KEK: text(second) },
      reason: "unknown_key",
      says: /Add that key to AUTHZ_CONNECTOR_KEK_PREVIOUS/,
    },
    {
      name: "another key, and earlier ones that cannot be read",
      variables: { AUTHZ_CONNECTOR_KEK: text(second), AUTHZ_CONNECTOR_KEK_PREVIOUS: `${good},x` },
      reason: "malformed",
      says: /AUTHZ_CONNECTOR_KEK_PREVIOUS cannot be used/,
    },
    {
      name: "a key that cannot be read",
      variables: { AUTHZ_CONNECTOR_KEK: "hunter2" },
      reason: "malformed",
      says: /AUTHZ_CONNECTOR_KEK cannot be used/,
    },
  ];
  test.each(opening)("$name: nothing is opened, and it says why", async ({ variables, reason, says }) => {
    const envelope = await vault.seal(tokens, row);
    const other = openVault(variables);
    const error = await errorOf(other.open(envelope, row));
    expect(error.reason).toBe(reason);
    expect(error.message).toMatch(says);
    expect(error.message).toContain(sealedKeyId(envelope));
    expect(other.readable(sealedKeyId(envelope))).toBe(false);
  });

  test("earlier keys that cannot be read are named although new secrets can be sealed", async () => {
    const half = openVault({ AUTHZ_CONNECTOR_KEK: good, AUTHZ_CONNECTOR_KEK_PREVIOUS: "x" });
    const state = await half.state();
    expect(state.state).toBe("ready");
    expect(state.problem).toContain("AUTHZ_CONNECTOR_KEK_PREVIOUS cannot be used");
  });
});

describe("a credential", () => {
  const credentials = createCredentialVault(second, [first]);
  const secretRow = "identity_providers/1";

  test("opens with its key and with one that was replaced", async () => {
    const old = await createCredentialVault(first).seal("s3cret", secretRow);
    expect(await credentials.open(old, secretRow)).toBe("s3cret");
    expect(await credentials.open(await credentials.rewrap(old, secretRow), secretRow)).toBe("s3cret");
  });

  test("names its own variables when a key is missing", async () => {
    const sealed = await credentials.seal("s3cret", secretRow);
    const error = await errorOf(createCredentialVault(first).open(sealed, secretRow));
    expect(error.reason).toBe("unknown_key");
    expect(error.message).toContain("AUTHZ_CREDENTIAL_ENCRYPTION_KEY_PREVIOUS");
  });
});
