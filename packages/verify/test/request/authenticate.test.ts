import { createNonceSource, createProofSigner, inMemory, type ReplayStore } from "@authz/dpop";
import type { AuthzOptions, AuthzRequest, Policy } from "@authz/verify";
import { describe, expect, test } from "vitest";
import { refusalOf } from "../support/expect.js";
import { clientKey, signDraft } from "../support/jwt.js";
import {
  accessTokenDraft,
  createWorld,
  issuer,
  personTokenDraft,
  publicOrigin,
  tokenEndpoint,
  type World,
} from "../support/world.js";
import { bearer, dpop, type Refusal, refuse, rows, tokenOf } from "./refusals.js";

describe("a protected route refuses", () => {
  test.each(rows)("$name", async (row) => {
    const { answer, reason } = await refuse(row);
    expect(reason).toBe(row.reason);
    expect(answer.status).toBe(row.status);
    expect(answer.headers).toEqual({
      "content-type": "application/json",
      "cache-control": "no-store",
      "www-authenticate": row.challenge,
    });
    expect(JSON.parse(answer.body)).toEqual({
      error: row.error,
      error_description: expect.any(String) as unknown,
    });
  });
});

describe("with Bearer tokens allowed, the challenge", () => {
  const options: Partial<AuthzOptions> = { dpop: "allowed" };
  const cases: readonly (Pick<Refusal, "name" | "change"> & { policy?: Policy; challenge: string })[] = [
    {
      name: "starts with Bearer when there are no credentials",
      change: (request) => ({ ...request, authorization: [] }),
      challenge: `${bearer}, ${dpop}`,
    },
    {
      name: "names a bad token in both",
      change: (request) => ({ ...request, authorization: ["Bearer opaque"] }),
      challenge: `${bearer}, error="invalid_token", ${dpop}, error="invalid_token"`,
    },
    {
      name: "refuses a bound token without its proof",
      change: (request) => ({ ...request, authorization: [`Bearer ${tokenOf(request)}`] }),
      challenge: `${bearer}, error="invalid_token", ${dpop}, error="invalid_token"`,
    },
    {
      name: "names a bad proof only where proofs belong",
      change: (request) => ({ ...request, dpop: [] }),
      challenge: `${bearer}, ${dpop}, error="invalid_dpop_proof"`,
    },
    {
      name: "names the scopes of the route in both, before a token is requested",
      change: (request) => ({ ...request, authorization: [] }),
      policy: { scopes: ["contracts:sign"] },
      challenge: `${bearer}, scope="contracts:sign", ${dpop}, scope="contracts:sign"`,
    },
    {
      name: "names what the route asks for beside a bad proof",
      change: (request) => ({ ...request, dpop: [] }),
      policy: { scopes: ["contracts:sign"] },
      challenge: `${bearer}, scope="contracts:sign", ${dpop}, error="invalid_dpop_proof", scope="contracts:sign"`,
    },
    {
      name: "names the scopes that are missing in both",
      change: (request) => request,
      policy: { scopes: ["contracts:sign"] },
      challenge: `${bearer}, error="insufficient_scope", scope="contracts:sign", ${dpop}, error="insufficient_scope", scope="contracts:sign"`,
    },
  ];

  test.each(cases)("$name", async ({ challenge, ...row }) => {
    const { answer } = await refuse({ ...row, options, challenge, reason: "jwt_id", status: 0, error: "" });
    expect(answer.headers["www-authenticate"]).toBe(challenge);
  });

  test.each<[dpop: "allowed" | "required", says: string]>([
    ["allowed", "This route needs authorization. Send an access token."],
    ["required", "This route needs authorization. Send an access token with a DPoP proof."],
  ])("comes with a sentence that asks for a proof only where one is needed: %s", async (mode, says) => {
    const world = createWorld({ dpop: mode });
    const request = { ...world.request({ token: "x" }), authorization: [] };
    const { answer } = await refusalOf(world.authenticate(request));
    expect(JSON.parse(answer.body)).toEqual({ error: "unauthorized", error_description: says });
  });

  test("is not needed for a Bearer token that is good", async () => {
    const world = createWorld(options);
    const draft = accessTokenDraft();
    delete draft.claims["cnf"];
    const request: AuthzRequest = {
      ...world.request({ token: "x" }),
      authorization: [`Bearer ${signDraft(draft)}`],
      dpop: [],
    };
    await expect(world.authenticate(request, { scopes: ["contracts:read"] })).resolves.toBeDefined();
    const error = await refusalOf(world.authenticate(request, { scopes: ["contracts:sign"] }));
    expect(error.code).toBe("insufficient_scope");
  });

  test("comes with a Bearer token under the DPoP scheme", async () => {
    const world = createWorld(options);
    const draft = accessTokenDraft();
    delete draft.claims["cnf"];
    const error = await refusalOf(world.authenticate(world.request({ token: signDraft(draft) })));
    expect(error.reason).toBe("token_not_bound");
  });
});

