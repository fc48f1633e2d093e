import { describe, expect, test } from "vitest";
import { refusalOf } from "../support/expect.js";
import { issuerKey, type JwtDraft, serviceKey, signDraft } from "../support/jwt.js";
import {
  changes,
  confirmationRefusals,
  formRefusals,
  identifierRefusals,
  type JwtRefusal,
  lifetimeRefusals,
  scopeRefusals,
} from "../support/jwt-refusals.js";
import {
  accessTokenDraft,
  createWorld,
  issuer,
  issuerFetch,
  issuerJwk,
  machineTokenDraft,
  publicOrigin,
  resource,
  startSeconds,
} from "../support/world.js";

const { set, drop, setHeader } = changes;

const common: readonly JwtRefusal[] = [
  ...formRefusals,
  ...identifierRefusals("sub", "jwt_subject"),
  ...identifierRefusals("client_id", "jwt_client"),
  ...identifierRefusals("jti", "jwt_id"),
  ...confirmationRefusals,
  ...scopeRefusals,
  { name: "is an identity assertion", change: setHeader("typ", "oauth-id-jag+jwt"), reason: "jwt_type" },
  { name: "has no issuer", change: drop("iss"), reason: "jwt_issuer" },
  { name: "is from another issuer", change: set("iss", "https://evil.example"), reason: "jwt_issuer" },
  { name: "has no audience", change: drop("aud"), reason: "jwt_audience" },
  {
    name: "is for another service",
    change: set("aud", "https://other.example.com/api"),
    reason: "jwt_audience",
  },
  { name: "is for the origin, not the resource", change: set("aud", publicOrigin), reason: "jwt_audience" },
  {
    name: "is for two resources",
    change: set("aud", [resource, "https://other.example.com/api"]),
    reason: "jwt_audience",
  },
  { name: "is not bound to a key", change: drop("cnf"), reason: "token_not_bound" },
  {
    name: "is bound to another key",
    change: set("cnf", { jkt: "A".repeat(43) }),
    reason: "proof_key_mismatch",
  },
];

const own: readonly JwtRefusal[] = [
  ...common,
  ...lifetimeRefusals(startSeconds, 600),
  { name: "has a name that is no string", change: set("name", 1), reason: "jwt_profile" },
  {
    name: "says it is ours but is signed by the issuer",
    change: (draft) => {
      draft.key = issuerKey;
      draft.header["kid"] = "issuer-1";
    },
    reason: "jwt_unknown_key",
  },
];

const machine: readonly JwtRefusal[] = [
  ...common.filter(
    ({ name }) => !name.includes("has a client_id") && !name.includes("has an empty client_id"),
  ),
  ...lifetimeRefusals(startSeconds, 3600),
  { name: "is for a person", change: set("sub", "user-1"), reason: "jwt_subject" },
  { name: "has an e-mail address", change: set("email", "ada@acme.example"), reason: "jwt_profile" },
  { name: "has a name", change: set("name", "Ada"), reason: "jwt_profile" },
  {
    name: "says it is the issuer's but is signed by this service",
    change: (draft) => {
      draft.key = serviceKey;
      draft.header["kid"] = "service-1";
    },
    reason: "jwt_unknown_key",
  },
];

async function reasonFor(draft: JwtDraft): Promise<unknown> {
  const world = createWorld();
  const error = await refusalOf(world.authenticate(world.request({ token: signDraft(draft) })));
  expect(error.code).toBe("invalid_token");
  expect(error.answer).toMatchObject({ status: 401 });
  expect(world.reasons()).toEqual([error.reason]);
  return error.reason;
}

describe("an access token of this service is refused when it", () => {
  test.each(own)("$name", async ({ change, reason }) => {
    const draft = accessTokenDraft();
    change(draft);
    expect(await reasonFor(draft)).toBe(reason);
  });
});

