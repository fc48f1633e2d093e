import { createNonceSource, type ReplayRecord } from "@authz/dpop";
import { expect, test } from "vitest";
import { createWorld, publicOrigin } from "../support/world.js";

const policy = { scopes: ["contracts:read"] };

test("a caller who may pass gets auth, and the answer no headers", async () => {
  const world = createWorld();
  const decision = await world.authz.decide(world.request({ token: await world.token() }), policy);
  expect(decision).toMatchObject({ auth: { identity: { type: "user" } }, headers: {} });
  expect(decision.refusal).toBeUndefined();
});

test("a caller who may not gets the answer to send, and nothing else", async () => {
  const world = createWorld();
  const request = { ...world.request({ token: await world.token() }), dpop: [] };
  const decision = await world.authz.decide(request, policy);
  expect(Object.keys(decision)).toEqual(["refusal"]);
  expect(decision.refusal?.status).toBe(401);
});

test("a successful answer hands out the next nonce, and stays out of caches", async () => {
  const nonces = createNonceSource({ secret: Buffer.alloc(32, 1).toString("base64url") });
  const world = createWorld({ nonces });
  const url = `${publicOrigin}/api/contracts`;
  const exchangeProof = world.client.sign({
    method: "POST",
    url: `${publicOrigin}/oauth/token`,
    nonce: nonces.current(),
  });
  const { body } = await world.exchange({ assertion: world.assertion() }, [exchangeProof]);
  const { access_token: token } = JSON.parse(body) as { access_token: string };
  const proof = world.client.sign({ method: "GET", url, accessToken: token, nonce: nonces.current() });
  const decision = await world.authz.decide({ ...world.request({ token }), dpop: [proof] });
  expect(decision).toMatchObject({
    headers: { "dpop-nonce": nonces.current(), "cache-control": "no-store" },
  });
});

test("for a known token and a store in memory the decision is there at once", async () => {
  const world = createWorld();
  const token = await world.token();
  expect(world.authz.decide(world.request({ token }), policy)).toBeInstanceOf(Promise);
  await world.authz.decide(world.request({ token }), policy);
  const replayed = world.request({ token });
  expect(world.authz.decide(replayed, policy)).toMatchObject({ auth: { clientId: "authz-cli" } });
  expect(world.authz.decide(replayed, policy)).toMatchObject({ refusal: { status: 401 } });
});

test("a known token is held against each policy that it meets, in any order", async () => {
  const world = createWorld();
  const token = await world.token();
  const other = { scopes: ["contracts:sign"] };
  for (const [asked, status] of [
    [policy, undefined],
    [other, 403],
    [policy, undefined],
    [policy, undefined],
    [other, 403],
    [other, 403],
    [{ anyScopes: ["contracts:sign", "contracts:read"] }, undefined],
    [{ scopes: ["contracts:read", "contracts:sign"] }, 403],
  ] as const) {
    const decision = await world.authz.decide(world.request({ token }), asked);
    expect(decision.refusal?.status).toBe(status);
  }
});

test("a store that answers later is waited for, and its refusal is a refusal", async () => {
  const known = new Set<string>();
  const consume = async ({ key }: ReplayRecord): Promise<boolean> => known.size < known.add(key).size;
  const world = createWorld({ replayStore: { consume } });
  const request = world.request({ token: await world.token() });
  await expect(world.authz.decide(request, policy)).resolves.toMatchObject({ headers: {} });
  await expect(world.authz.decide(request, policy)).resolves.toMatchObject({ refusal: { status: 401 } });
});

test("a policy with an unknown scope is a mistake of the application, not a refusal", async () => {
  const world = createWorld();
  const request = world.request({ token: await world.token() });
  expect(() => world.authz.decide(request, { scopes: ["contracts:raed"] })).toThrow(TypeError);
});

test("a foreign error is thrown, not turned into a refusal", () => {
  const clock = (): number => {
    throw new RangeError("the application's own mistake");
  };
  const request = createWorld().request({ token: "x" });
  expect(() => createWorld({ clock }).authz.decide(request)).toThrow(RangeError);
});
