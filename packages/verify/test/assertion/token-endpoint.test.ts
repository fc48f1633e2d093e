import type { ReplayStore } from "@authz/dpop";
import { describe, expect, test } from "vitest";
import { errorOf } from "../support/expect.js";
import { type JwtDraft, otherKey, readClaims } from "../support/jwt.js";
import { changes } from "../support/jwt-refusals.js";
import {
  callRoute,
  createWorld,
  issuerFetch,
  issuerJwk,
  jwtBearer,
  jwtDpop,
  publicOrigin,
  resource,
  tokenEndpoint,
} from "../support/world.js";
import { proof, refusals } from "./refusals.js";

const { drop, set } = changes;
const form = ["application/x-www-form-urlencoded"];

function grantedScope(answer: { body: string }): unknown {
  return (JSON.parse(answer.body) as { scope?: unknown }).scope;
}

describe("the token endpoint", () => {
  test("grants what the assertion says when nothing is asked for", async () => {
    const world = createWorld();
    expect(grantedScope(await world.exchange({ assertion: world.assertion() }))).toBe(
      "contracts:read contracts:write",
    );
  });

  test("narrows to the scopes that are asked for", async () => {
    const world = createWorld();
    const answer = await world.exchange({ assertion: world.assertion(), scope: "contracts:write" });
    expect(grantedScope(answer)).toBe("contracts:write");
  });

  test("leaves out scopes that this service does not know", async () => {
    const world = createWorld();
    const assertion = world.assertion(set("scope", "other:read contracts:read"));
    expect(grantedScope(await world.exchange({ assertion }))).toBe("contracts:read");
  });

  test.each([jwtBearer, jwtDpop])("takes the grant type %s", async (grantType) => {
    const world = createWorld();
    const answer = await world.exchange({ grant_type: grantType, assertion: world.assertion() });
    expect(answer.status).toBe(200);
  });

  test("takes client_id and resource when they say the same as the assertion", async () => {
    const world = createWorld();
    const parameters = { assertion: world.assertion(), client_id: "authz-cli", resource };
    expect((await world.exchange(parameters)).status).toBe(200);
  });

  test("takes a form that a body parser made an object of", async () => {
    const world = createWorld();
    const answer = await callRoute(world.authz, "POST", "/oauth/token", {
      contentType: ["application/x-www-form-urlencoded; charset=UTF-8"],
      dpop: [world.client.sign({ method: "POST", url: tokenEndpoint })],
      body: { grant_type: jwtBearer, assertion: world.assertion() },
    });
    expect(answer.status).toBe(200);
  });

  test("puts no person into the token when the assertion names none", async () => {
    const world = createWorld();
    const token = await world.token((draft) => {
      drop("email")(draft);
      drop("name")(draft);
    });
    expect(readClaims(token)).not.toHaveProperty("email");
    expect(readClaims(token)).not.toHaveProperty("name");
  });

  test("logs who got what, without the token", async () => {
    const world = createWorld();
    const token = await world.token();
    const { jti, exp } = readClaims(token);
    expect(world.events).toContainEqual({
      type: "token_issued",
      subject: "user-1",
      clientId: "authz-cli",
      actor: { subject: "authz-cli" },
      scopes: ["contracts:read", "contracts:write"],
      tokenId: jti,
      expiresAt: exp,
    });
    expect(JSON.stringify(world.events)).not.toContain(token);
  });

  test.each([
    { own: undefined, named: "HTTPS://Contracts.example.com:443/api" },
    { own: publicOrigin, named: `${publicOrigin}/` },
    { own: `${publicOrigin}/mcp`, named: `${publicOrigin}/mcp` },
  ])("takes $named for its resource $own", async ({ own, named }) => {
    const world = createWorld(own === undefined ? {} : { resource: own });
    const assertion = world.assertion(own === undefined ? undefined : set("resource", own));
    const answer = await world.exchange({ assertion, resource: named });
    expect(answer.status).toBe(200);
    const { access_token: token } = JSON.parse(answer.body) as { access_token: string };
    expect(readClaims(token)["aud"]).toBe(own ?? resource);
    await expect(world.authenticate(world.request({ token }))).resolves.toBeDefined();
  });

  test("compares the proof with the configured address, wherever the request came in", async () => {
    const world = createWorld();
    const answer = await callRoute(world.authz, "POST", "/oauth/token", {
      url: "http://internal:8080/oauth/token",
      contentType: form,
      dpop: [world.client.sign({ method: "POST", url: tokenEndpoint })],
      body: new URLSearchParams({ grant_type: jwtBearer, assertion: world.assertion() }).toString(),
    });
    expect(answer.status).toBe(200);
  });
});

