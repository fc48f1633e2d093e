import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { readKeys, splitKeySet } from "../../src/screens/clients/read-keys";

const jwk = { kty: "EC", crv: "P-256", kid: "one", x: "x", y: "y" };
const text = (change: Record<string, unknown> = {}) => JSON.stringify({ ...jwk, ...change });

function pem(namedCurve: string, half: "public" | "private"): string {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve });
  return half === "public"
    ? publicKey.export({ format: "pem", type: "spki" }).toString()
    : privateKey.export({ format: "pem", type: "pkcs8" }).toString();
}

describe("pasted keys", () => {
  test("are accepted as public keys with different ids", () => {
    const other = { ...jwk, kid: "two" };
    expect(readKeys([text(), JSON.stringify(other, undefined, 2)])).toEqual({
      keys: [jwk, other],
      faults: [],
    });
  });

  test.each([
    { name: "nothing", pasted: " \n", reason: "empty" },
    { name: "the first line of a PEM", pasted: "-----BEGIN PUBLIC KEY-----", reason: "notJson" },
    { name: "a private PEM", pasted: pem("P-256", "private"), reason: "isPrivate" },
    { name: "a PEM of another curve", pasted: pem("P-384", "public"), reason: "notP256" },
    {
      name: "a PEM that is cut",
      pasted: pem("P-256", "public").replace(/.{8}\n-----END/, "\n-----END"),
      reason: "notP256",
    },
    {
      name: "a certificate",
      pasted: pem("P-256", "public").replaceAll("PUBLIC KEY", "CERTIFICATE"),
      reason: "notP256",
    },
    { name: "a list", pasted: "[]", reason: "notJson" },
    { name: "something else", pasted: "{}", reason: "notKey" },
    { name: "a private key", pasted: text({ d: "d" }), reason: "isPrivate" },
    { name: "a private key of another kind", pasted: text({ kty: "RSA", d: "d" }), reason: "isPrivate" },
    { name: "a shared secret", pasted: '{"kty":"oct","k":"k"}', reason: "isPrivate" },
    { name: "an RSA key", pasted: '{"kty":"RSA","n":"n","e":"AQAB"}', reason: "notP256" },
    { name: "another curve", pasted: text({ crv: "P-384" }), reason: "notP256" },
    { name: "a key without a name", pasted: text({ kid: undefined }), reason: "noKid" },
  ])("are refused: $name", ({ pasted, reason }) => {
    expect(readKeys([text({ kid: "zero" }), pasted])).toEqual({
      keys: [{ ...jwk, kid: "zero" }],
      faults: [{ index: 1, fault: { reason } }],
    });
  });

  test("are accepted as PEM, with ids derived from the keys", () => {
    const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const { x, y } = publicKey.export({ format: "jwk" });
    const pasted = `\r\n${publicKey.export({ format: "pem", type: "spki" }).toString().replaceAll("\n", "\r\n")}`;
    expect(readKeys([pasted])).toEqual({
      keys: [{ kty: "EC", crv: "P-256", kid: x?.slice(0, 16), x, y }],
      faults: [],
    });
  });

  test("need different ids", () => {
    const { faults } = readKeys([text(), text({ x: "other" })]);
    expect(faults).toEqual([{ index: 1, fault: { reason: "twice", kid: "one" } }]);
  });

  test("are split out of a key set", () => {
    const set = JSON.stringify({ keys: [jwk, { ...jwk, kid: "two" }] });
    expect(splitKeySet(set).map((one) => JSON.parse(one) as unknown)).toEqual([jwk, { ...jwk, kid: "two" }]);
    expect(splitKeySet(text())).toEqual([text()]);
    expect(splitKeySet("{")).toEqual(["{"]);
  });
});