describe("a machine's access token is refused when it", () => {
  test.each(machine)("$name", async ({ change, reason }) => {
    const draft = machineTokenDraft();
    change(draft);
    expect(await reasonFor(draft)).toBe(reason);
  });
});

const accepted: readonly { name: string; change: (draft: JwtDraft) => void }[] = [
  { name: "as it is", change: () => {} },
  { name: "with its type as a whole media type", change: setHeader("typ", "application/at+JWT") },
  { name: "with the audience as a list of one", change: set("aud", [resource]) },
  { name: "with an empty scope, on a route that asks for none", change: set("scope", "") },
  { name: "in its last second", change: set("exp", startSeconds + 1) },
];

describe("an access token is accepted", () => {
  test.each(accepted)("$name", async ({ change }) => {
    const world = createWorld();
    for (const draft of [accessTokenDraft(), machineTokenDraft()]) {
      change(draft);
      const token = signDraft(draft);
      await expect(world.authenticate(world.request({ token }))).resolves.toMatchObject({
        tokenId: draft.claims["jti"],
      });
    }
  });
});

describe("a token that was verified before", () => {
  test("is refused from the second in which it ends", async () => {
    const world = createWorld();
    const token = await world.token();
    world.clock.advance(599);
    await world.authenticate(world.request({ token }));
    world.clock.advance(1);
    expect((await refusalOf(world.authenticate(world.request({ token })))).reason).toBe("jwt_expired");
  });

  test("still needs a fresh proof, the scopes and the key", async () => {
    const world = createWorld();
    const token = await world.token();
    const request = world.request({ token });
    await world.authenticate(request);
    expect((await refusalOf(world.authenticate(request))).reason).toBe("dpop_replayed");
    const scopes = ["contracts:sign"];
    const missing = await refusalOf(world.authenticate(world.request({ token }), { scopes }));
    expect(missing.reason).toBe("scope_missing");
  });

  test("is verified again after five minutes, so a withdrawn key does not live on", async () => {
    let keys = [issuerJwk];
    const world = createWorld({ fetch: issuerFetch(() => keys) });
    const token = signDraft(machineTokenDraft());
    await world.authenticate(world.request({ token }));
    keys = [];
    world.clock.advance(299);
    await world.authenticate(world.request({ token }));
    world.clock.advance(1);
    const error = await refusalOf(world.authenticate(world.request({ token })));
    expect(error.reason).toBe("jwt_unknown_key");
  });

  test("gives every request the same frozen auth", async () => {
    const world = createWorld();
    const token = await world.token();
    const first = await world.authenticate(world.request({ token }));
    expect(await world.authenticate(world.request({ token }))).toBe(first);
    expect(Object.isFrozen(first) && Object.isFrozen(first.identity) && Object.isFrozen(first.scopes)).toBe(
      true,
    );
  });
});

test("while the issuer is away and was never seen, a machine's token means 503", async () => {
  const world = createWorld({ fetch: () => Promise.reject(new TypeError("fetch failed")) });
  const error = await refusalOf(world.authenticate(world.request({ token: signDraft(machineTokenDraft()) })));
  expect([error.code, error.reason]).toEqual(["temporarily_unavailable", "issuer_unavailable"]);
  expect(error.answer).toMatchObject({ status: 503, headers: { "retry-after": "1" } });
});

test("this service's own tokens do not need the issuer", async () => {
  const world = createWorld({ fetch: () => Promise.reject(new TypeError("fetch failed")) });
  const token = signDraft(accessTokenDraft());
  await expect(world.authenticate(world.request({ token }))).resolves.toMatchObject({
    clientId: "authz-cli",
  });
});

test("a token of the issuer for itself is not accepted here", async () => {
  const draft = machineTokenDraft();
  Object.assign(draft.claims, { aud: `${issuer}/api`, sub: "user-1", client_id: "authz-cli" });
  expect(await reasonFor(draft)).toBe("jwt_audience");
});
