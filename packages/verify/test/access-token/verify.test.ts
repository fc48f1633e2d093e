import { describe, expect, test } from "vitest";
import { refusalOf } from "../support/expect.js";
import { issuerKey, type JwtDraft, readClaims, serviceKey, signDraft } from "../support/jwt.js";
import {
  actorRefusals,
  changes,
  confirmationRefusals,
  statusRefusals,
  formRefusals,
  identifierRefusals,
  type JwtRefusal,
  lifetimeRefusals,
  scopeRefusals,
} from "../support/jwt-refusals.js";
import {
  accessTokenDraft,
  app,
  createWorld,
  issuer,
  issuerFetch,
  issuerJwk,
  machineTokenDraft,
  personTokenDraft,
  publicOrigin,
  resource,
  startSeconds,
} from "../support/world.js";

const { set, drop, setHeader } = changes;

const common: readonly JwtRefusal[] = [
  ...formRefusals,
  ...identifierRefusals("sub", "jwt_subject"),
  ...identifierRefusals("client_id", "jwt_client", 2048),
  ...identifierRefusals("jti", "jwt_id"),
  ...confirmationRefusals,
  ...statusRefusals,
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
  ...actorRefusals,
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

/** Refused for all tokens of the issuer. */
const ofIssuer: readonly JwtRefusal[] = [
  ...common,
  ...actorRefusals,
  { name: "is for the issuer's own API", change: set("aud", `${issuer}/api`), reason: "jwt_audience" },
  { name: "is for the issuer", change: set("aud", issuer), reason: "jwt_audience" },
  { name: "is a sign-in token", change: setHeader("typ", "JWT"), reason: "jwt_type" },
  {
    name: "says it is the issuer's but is signed by this service",
    change: (draft) => {
      draft.key = serviceKey;
      draft.header["kid"] = "service-1";
    },
    reason: "jwt_unknown_key",
  },
];

const person: readonly JwtRefusal[] = [
  ...ofIssuer,
  ...lifetimeRefusals(startSeconds, 600),
  { name: "names no actor", change: drop("act"), reason: "jwt_actor" },
  { name: "names another app as actor", change: set("act", { sub: "authz-cli" }), reason: "jwt_actor" },
  { name: "names the person as actor", change: set("act", { sub: "user-1" }), reason: "jwt_actor" },
  { name: "was given to another app than acts", change: set("client_id", "other"), reason: "jwt_actor" },
  { name: "is for the app itself", change: set("sub", app), reason: "jwt_actor" },
  {
    name: "is for the app itself, without an actor",
    change: (draft) => {
      draft.claims["sub"] = app;
      delete draft.claims["act"];
    },
    reason: "jwt_profile",
  },
  {
    name: "was given to an app whose id is the person's",
    change: (draft) => {
      Object.assign(draft.claims, { client_id: "user-1", act: { sub: "user-1" } });
    },
    reason: "jwt_actor",
  },
  { name: "has an email address that is a list", change: set("email", ["a@b.c"]), reason: "jwt_profile" },
  { name: "has a name that is no string", change: set("name", 1), reason: "jwt_profile" },
];

const machine: readonly JwtRefusal[] = [
  ...ofIssuer,
  ...lifetimeRefusals(startSeconds, 3600),
  { name: "is for a person", change: set("sub", "user-1"), reason: "jwt_actor" },
  { name: "has an actor, be it itself", change: set("act", { sub: "nightly-report" }), reason: "jwt_actor" },
  { name: "has an email address", change: set("email", "ada@acme.example"), reason: "jwt_profile" },
  { name: "has a name", change: set("name", "Ada"), reason: "jwt_profile" },
  { name: "has the time of a sign-in", change: set("auth_time", startSeconds), reason: "jwt_subject" },
  { name: "has the method of a sign-in", change: set("amr", ["pwd"]), reason: "jwt_subject" },
  { name: "comes from a grant", change: set("sid", "grant-1"), reason: "jwt_subject" },
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

describe("a person's access token from the issuer is refused when it", () => {
  test.each(person)("$name", async ({ change, reason }) => {
    const draft = personTokenDraft();
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

const anonymous = { email: undefined, name: undefined };

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
    for (const draft of [accessTokenDraft(), personTokenDraft(), machineTokenDraft()]) {
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

describe("a person's access token from the issuer", () => {
  const scopes = ["contracts:read"];

  test("says who the person is, and through which app they call", async () => {
    const world = createWorld();
    const draft = personTokenDraft();
    const auth = await world.authenticate(world.request({ token: signDraft(draft) }), { scopes });
    expect(auth).toEqual({
      identity: { type: "user", subject: "user-1", email: "ada@acme.example", name: "Ada" },
      scopes,
      clientId: app,
      actor: { subject: app },
      tokenId: draft.claims["jti"],
      expiresAt: startSeconds + 300,
    });
    expect(Object.isFrozen(auth.actor)).toBe(true);
  });

  test.each<[string, (draft: JwtDraft) => void]>([
    ["without an email address and a name", (draft) => Object.assign(draft.claims, anonymous)],
    ["without a grant, from an assertion", drop("sid")],
    ["with actors before the actor", set("act", { sub: app, act: { sub: "earlier", iss: "x" } })],
    ["whose actor names the issuer", set("act", { sub: app, iss: issuer })],
    [
      "of an app with a long address",
      (draft) => {
        const address = `${app}?${"a".repeat(2047 - app.length)}`;
        Object.assign(draft.claims, { client_id: address, act: { sub: address } });
      },
    ],
  ])("is accepted %s", async (_, change) => {
    const world = createWorld();
    const draft = personTokenDraft();
    change(draft);
    const auth = await world.authenticate(world.request({ token: signDraft(draft) }), { scopes });
    expect(auth).toMatchObject({ identity: { type: "user" }, actor: { subject: draft.claims["client_id"] } });
  });

  test.each([resource, `${publicOrigin}/mcp`, publicOrigin])(
    "is for %s where that is the resource",
    async (identifier) => {
      const world = createWorld({ resource: identifier });
      const draft = personTokenDraft();
      draft.claims["aud"] = identifier;
      await expect(world.authenticate(world.request({ token: signDraft(draft) }))).resolves.toBeDefined();
      draft.claims["aud"] = `${identifier}/x`;
      const error = await refusalOf(world.authenticate(world.request({ token: signDraft(draft) })));
      expect(error.reason).toBe("jwt_audience");
    },
  );

  test("without a key is taken only where Bearer tokens are allowed, and only as one", async () => {
    const draft = personTokenDraft();
    delete draft.claims["cnf"];
    const token = signDraft(draft);
    const allowed = createWorld({ dpop: "allowed" });
    const bearer = { ...allowed.request({ token }), authorization: [`Bearer ${token}`], dpop: [] };
    await expect(allowed.authenticate(bearer, { scopes })).resolves.toMatchObject({
      actor: { subject: app },
    });
    expect((await refusalOf(allowed.authenticate(allowed.request({ token })))).reason).toBe(
      "token_not_bound",
    );
    expect((await refusalOf(createWorld().authenticate(bearer))).reason).toBe("scheme_not_accepted");
  });
});

test("this service's own token says through which app it was asked for, when the assertion did", async () => {
  const world = createWorld();
  const token = await world.token(set("act", { sub: app, act: { sub: "earlier" }, name: "x" }));
  expect(readClaims(token)["act"]).toEqual({ sub: app });
  const auth = await world.authenticate(world.request({ token }));
  expect(auth).toMatchObject({ clientId: "authz-cli", actor: { subject: app } });
  expect(world.events).toContainEqual(
    expect.objectContaining({ type: "token_issued", actor: { subject: app } }),
  );

  const withoutActor = await world.token(drop("act"));
  expect(readClaims(withoutActor)).not.toHaveProperty("act");
  expect(await world.authenticate(world.request({ token: withoutActor }))).not.toHaveProperty("actor");
});