describe("the token endpoint refuses", () => {
  test.each(refusals)("$name", async ({ send, error, reason }) => {
    const world = createWorld();
    const answer = await send(world);
    expect(world.reasons()).toEqual([reason]);
    expect(answer.status).toBe(400);
    expect(answer.headers).toEqual({ "content-type": "application/json", "cache-control": "no-store" });
    expect(JSON.parse(answer.body)).toEqual({ error, error_description: expect.any(String) as unknown });
  });
});

describe("of several faults, the token endpoint names the first in the order of the checks", () => {
  const steps: readonly {
    name: string;
    parameters: Record<string, string>;
    dpop?: readonly string[];
    error: string;
  }[] = [
    { name: "the form", parameters: { grant_type: "" }, error: "invalid_request" },
    { name: "the grant type", parameters: { grant_type: "password" }, error: "unsupported_grant_type" },
    { name: "the assertion", parameters: { assertion: "x" }, error: "invalid_grant" },
    {
      name: "the resource",
      parameters: { resource: "https://other.example.com/api" },
      error: "invalid_target",
    },
    { name: "the proof", parameters: {}, dpop: ["x"], error: "invalid_dpop_proof" },
    { name: "the scope", parameters: { scope: "a  b" }, error: "invalid_scope" },
  ];

  test.each(steps.map((step, index) => ({ ...step, later: steps.slice(index) })))(
    "$name",
    async ({ later, error }) => {
      const world = createWorld();
      const assertion = world.assertion();
      const parameters = later.reduceRight((collected, step) => ({ ...collected, ...step.parameters }), {
        assertion,
      });
      const dpop = later.find((step) => step.dpop !== undefined)?.dpop;
      expect(errorOf(await world.exchange(parameters, dpop))).toBe(error);
    },
  );
});

describe("a refused token request uses nothing up", () => {
  test("a replayed proof leaves the assertion good", async () => {
    const world = createWorld();
    const used = proof(world);
    await world.exchange({ assertion: world.assertion() }, [used]);
    const assertion = world.assertion();
    await world.exchange({ assertion }, [used]);
    expect((await world.exchange({ assertion })).status).toBe(200);
  });

  test("a scope beyond the assertion leaves proof and assertion good", async () => {
    const world = createWorld();
    const assertion = world.assertion();
    const fresh = proof(world);
    await world.exchange({ assertion, scope: "contracts:sign" }, [fresh]);
    expect((await world.exchange({ assertion }, [fresh])).status).toBe(200);
  });
});

test("of fifty parallel uses of one assertion, exactly one gets a token", async () => {
  const world = createWorld();
  const assertion = world.assertion();
  const answers = await Promise.all(Array.from({ length: 50 }, () => world.exchange({ assertion })));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter((answer) => errorOf(answer) === "invalid_grant")).toHaveLength(49);
});

