import { createNonceSource, createProofSigner, inMemory, type ReplayStore } from "@authz/dpop";
import type { AuthzErrorReason, AuthzOptions, AuthzRequest, AuthzResponse, Policy } from "@authz/verify";
import { describe, expect, test } from "vitest";
import { refusalOf } from "../support/expect.js";
import { otherKey, signDraft } from "../support/jwt.js";
import {
  accessTokenDraft,
  createWorld,
  metadataUrl,
  publicOrigin,
  tokenEndpoint,
  type World,
} from "../support/world.js";

const dpop = `DPoP algs="ES256", resource_metadata="${metadataUrl}"`;
const bearer = `Bearer resource_metadata="${metadataUrl}"`;

interface Refusal {
  readonly name: string;
  readonly change: (request: AuthzRequest, world: World) => AuthzRequest | Promise<AuthzRequest>;
  readonly policy?: Policy;
  readonly options?: Partial<AuthzOptions>;
  readonly reason: AuthzErrorReason;
  readonly status: number;
  readonly error: string;
  readonly challenge: string;
}

async function refuse(
  row: Refusal,
): Promise<{ answer: AuthzResponse | undefined; reason: AuthzErrorReason }> {
  const world = createWorld(row.options);
  const valid = world.request({ token: signDraft(accessTokenDraft()) });
  const error = await refusalOf(world.authz.authenticate(await row.change(valid, world), row.policy ?? {}));
  expect(world.reasons()).toContain(error.reason);
  return { answer: world.authz.refusal(error), reason: error.reason };
}

function tokenOf(request: AuthzRequest): string {
  return (request.authorization[0] ?? "").slice("DPoP ".length);
}

const noCredentials: readonly Pick<Refusal, "name" | "change">[] = [
  { name: "no Authorization header", change: (request) => ({ ...request, authorization: [] }) },
  { name: "an empty Authorization header", change: (request) => ({ ...request, authorization: [""] }) },
  {
    name: "an Authorization header of spaces",
    change: (request) => ({ ...request, authorization: ["   "] }),
  },
  { name: "another scheme", change: (request) => ({ ...request, authorization: ["Basic dTpw"] }) },
  {
    name: "another scheme with parameters",
    change: (request) => ({ ...request, authorization: ['Digest username="a, b", realm="c", qop=auth'] }),
  },
  {
    name: "another scheme with a quotation mark that never closes",
    change: (request) => ({ ...request, authorization: [`Digest a=", b="${'\\"'.repeat(100)}`] }),
  },
  {
    name: "a scheme that only starts like ours",
    change: (request) => ({ ...request, authorization: [`DPoPX ${tokenOf(request)}`] }),
  },
  {
    name: "the token without a scheme",
    change: (request) => ({ ...request, authorization: [tokenOf(request)] }),
  },
  {
    name: "the token only in the query",
    change: (request) => ({
      ...request,
      authorization: [],
      url: `/api/contracts?access_token=${tokenOf(request)}`,
    }),
  },
];

const invalidToken: readonly Pick<Refusal, "name" | "change" | "reason">[] = [
  {
    name: "a scheme without a token",
    change: (request) => ({ ...request, authorization: ["DPoP"] }),
    reason: "authorization_malformed",
  },
  {
    name: "a scheme with a space and no token",
    change: (request) => ({ ...request, authorization: ["DPoP "] }),
    reason: "authorization_malformed",
  },
  {
    name: "two tokens in one header",
    change: (request) => ({ ...request, authorization: [`DPoP ${tokenOf(request)} x`] }),
    reason: "authorization_malformed",
  },
  {
    name: "a token in quotation marks",
    change: (request) => ({ ...request, authorization: [`DPoP "${tokenOf(request)}"`] }),
    reason: "jwt_malformed",
  },
  {
    name: "a token behind a tab",
    change: (request) => ({ ...request, authorization: [`DPoP\t${tokenOf(request)}`] }),
    reason: "authorization_malformed",
  },
  {
    name: "a token of more than 8 KiB",
    change: (request) => ({ ...request, authorization: [`DPoP ${"x".repeat(8193)}`] }),
    reason: "authorization_malformed",
  },
  {
    name: "an opaque token",
    change: (request) => ({ ...request, authorization: ["DPoP opaque"] }),
    reason: "jwt_malformed",
  },
  {
    name: "the Bearer scheme",
    change: (request) => ({ ...request, authorization: [`Bearer ${tokenOf(request)}`] }),
    reason: "scheme_not_accepted",
  },
  {
    name: "a proof of another key",
    change: (request, world) => ({
      ...world.request({
        token: tokenOf(request),
        signer: createProofSigner(otherKey, { clock: world.clock }),
      }),
    }),
    reason: "proof_key_mismatch",
  },
  {
    name: "an expired token",
    change: (_request, world) => {
      const draft = accessTokenDraft();
      world.clock.advance(600);
      return world.request({ token: signDraft(draft) });
    },
    reason: "jwt_expired",
  },
];

