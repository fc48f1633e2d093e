import { createProofSigner } from "@authz/dpop";
import type { AuthzErrorReason, AuthzOptions, AuthzRequest, AuthzResponse, Policy } from "@authz/verify";
import { expect } from "vitest";
import { refusalOf } from "../support/expect.js";
import { otherKey, signDraft } from "../support/jwt.js";
import { accessTokenDraft, createWorld, metadataUrl, publicOrigin, type World } from "../support/world.js";

/** The DPoP challenge without an error. */
export const dpop: string = `DPoP algs="ES256", resource_metadata="${metadataUrl}"`;
/** The Bearer challenge without an error. */
export const bearer: string = `Bearer resource_metadata="${metadataUrl}"`;

/** One change to a request that was right, and the whole answer to it. */
export interface Refusal {
  readonly name: string;
  readonly change: (request: AuthzRequest, world: World) => AuthzRequest | Promise<AuthzRequest>;
  readonly policy?: Policy;
  readonly options?: Partial<AuthzOptions>;
  readonly reason: AuthzErrorReason;
  readonly status: number;
  readonly error: string;
  readonly challenge: string;
}

/** Sends one changed request and returns the answer with its reason. */
export async function refuse(
  row: Refusal,
): Promise<{ answer: AuthzResponse; reason: AuthzErrorReason | undefined }> {
  const world = createWorld(row.options);
  const valid = world.request({ token: signDraft(accessTokenDraft()) });
  const error = await refusalOf(world.authenticate(await row.change(valid, world), row.policy ?? {}));
  expect(world.reasons()).toContain(error.reason);
  return { answer: error.answer, reason: error.reason };
}

/** The access token of a request. */
export function tokenOf(request: AuthzRequest): string {
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
    name: "a no-break space in front of the scheme",
    change: (request) => ({ ...request, authorization: [`\u{A0}DPoP ${tokenOf(request)}`] }),
  },
  {
    name: "a tab in front of the scheme",
    change: (request) => ({ ...request, authorization: [`\tDPoP ${tokenOf(request)}`] }),
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
    name: "a no-break space in front of the token",
    change: (request) => ({ ...request, authorization: [`DPoP \u{A0}${tokenOf(request)}`] }),
    reason: "jwt_malformed",
  },
  {
    name: "a no-break space behind the token",
    change: (request) => ({ ...request, authorization: [`DPoP ${tokenOf(request)}\u{A0}`] }),
    reason: "jwt_malformed",
  },
  {
    name: "a tab between space and token",
    change: (request) => ({ ...request, authorization: [`DPoP \t${tokenOf(request)}`] }),
    reason: "jwt_malformed",
  },
  {
    name: "a tab behind the token",
    change: (request) => ({ ...request, authorization: [`DPoP ${tokenOf(request)}\t`] }),
    reason: "jwt_malformed",
  },
  {
    name: "a line separator behind the token",
    change: (request) => ({ ...request, authorization: [`DPoP ${tokenOf(request)}\u{2028}`] }),
    reason: "jwt_malformed",
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
      await world.authenticate(request);
      return request;
    },
    reason: "dpop_replayed",
  },
];

function formOf(fields: Readonly<Record<string, string>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
}

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
    name: "a token in a form as well",
    change: (request) => ({
      ...request,
      contentType: ["Application/X-WWW-Form-Urlencoded; charset=utf-8"],
      body: { access_token: "x" },
    }),
    reason: "token_in_body",
  },
  {
    name: "a token in something that may be a form",
    change: (request) => ({
      ...request,
      contentType: ["application/json", "application/x-www-form-urlencoded"],
      body: { access_token: "x" },
    }),
    reason: "token_in_body",
  },
  ...[
    { name: "text", body: "customer=Acme&access_token=x" },
    { name: "text, in disguise", body: "customer=Acme&%61ccess%5Ftoken=x" },
    { name: "bytes", body: new TextEncoder().encode("customer=Acme&access_token=x") },
    { name: "URLSearchParams", body: new URLSearchParams({ access_token: "x" }) },
    { name: "FormData", body: formOf({ access_token: "x" }) },
  ].map(({ name, body }) => ({
    name: `a token in a form as well, given as ${name}`,
    change: (request: AuthzRequest) => ({
      ...request,
      contentType: ["application/x-www-form-urlencoded"],
      body,
    }),
    reason: "token_in_body" as const,
  })),
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
    name: "a scope beside any of two, of which it has one",
    policy: { scopes: ["contracts:write"], anyScopes: ["contracts:read", "contracts:sign"] },
    scope: "contracts:write contracts:read",
  },
];

/** What the route asks for, and what it says about that in every challenge. */
const policy: Policy = { scopes: ["contracts:read"], anyScopes: ["contracts:read", "contracts:sign"] };
const asks = 'scope="contracts:read contracts:sign"';

/** Every refusal of a protected request. */
export const rows: readonly Refusal[] = [
  ...noCredentials.map((row) => ({
    ...row,
    policy,
    reason: "credentials_missing" as const,
    status: 401,
    error: "unauthorized",
    challenge: `${dpop}, ${asks}`,
  })),
  ...invalidToken.map((row) => ({
    ...row,
    policy,
    status: 401,
    error: "invalid_token",
    challenge: `${dpop}, error="invalid_token", ${asks}`,
  })),
  ...badProofs.map((row) => ({
    ...row,
    policy,
    status: 401,
    error: "invalid_dpop_proof",
    challenge: `${dpop}, error="invalid_dpop_proof", ${asks}`,
  })),
  ...ambiguous.map((row) => ({
    ...row,
    policy,
    status: 400,
    error: "invalid_request",
    challenge: `${dpop}, error="invalid_request"`,
  })),
  ...missingScopes.map(({ name, policy: asked, scope }) => ({
    name: `a token without ${name}`,
    change: (request: AuthzRequest) => request,
    policy: asked,
    reason: "scope_missing" as const,
    status: 403,
    error: "insufficient_scope",
    challenge: `${dpop}, error="insufficient_scope", scope="${scope}"`,
  })),
];
