import { expect, test } from "vitest";
import { readClaims, readHeader, signDraft } from "./support/jwt.js";
import { createWorld, machineTokenDraft, publicOrigin, resource, startSeconds } from "./support/world.js";

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
    cnf: { jkt: world.client.thumbprint },
    email: "ada@acme.example",
    name: "Ada",
    jti: expect.any(String) as unknown,
    iat: startSeconds,
    exp: startSeconds + 600,
  });

  const auth = await world.authz.authenticate(world.request({ token }), { scopes: ["contracts:read"] });
  expect(auth).toEqual({
    identity: { type: "user", subject: "user-1", email: "ada@acme.example", name: "Ada" },
    scopes: ["contracts:read", "contracts:write"],
    clientId: "authz-cli",
    tokenId: readClaims(token)["jti"],
    expiresAt: startSeconds + 600,
  });
});

test("a machine calls with the token that the issuer gave it", async () => {
  const world = createWorld();
  const token = signDraft(machineTokenDraft());
  const auth = await world.authz.authenticate(world.request({ token }), { scopes: ["contracts:read"] });
  expect(auth.identity).toEqual({ type: "machine", subject: "nightly-report" });
});

test("ready() answers when issuer and signing key are in order", async () => {
  await expect(createWorld().authz.ready()).resolves.toBeUndefined();
});