function proofFor(world: World, request: AuthzRequest, changes: object): string {
  const accessToken = tokenOf(request);
  return world.client.sign({ method: "GET", url: `${publicOrigin}/api/contracts`, accessToken, ...changes });
}

const badProofs: readonly Pick<Refusal, "name" | "change" | "reason">[] = [
  { name: "no proof", change: (request) => ({ ...request, dpop: [] }), reason: "proof_missing" },
  { name: "an empty proof", change: (request) => ({ ...request, dpop: [""] }), reason: "proof_missing" },
  {
    name: "two proofs",
    change: (request, world) => ({ ...request, dpop: [...request.dpop, proofFor(world, request, {})] }),
    reason: "proof_repeated",
  },
  {
    name: "two proofs that Fetch joined",
    change: (request, world) => ({
      ...request,
      dpop: [`${request.dpop[0]}, ${proofFor(world, request, {})}`],
    }),
    reason: "dpop_not_compact",
  },
  {
    name: "a proof for another method",
    change: (request, world) => ({ ...request, dpop: [proofFor(world, request, { method: "POST" })] }),
    reason: "dpop_wrong_method",
  },
  {
    name: "a proof for another path",
    change: (request, world) => ({
      ...request,
      dpop: [proofFor(world, request, { url: `${publicOrigin}/api/x` })],
    }),
    reason: "dpop_wrong_url",
  },
  {
    name: "a proof for another host",
    change: (request, world) => ({
      ...request,
      dpop: [proofFor(world, request, { url: "https://other.example.com/api/contracts" })],
    }),
    reason: "dpop_wrong_url",
  },
  {
    name: "a proof for another access token",
    change: (request, world) => ({ ...request, dpop: [proofFor(world, request, { accessToken: "x" })] }),
    reason: "dpop_wrong_ath",
  },
  {
    name: "a proof for no access token",
    change: (request, world) => ({
      ...request,
      dpop: [world.client.sign({ method: "GET", url: `${publicOrigin}/api/contracts` })],
    }),
    reason: "dpop_missing_ath",
  },
  {
    name: "a stale proof",
    change: (request, world) => {
      world.clock.advance(61);
      return request;
    },
    reason: "dpop_too_old",
  },
  {
    name: "a replayed proof",
    change: async (request, world) => {
      await world.authz.authenticate(request);
      return request;
    },
    reason: "dpop_replayed",
  },
];

const ambiguous: readonly Pick<Refusal, "name" | "change" | "reason">[] = [
  {
    name: "two Authorization headers",
    change: (request) => ({
      ...request,
      authorization: [...request.authorization, ...request.authorization],
    }),
    reason: "authorization_repeated",
  },
  {
    name: "two Authorization headers of different schemes",
    change: (request) => ({ ...request, authorization: ["Basic dTpw", ...request.authorization] }),
    reason: "authorization_repeated",
  },
  {
    name: "two Authorization headers that Fetch joined",
    change: (request) => ({ ...request, authorization: [`Basic dTpw, ${request.authorization[0]}`] }),
    reason: "authorization_repeated",
  },
  {
    name: "the same token twice, joined",
    change: (request) => ({
      ...request,
      authorization: [`${request.authorization[0]}, ${request.authorization[0]}`],
    }),
    reason: "authorization_repeated",
  },
  {
    name: "a token in the query as well",
    change: (request) => ({ ...request, url: `${request.url}?page=2&access_token=x` }),
    reason: "token_in_query",
  },
  {
    name: "a token in the query as well, in disguise",
    change: (request) => ({ ...request, url: `${request.url}?%61ccess_token=x` }),
    reason: "token_in_query",
  },
  {
    name: "a token in the body as well",
    change: (request) => ({ ...request, body: { access_token: "x" } }),
    reason: "token_in_body",
  },
  {
    name: "a request target that is no path",
    change: (request) => ({ ...request, url: "contracts.example.com:443" }),
    reason: "request_target_malformed",
  },
];

const missingScopes: readonly (Pick<Refusal, "name"> & { policy: Policy; scope: string })[] = [
  { name: "the one scope", policy: { scopes: ["contracts:write"] }, scope: "contracts:write" },
  {
    name: "one of two scopes",
    policy: { scopes: ["contracts:read", "contracts:write"] },
    scope: "contracts:read contracts:write",
  },
  {
    name: "any of two scopes",
    policy: { anyScopes: ["contracts:write", "contracts:sign"] },
    scope: "contracts:write contracts:sign",
  },
  {
    name: "any of two scopes beside one it has",
    policy: { scopes: ["contracts:read"], anyScopes: ["contracts:write", "contracts:sign"] },
    scope: "contracts:read contracts:write contracts:sign",
  },
  {
    name: "a scope beside any of two",
    policy: { scopes: ["contracts:write"], anyScopes: ["contracts:read", "contracts:sign"] },
    scope: "contracts:write",
  },
];