describe("what the request says about its own address changes nothing", () => {
  const targets: readonly { target: string; path: string }[] = [
    { target: "/api/contracts", path: "/api/contracts" },
    { target: "/api/contracts?page=2#top", path: "/api/contracts" },
    { target: "http://evil.example/api/contracts", path: "/api/contracts" },
    { target: "https://evil.example/api/contracts?x=https://y/z", path: "/api/contracts" },
    { target: "HTTP://evil.example:8080", path: "/" },
    { target: "//evil.example/api/contracts", path: "//evil.example/api/contracts" },
    { target: "/http://evil.example/", path: "/http://evil.example/" },
    { target: "/api//contracts", path: "/api//contracts" },
  ];

  test.each(targets)("$target needs a proof for $path", async ({ target, path }) => {
    const world = createWorld();
    const token = await world.token();
    const request = world.request({ token, url: target, htu: publicOrigin + path });
    await expect(world.authenticate(request)).resolves.toBeDefined();
  });

  test("a proof for the address in an absolute request target is refused", async () => {
    const world = createWorld();
    const token = await world.token();
    const url = "http://evil.example/api/contracts";
    const error = await refusalOf(world.authenticate(world.request({ token, url, htu: url })));
    expect(error.reason).toBe("dpop_wrong_url");
  });
});

test.each([
  { name: "a JSON body", contentType: ["application/json"], body: { access_token: "x" } },
  { name: "a body of no type", contentType: [], body: { access_token: "x" } },
  {
    name: "a form with other fields",
    contentType: ["application/x-www-form-urlencoded"],
    body: { customer: "Acme" },
  },
  {
    name: "a form that was not parsed",
    contentType: ["application/x-www-form-urlencoded"],
    body: "customer=Acme",
  },
  { name: "a JSON text", contentType: ["application/json"], body: "access_token=x" },
])("$name is none of our business", async ({ contentType, body }) => {
  const world = createWorld();
  const request = world.request({ token: await world.token(), method: "POST" });
  await expect(world.authenticate({ ...request, contentType, body })).resolves.toBeDefined();
});

describe("the replay store", () => {
  test("is asked last: nothing that is refused for another reason reaches it", async () => {
    let asked = 0;
    const replayStore: ReplayStore = {
      consume() {
        asked++;
        return true;
      },
    };
    for (const row of rows.filter(({ reason }) => reason !== "dpop_replayed")) {
      await refuse({ ...row, options: { replayStore } });
    }
    expect(asked).toBe(0);
  });

  test.each([
    [
      "throws",
      () => {
        throw new Error("away");
      },
    ],
    ["rejects", () => Promise.reject(new Error("away"))],
    ["gives no clear answer", () => 1 as unknown as boolean],
  ] as const)("that %s means 503 without a challenge", async (_name, consume) => {
    const world = createWorld({ replayStore: { consume } });
    const request = world.request({ token: signDraft(accessTokenDraft()) });
    const error = await refusalOf(world.authenticate(request));
    expect([error.code, error.reason]).toEqual(["temporarily_unavailable", "replay_store_unavailable"]);
    const { answer } = error;
    expect(answer.status).toBe(503);
    expect(answer.headers).toEqual({
      "content-type": "application/json",
      "cache-control": "no-store",
      "retry-after": "1",
    });
  });

  test("lets exactly one of fifty parallel presentations pass", async () => {
    const world = createWorld();
    const request = world.request({ token: signDraft(accessTokenDraft()) });
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => world.authenticate(request)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });
});

describe("with server nonces", () => {
  const secret = "0123456789abcdef0123456789abcdef";

  test("a proof without one is asked to come again with one", async () => {
    const clock = createWorld().clock;
    const nonces = createNonceSource({ secret, clock });
    const world = createWorld({ nonces, clock, replayStore: inMemory({ clock }) });
    const token = signDraft(accessTokenDraft());
    const policy = { scopes: ["contracts:read"] };
    const error = await refusalOf(world.authenticate(world.request({ token }), policy));
    const { answer } = error;
    expect(answer.status).toBe(401);
    expect(answer.headers).toMatchObject({
      "www-authenticate": `${dpop}, error="use_dpop_nonce", scope="contracts:read"`,
      "dpop-nonce": nonces.current(),
    });
    const nonce = String(answer.headers["dpop-nonce"]);
    const url = `${publicOrigin}/api/contracts`;
    const proof = world.client.sign({ method: "GET", url, accessToken: token, nonce });
    const again = { ...world.request({ token }), dpop: [proof] };
    await expect(world.authenticate(again)).resolves.toBeDefined();
  });

  test("the token endpoint hands out the next one with the token", async () => {
    const nonces = createNonceSource({ secret });
    const world = createWorld({ nonces });
    const nonce = nonces.current();
    const proof = world.client.sign({ method: "POST", url: tokenEndpoint, nonce });
    const answer = await world.exchange({ assertion: world.assertion() }, [proof]);
    expect([answer.status, answer.headers["dpop-nonce"]]).toEqual([200, nonce]);
  });

  test("the token endpoint asks for one as well", async () => {
    const world = createWorld({ nonces: createNonceSource({ secret }) });
    const answer = await world.exchange({ assertion: world.assertion() });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toMatchObject({ error: "use_dpop_nonce" });
    expect(answer.headers["dpop-nonce"]).toEqual(expect.any(String));
  });
});

