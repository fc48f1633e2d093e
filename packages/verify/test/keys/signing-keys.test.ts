import { sign } from "node:crypto";
import { importPrivateJwk } from "@authz/dpop/jws";
import { AuthzUnavailableError, type SigningKey, type SigningKeyProvider } from "@authz/verify";
import { describe, expect, test } from "vitest";
import { errorOf, refusalOf } from "../support/expect.js";
import { otherKey, serviceKey } from "../support/jwt.js";
import { createWorld, signingKey, type World } from "../support/world.js";

const nextKey: SigningKey = { kid: "service-2", ...otherKey };

function withKeys(signingKeys: readonly SigningKey[] | SigningKeyProvider): World {
  return createWorld({ signingKeys, ...({ signingKey: undefined } as object) });
}

function published({ kid, publicJwk }: SigningKey): { kid: string } & SigningKey["publicJwk"] {
  return { ...publicJwk, kid };
}

/** A key service that signs elsewhere, as a KMS does. */
function remoteProvider(dsaEncoding: "der" | "ieee-p1363"): SigningKeyProvider {
  const key = importPrivateJwk(serviceKey.privateJwk);
  return {
    current: () =>
      Promise.resolve({
        kid: "service-1",
        sign: (input) => Promise.resolve(sign("sha256", input, { key, dsaEncoding })),
      }),
    jwks: () => Promise.resolve({ keys: [published(signingKey)] }),
  };
}

describe("fixed keys", () => {
  test("a key that was taken out verifies nothing any more", async () => {
    const token = await withKeys([signingKey]).token();
    const world = withKeys([nextKey]);
    expect((await refusalOf(world.authenticate(world.request({ token })))).reason).toBe("jwt_unknown_key");
  });
});

describe("a provider", () => {
  test.each(["der", "ieee-p1363"] as const)("may sign elsewhere and return %s", async (encoding) => {
    const world = withKeys(remoteProvider(encoding));
    await world.authz.ready();
    for (let index = 0; index < 20; index++) {
      const token = await world.token();
      await expect(world.authenticate(world.request({ token }))).resolves.toBeDefined();
    }
  });

  test("that takes a key out stops it within 30 seconds", async () => {
    let keys = [signingKey, nextKey];
    const world = withKeys({
      current: () => nextKey,
      jwks: () => ({ keys: keys.map(published) }),
    });
    const token = await withKeys([signingKey]).token();
    const other = await withKeys([signingKey]).token();
    await expect(world.authenticate(world.request({ token }))).resolves.toBeDefined();
    keys = [nextKey];
    world.clock.advance(30);
    const error = await refusalOf(world.authenticate(world.request({ token: other })));
    expect(error.reason).toBe("jwt_unknown_key");
  });

  test("is asked for its keys once a second at most, however many unknown ones are named", async () => {
    let calls = 0;
    const world = withKeys({
      current: () => signingKey,
      jwks: () => {
        calls++;
        return { keys: [published(signingKey)] };
      },
    });
    const tokens = await Promise.all(Array.from({ length: 5 }, () => withKeys([nextKey]).token()));
    for (const token of tokens) {
      await refusalOf(world.authenticate(world.request({ token })));
    }
    expect(calls).toBe(1);
  });

  test("never gets anything but public members into the key set", async () => {
    const world = withKeys({
      current: () => signingKey,
      jwks: () => ({ keys: [{ ...published(signingKey), key_ops: ["verify"], note: "secret" } as never] }),
    });
    const { body } = await world.get("/.well-known/jwks.json");
    const { x, y } = serviceKey.publicJwk;
    expect(JSON.parse(body)).toEqual({
      keys: [{ kty: "EC", crv: "P-256", x, y, kid: "service-1", use: "sig", alg: "ES256" }],
    });
  });

  const working = remoteProvider("der");
  const broken: readonly { name: string; provider: SigningKeyProvider; message: string }[] = [
    {
      name: "current() fails",
      provider: { ...working, current: () => Promise.reject(new Error("KMS is away")) },
      message: "current() failed",
    },
    {
      name: "jwks() fails",
      provider: {
        ...working,
        jwks: () => {
          throw new Error("KMS is away");
        },
      },
      message: "jwks() failed",
    },
    {
      name: "sign() fails",
      provider: {
        ...working,
        current: () => ({ kid: "service-1", sign: () => Promise.reject(new Error("KMS is away")) }),
      },
      message: "sign() failed",
    },
    {
      name: "sign() returns something else",
      provider: { ...working, current: () => ({ kid: "service-1", sign: () => Buffer.from("signature") }) },
      message: "did not return an ECDSA signature",
    },
    {
      name: "sign() signs with another key",
      provider: {
        ...working,
        current: () => nextKey,
        jwks: () => ({ keys: [{ ...published(signingKey), kid: "service-2" }] }),
      },
      message: "does not verify",
    },
    {
      name: "the current key is not published",
      provider: { ...working, current: () => nextKey },
      message: "Publish its public key there first",
    },
    {
      name: "no key is published",
      provider: { ...working, jwks: () => ({ keys: [] }) },
      message: "no usable key",
    },
    {
      name: "only private keys are published",
      provider: { ...working, jwks: () => ({ keys: [{ ...serviceKey.privateJwk, kid: "service-1" }] }) },
      message: "no usable key",
    },
  ];

  test.each(broken)("means 503 and no token when $name", async ({ provider, message }) => {
    const world = withKeys(provider);
    const answer = await world.exchange({ assertion: world.assertion() });
    expect([answer.status, errorOf(answer)]).toEqual([503, "temporarily_unavailable"]);
    expect(world.reasons()).toEqual(["signing_key_unavailable"]);
    const error: unknown = await world.authz.ready().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(AuthzUnavailableError);
    expect((error as Error).message).toContain(message);
  });
});
