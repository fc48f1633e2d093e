import type { SigningKeyProvider } from "@authz/verify";
import { describe, expect, test } from "vitest";
import { readClaims, readHeader } from "./support/jwt.js";
import {
  createWorld,
  issuerFetch,
  publicOrigin,
  resource,
  signingKey,
  startSeconds,
} from "./support/world.js";

test("an employee's assertion becomes an access token, and the token opens a protected route", async () => {
  const world = createWorld();
  const answer = await world.exchange({ assertion: world.assertion() });
  expect(answer.status).toBe(200);
  expect(answer.headers).toEqual({ "content-type": "application/json", "cache-control": "no-store" });
  const { access_token: token, ...rest } = JSON.parse(answer.body) as { access_token: string };
  expect(rest).toEqual({ token_type: "DPoP", expires_in: 600, scope: "contracts:read contracts:write" });
  expect(readHeader(token)).toEqual({ alg: "ES256", typ: "at+jwt", kid: "service-1" });
  expect(readClaims(token)).toEqual({
    iss: publicOrigin,
    aud: resource,
    sub: "user-1",
    client_id: "authz-cli",
    scope: "contracts:read contracts:write",
    act: { sub: "authz-cli" },
    cnf: { jkt: world.client.thumbprint },
    email: "ada@acme.example",
    name: "Ada",
    jti: expect.any(String) as unknown,
    iat: startSeconds,
    exp: startSeconds + 600,
  });

  const auth = await world.authenticate(world.request({ token }), { scopes: ["contracts:read"] });
  expect(auth).toEqual({
    identity: { type: "user", subject: "user-1", email: "ada@acme.example", name: "Ada" },
    scopes: ["contracts:read", "contracts:write"],
    clientId: "authz-cli",
    actor: { subject: "authz-cli" },
    tokenId: readClaims(token)["jti"],
    expiresAt: startSeconds + 600,
  });
});

describe("ready() from a readiness probe", () => {
  test("signs once a minute, so that a key service is not worn out", async () => {
    const { keys, calls } = countedKeys();
    const world = createWorld({ signingKeys: keys, ...({ signingKey: undefined } as object) });
    for (let probe = 0; probe < 60; probe++) {
      await world.authz.ready();
      world.clock.advance(1);
    }
    expect(calls()).toBe(1);
    await world.authz.ready();
    expect(calls()).toBe(2);
  });

  test("signs again right away when that failed", async () => {
    const { keys, calls } = countedKeys({ failing: 2 });
    const world = createWorld({ signingKeys: keys, ...({ signingKey: undefined } as object) });
    await expect(world.authz.ready()).rejects.toThrow("current() failed");
    await expect(world.authz.ready()).rejects.toThrow("current() failed");
    await expect(world.authz.ready()).resolves.toBeUndefined();
    expect(calls()).toBe(3);
  });

  test("stays content while the issuer is away and its cached keys still serve", async () => {
    let away = false;
    const issuerIsThere = issuerFetch();
    const world = createWorld({
      fetch: (input, init) => (away ? Promise.reject(new TypeError("away")) : issuerIsThere(input, init)),
    });
    await world.authz.ready();
    away = true;
    world.clock.advance(3599);
    await expect(world.authz.ready()).resolves.toBeUndefined();
    world.clock.advance(1);
    await expect(world.authz.ready()).rejects.toThrow("cannot be reached");
  });
});

/** A provider that counts how often it is asked for the current key. */
function countedKeys({ failing = 0 } = {}): { keys: SigningKeyProvider; calls: () => number } {
  let calls = 0;
  return {
    calls: () => calls,
    keys: {
      current() {
        calls++;
        if (calls <= failing) throw new Error("KMS is away");
        return signingKey;
      },
      jwks: () => ({ keys: [{ ...signingKey.publicJwk, kid: signingKey.kid }] }),
    },
  };
}