describe("a client's clock", () => {
  const request = (world: World, seconds: number): AuthzRequest => {
    const clock = (): number => world.clock() + seconds * 1000;
    const signer = createProofSigner(clientKey, { clock });
    return world.request({ token: signDraft(accessTokenDraft()), signer });
  };
  const refused = (world: World) => world.events.find(({ type }) => type === "refused");

  test.each([
    { clockToleranceSeconds: undefined, ahead: 5 },
    { clockToleranceSeconds: 0, ahead: 0 },
    { clockToleranceSeconds: 300, ahead: 300 },
  ])(
    "may be $ahead seconds ahead with a tolerance of $clockToleranceSeconds",
    async ({ ahead, ...options }) => {
      const world = createWorld(options as Partial<AuthzOptions>);
      await expect(world.authenticate(request(world, ahead))).resolves.toBeDefined();
      const error = await refusalOf(world.authenticate(request(world, ahead + 1)));
      expect(error.reason).toBe("dpop_from_the_future");
      expect(refused(world)).toMatchObject({ proofAgeSeconds: -(ahead + 1) });
    },
  );

  test("may be a minute behind with any tolerance, and the log has the age of an older proof", async () => {
    const world = createWorld({ clockToleranceSeconds: 300 });
    await expect(world.authenticate(request(world, -60))).resolves.toBeDefined();
    const error = await refusalOf(world.authenticate(request(world, -61)));
    expect(error.reason).toBe("dpop_too_old");
    expect(refused(world)).toMatchObject({ proofAgeSeconds: 61 });
    expect(error.answer.body).not.toContain("61");
  });

  test("that is ahead gives no second use of a proof, up to its last second", async () => {
    const world = createWorld({ clockToleranceSeconds: 300 });
    const presented = request(world, 300);
    await world.authenticate(presented);
    for (const seconds of [65, 235, 60]) {
      world.clock.advance(seconds);
      expect((await refusalOf(world.authenticate(presented))).reason).toBe("dpop_replayed");
    }
    world.clock.advance(1);
    expect((await refusalOf(world.authenticate(presented))).reason).toBe("dpop_too_old");
  });

  test("says nothing about other refusals", async () => {
    const world = createWorld();
    await refusalOf(world.authenticate({ ...request(world, 0), dpop: ["x"] }));
    expect(refused(world)).not.toHaveProperty("proofAgeSeconds");
  });
});

describe("a service whose clock is wrong", () => {
  test.each([
    { by: "service", draft: accessTokenDraft, issuer: publicOrigin },
    { by: "authorization server", draft: personTokenDraft, issuer },
  ])(
    "says by how much, and beside which clock, of a token of the $by",
    async ({ draft, issuer: tokenIssuer }) => {
      const world = createWorld();
      const token = signDraft(draft());
      world.clock.advance(-120);
      await refusalOf(world.authenticate(world.request({ token })));
      expect(world.events.at(-1)).toMatchObject({
        reason: "jwt_not_yet_valid",
        tokenAgeSeconds: -120,
        tokenIssuer,
      });
      world.clock.advance(840);
      await refusalOf(world.authenticate(world.request({ token })));
      expect(world.events.at(-1)).toMatchObject({ reason: "jwt_expired", tokenAgeSeconds: 720, tokenIssuer });
    },
  );

  test("says so of an identity assertion too", async () => {
    const world = createWorld();
    const assertion = world.assertion();
    world.clock.advance(-120);
    await world.exchange({ assertion });
    expect(world.events.at(-1)).toMatchObject({
      reason: "jwt_not_yet_valid",
      tokenAgeSeconds: -120,
      tokenIssuer: issuer,
    });
  });
});

test("a caller whose proof did not arrive is told that, because a proxy may have removed it", async () => {
  const world = createWorld();
  const request = world.request({ token: await world.token() });
  const { body } = (await refusalOf(world.authenticate({ ...request, dpop: [] }))).answer;
  expect(body).toContain("No DPoP proof arrived with the request.");
  expect((await refusalOf(world.authenticate({ ...request, dpop: ["x"] }))).answer.body).not.toContain(
    "arrived",
  );
});

test("a log that throws changes nothing", async () => {
  const world = createWorld({
    log: () => {
      throw new Error("disk full");
    },
  });
  const error = await refusalOf(world.authenticate({ ...world.request({ token: "x" }), authorization: [] }));
  expect(error.code).toBe("unauthorized");
});