const rows: readonly Refusal[] = [
  ...noCredentials.map((row) => ({
    ...row,
    reason: "credentials_missing" as const,
    status: 401,
    error: "unauthorized",
    challenge: dpop,
  })),
  ...invalidToken.map((row) => ({
    ...row,
    status: 401,
    error: "invalid_token",
    challenge: `${dpop}, error="invalid_token"`,
  })),
  ...badProofs.map((row) => ({
    ...row,
    status: 401,
    error: "invalid_dpop_proof",
    challenge: `${dpop}, error="invalid_dpop_proof"`,
  })),
  ...ambiguous.map((row) => ({
    ...row,
    status: 400,
    error: "invalid_request",
    challenge: `${dpop}, error="invalid_request"`,
  })),
  ...missingScopes.map(({ name, policy, scope }) => ({
    name: `a token without ${name}`,
    change: (request: AuthzRequest) => request,
    policy,
    reason: "scope_missing" as const,
    status: 403,
    error: "insufficient_scope",
    challenge: `${dpop}, error="insufficient_scope", scope="${scope}"`,
  })),
];

describe("a protected route refuses", () => {
  test.each(rows)("$name", async (row) => {
    const { answer, reason } = await refuse(row);
    expect(reason).toBe(row.reason);
    expect(answer?.status).toBe(row.status);
    expect(answer?.headers).toEqual({
      "content-type": "application/json",
      "cache-control": "no-store",
      "www-authenticate": row.challenge,
    });
    expect(JSON.parse(answer?.body ?? "")).toEqual({
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
      name: "names the scopes in both",
      change: (request) => request,
      policy: { scopes: ["contracts:sign"] },
      challenge: `${bearer}, error="insufficient_scope", scope="contracts:sign", ${dpop}, error="insufficient_scope", scope="contracts:sign"`,
    },
  ];

  test.each(cases)("$name", async ({ challenge, ...row }) => {
    const { answer } = await refuse({ ...row, options, challenge, reason: "jwt_id", status: 0, error: "" });
    expect(answer?.headers["www-authenticate"]).toBe(challenge);
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
    await expect(world.authz.authenticate(request, { scopes: ["contracts:read"] })).resolves.toBeDefined();
    const error = await refusalOf(world.authz.authenticate(request, { scopes: ["contracts:sign"] }));
    expect(error.code).toBe("insufficient_scope");
  });

  test("comes with a Bearer token under the DPoP scheme", async () => {
    const world = createWorld(options);
    const draft = accessTokenDraft();
    delete draft.claims["cnf"];
    const error = await refusalOf(world.authz.authenticate(world.request({ token: signDraft(draft) })));
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
    await expect(world.authz.authenticate(request)).resolves.toBeDefined();
  });

  test("a proof for the address in an absolute request target is refused", async () => {
    const world = createWorld();
    const token = await world.token();
    const url = "http://evil.example/api/contracts";
    const error = await refusalOf(world.authz.authenticate(world.request({ token, url, htu: url })));
    expect(error.reason).toBe("dpop_wrong_url");
  });
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
    const error = await refusalOf(world.authz.authenticate(request));
    expect([error.code, error.reason]).toEqual(["temporarily_unavailable", "replay_store_unavailable"]);
    const answer = world.authz.refusal(error);
    expect(answer?.status).toBe(503);
    expect(answer?.headers).toEqual({
      "content-type": "application/json",
      "cache-control": "no-store",
      "retry-after": "1",
    });
  });

  test("lets exactly one of fifty parallel presentations pass", async () => {
    const world = createWorld();
    const request = world.request({ token: signDraft(accessTokenDraft()) });
    const results = await Promise.allSettled(
      Array.from({ length: 50 }, () => world.authz.authenticate(request)),
    );
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
    const error = await refusalOf(world.authz.authenticate(world.request({ token })));
    const answer = world.authz.refusal(error);
    expect(answer?.status).toBe(401);
    expect(answer?.headers).toMatchObject({
      "www-authenticate": `${dpop}, error="use_dpop_nonce"`,
      "dpop-nonce": nonces.current(),
    });
    const nonce = String(answer?.headers["dpop-nonce"]);
    const url = `${publicOrigin}/api/contracts`;
    const proof = world.client.sign({ method: "GET", url, accessToken: token, nonce });
    const again = { ...world.request({ token }), dpop: [proof] };
    await expect(world.authz.authenticate(again)).resolves.toBeDefined();
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

test("a foreign error is not turned into a refusal", async () => {
  const world = createWorld({
    clock: () => {
      throw new RangeError("the application's own mistake");
    },
  });
  const request = createWorld().request({ token: "x" });
  await expect(world.authz.authenticate(request)).rejects.toThrow(RangeError);
  expect(world.authz.refusal(new RangeError("mine"))).toBeUndefined();
  expect(world.authz.refusal(undefined)).toBeUndefined();
});

test("a log that throws changes nothing", async () => {
  const world = createWorld({
    log: () => {
      throw new Error("disk full");
    },
  });
  const error = await refusalOf(
    world.authz.authenticate({ ...world.request({ token: "x" }), authorization: [] }),
  );
  expect(error.code).toBe("unauthorized");
});