describe("the replay store", () => {
  const broken: readonly { name: string; consume: ReplayStore["consume"] }[] = [
    {
      name: "throws",
      consume: () => {
        throw new Error("connection refused");
      },
    },
    { name: "rejects", consume: () => Promise.reject(new Error("connection refused")) },
    { name: "throws something that is no error", consume: () => Promise.reject("away") },
    { name: "answers with something else", consume: () => "OK" as unknown as boolean },
    { name: "answers with nothing", consume: () => undefined as unknown as boolean },
  ];

  test.each(broken)("that $name means 503 and no token", async ({ consume }) => {
    const world = createWorld({ replayStore: { consume } });
    const answer = await world.exchange({ assertion: world.assertion() });
    expect(answer.status).toBe(503);
    expect(answer.headers).toEqual({
      "content-type": "application/json",
      "cache-control": "no-store",
      "retry-after": "1",
    });
    expect(errorOf(answer)).toBe("temporarily_unavailable");
    expect(world.reasons()).toEqual(["replay_store_unavailable"]);
  });

  test.each([
    ["throws", () => Promise.reject(new Error("away"))],
    ["gives no clear answer", () => 1 as unknown as boolean],
  ] as const)("that takes the proof but %s for the assertion means 503 as well", async (_name, fail) => {
    const consume: ReplayStore["consume"] = ({ key }) => (key.startsWith("assertion.") ? fail() : true);
    const world = createWorld({ replayStore: { consume } });
    expect((await world.exchange({ assertion: world.assertion() })).status).toBe(503);
    expect(world.reasons()).toEqual(["replay_store_unavailable"]);
  });

  test("is asked for nothing but hashes", async () => {
    const keys: string[] = [];
    const replayStore: ReplayStore = { consume: ({ key }) => keys.push(key) > 0 };
    const world = createWorld({ replayStore });
    const assertion = world.assertion();
    await world.exchange({ assertion });
    expect(keys).toHaveLength(2);
    for (const key of keys) expect(key).toMatch(/^(?:assertion\.)?[A-Za-z0-9_-]{43}$/);
  });
});

describe("an assertion", () => {
  test("is exchanged while the issuer is away and its key is cached", async () => {
    let away = false;
    const issuerIsThere = issuerFetch();
    const world = createWorld({
      fetch: (input, init) =>
        away ? Promise.reject(new TypeError("fetch failed")) : issuerIsThere(input, init),
    });
    expect((await world.exchange({ assertion: world.assertion() })).status).toBe(200);
    away = true;
    world.clock.advance(3599);
    expect((await world.exchange({ assertion: world.assertion() })).status).toBe(200);
    world.clock.advance(1);
    expect((await world.exchange({ assertion: world.assertion() })).status).toBe(503);
  });

  test("is exchanged as soon as the issuer signs with a new key", async () => {
    let keys = [issuerJwk];
    const world = createWorld({ fetch: issuerFetch(() => keys) });
    await world.exchange({ assertion: world.assertion() });
    keys = [issuerJwk, { ...otherKey.publicJwk, kid: "issuer-2" }];
    const signedAnew = (draft: JwtDraft): void => {
      draft.header["kid"] = "issuer-2";
      draft.key = otherKey;
    };
    expect((await world.exchange({ assertion: world.assertion(signedAnew) })).status).toBe(200);
    expect((await world.exchange({ assertion: world.assertion() })).status).toBe(200);
  });
});

describe("with Bearer tokens allowed", () => {
  test("an assertion without a key yields a Bearer token", async () => {
    const world = createWorld({ dpop: "allowed" });
    const answer = await world.exchange({ assertion: world.assertion(drop("cnf")) }, []);
    expect(JSON.parse(answer.body)).toMatchObject({ token_type: "Bearer", expires_in: 600 });
  });

  test("an assertion without a key, sent with a proof, yields a token bound to that key", async () => {
    const world = createWorld({ dpop: "allowed" });
    const answer = await world.exchange({ assertion: world.assertion(drop("cnf")) });
    const body = JSON.parse(answer.body) as { token_type: string; access_token: string };
    expect(body.token_type).toBe("DPoP");
    expect(readClaims(body.access_token)["cnf"]).toEqual({ jkt: world.client.thumbprint });
  });

  test("an assertion without a key is still refused under the jwt-dpop grant", async () => {
    const world = createWorld({ dpop: "allowed" });
    const answer = await world.exchange({ grant_type: jwtDpop, assertion: world.assertion(drop("cnf")) });
    expect(errorOf(answer)).toBe("invalid_grant");
    expect(world.reasons()).toEqual(["assertion_not_bound"]);
  });

  test("a bound assertion still needs its proof", async () => {
    const world = createWorld({ dpop: "allowed" });
    expect(errorOf(await world.exchange({ assertion: world.assertion() }, []))).toBe("invalid_grant");
  });
});
