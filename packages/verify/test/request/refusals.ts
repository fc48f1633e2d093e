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

type Change = Refusal["change"];
type Row = readonly [name: string, change: Change, reason: AuthzErrorReason];

/** Changes the lines of `Authorization`, which is `DPoP` and the token. */
const authorization =
  (...lines: ((token: string) => string)[]): Change =>
  (request) => ({ ...request, authorization: lines.map((line) => line(tokenOf(request))) });
/** Changes the query. */
const query =
  (added: string): Change =>
  (request) => ({ ...request, url: request.url + added });
/** Changes the lines of `DPoP`: those of the request, and more proofs. */
const proofs =
  (change: (proof: string, more: (changes: object) => string) => readonly string[]): Change =>
  (request, world) => ({
    ...request,
    dpop: change(request.dpop[0] ?? "", (changes) => proofFor(world, request, changes)),
  });
const aProof = (changes: object): Change => proofs((_proof, more) => [more(changes)]);
const form =
  (body: unknown, ...contentType: string[]): Change =>
  (request) => ({ ...request, body, ...(contentType.length > 0 && { contentType }) });

const formType = "application/x-www-form-urlencoded";

function proofFor(world: World, request: AuthzRequest, changes: object): string {
  const accessToken = tokenOf(request);
  return world.client.sign({ method: "GET", url: `${publicOrigin}/api/contracts`, accessToken, ...changes });
}

const noCredentials: readonly (readonly [name: string, change: Change])[] = [
  ["no Authorization header", authorization()],
  ["an empty Authorization header", authorization(() => "")],
  ["an Authorization header of spaces", authorization(() => "   ")],
  ["another scheme", authorization(() => "Basic dTpw")],
  ["another scheme with parameters", authorization(() => 'Digest username="a, b", realm="c", qop=auth')],
  [
    "another scheme with a quotation mark that never closes",
    authorization(() => `Digest a=", b="${'\\"'.repeat(100)}`),
  ],
  ["a scheme that only starts like ours", authorization((token) => `DPoPX ${token}`)],
  ["the token without a scheme", authorization((token) => token)],
  ["a no-break space in front of the scheme", authorization((token) => `\u{A0}DPoP ${token}`)],
  ["a tab in front of the scheme", authorization((token) => `\tDPoP ${token}`)],
  [
    "the token only in the query",
    (request) => ({ ...request, authorization: [], url: `/api/contracts?access_token=${tokenOf(request)}` }),
  ],
];

const invalidToken: readonly Row[] = [
  ["a scheme without a token", authorization(() => "DPoP"), "authorization_malformed"],
  ["a scheme with a space and no token", authorization(() => "DPoP "), "authorization_malformed"],
  ["two tokens in one header", authorization((token) => `DPoP ${token} x`), "authorization_malformed"],
  ["a token in quotation marks", authorization((token) => `DPoP "${token}"`), "jwt_malformed"],
  ["a token behind a tab", authorization((token) => `DPoP\t${token}`), "authorization_malformed"],
  [
    "a no-break space in front of the token",
    authorization((token) => `DPoP \u{A0}${token}`),
    "jwt_malformed",
  ],
  ["a no-break space behind the token", authorization((token) => `DPoP ${token}\u{A0}`), "jwt_malformed"],
  ["a tab between space and token", authorization((token) => `DPoP \t${token}`), "jwt_malformed"],
  ["a tab behind the token", authorization((token) => `DPoP ${token}\t`), "jwt_malformed"],
  ["a line separator behind the token", authorization((token) => `DPoP ${token}\u{2028}`), "jwt_malformed"],
  ["a token of more than 8 KiB", authorization(() => `DPoP ${"x".repeat(8193)}`), "authorization_malformed"],
  ["an opaque token", authorization(() => "DPoP opaque"), "jwt_malformed"],
  ["the Bearer scheme", authorization((token) => `Bearer ${token}`), "scheme_not_accepted"],
  [
    "a proof of another key",
    (request, { clock, ...world }) =>
      world.request({ token: tokenOf(request), signer: createProofSigner(otherKey, { clock }) }),
    "proof_key_mismatch",
  ],
  [
    "an expired token",
    (_request, world) => {
      const draft = accessTokenDraft();
      world.clock.advance(600);
      return world.request({ token: signDraft(draft) });
    },
    "jwt_expired",
  ],
];

const badProofs: readonly Row[] = [
  ["no proof", proofs(() => []), "proof_missing"],
  ["an empty proof", proofs(() => [""]), "proof_missing"],
  ["two proofs", proofs((proof, more) => [proof, more({})]), "proof_repeated"],
  ["two proofs that Fetch joined", proofs((proof, more) => [`${proof}, ${more({})}`]), "dpop_not_compact"],
  ["a proof for another method", aProof({ method: "POST" }), "dpop_wrong_method"],
  ["a proof for another path", aProof({ url: `${publicOrigin}/api/x` }), "dpop_wrong_url"],
  ["a proof for another host", aProof({ url: "https://other.example.com/api/contracts" }), "dpop_wrong_url"],
  ["a proof for another access token", aProof({ accessToken: "x" }), "dpop_wrong_ath"],
  ["a proof for no access token", aProof({ accessToken: undefined }), "dpop_missing_ath"],
  [
    "a stale proof",
    (request, world) => {
      world.clock.advance(61);
      return request;
    },
    "dpop_too_old",
  ],
  [
    "a replayed proof",
    async (request, world) => {
      await world.authenticate(request);
      return request;
    },
    "dpop_replayed",
  ],
];

function formDataOf(fields: Readonly<Record<string, string>>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  return data;
}

const dpopLine = (token: string): string => `DPoP ${token}`;
const basicLine = (): string => "Basic dTpw";

const ambiguous: readonly Row[] = [
  ["two Authorization headers", authorization(dpopLine, dpopLine), "authorization_repeated"],
  [
    "two Authorization headers of different schemes",
    authorization(basicLine, dpopLine),
    "authorization_repeated",
  ],
  [
    "two Authorization headers that Fetch joined",
    authorization((token) => `Basic dTpw, DPoP ${token}`),
    "authorization_repeated",
  ],
  [
    "the same token twice, joined",
    authorization((token) => `DPoP ${token}, DPoP ${token}`),
    "authorization_repeated",
  ],
  ["a token in the query as well", query("?page=2&access_token=x"), "token_in_query"],
  ["a token in the query as well, in disguise", query("?%61ccess_token=x"), "token_in_query"],
  ["a token in the body as well", form({ access_token: "x" }), "token_in_body"],
  [
    "a token in a form as well",
    form({ access_token: "x" }, "Application/X-WWW-Form-Urlencoded; charset=utf-8"),
    "token_in_body",
  ],
  [
    "a token in something that may be a form",
    form({ access_token: "x" }, "application/json", formType),
    "token_in_body",
  ],
  ...(
    [
      ["text", "customer=Acme&access_token=x"],
      ["text, in disguise", "customer=Acme&%61ccess%5Ftoken=x"],
      ["bytes", new TextEncoder().encode("customer=Acme&access_token=x")],
      ["URLSearchParams", new URLSearchParams({ access_token: "x" })],
      ["FormData", formDataOf({ access_token: "x" })],
    ] as const
  ).map(
    ([name, body]): Row => [
      `a token in a form as well, given as ${name}`,
      form(body, formType),
      "token_in_body",
    ],
  ),
  [
    "a request target that is no path",
    (request) => ({ ...request, url: "contracts.example.com:443" }),
    "request_target_malformed",
  ],
];

const missingScopes: readonly (readonly [name: string, policy: Policy, scope: string])[] = [
  ["the one scope", { scopes: ["contracts:write"] }, "contracts:write"],
  ["one of two scopes", { scopes: ["contracts:read", "contracts:write"] }, "contracts:read contracts:write"],
  [
    "any of two scopes",
    { anyScopes: ["contracts:write", "contracts:sign"] },
    "contracts:write contracts:sign",
  ],
  [
    "any of two scopes beside one it has",
    { scopes: ["contracts:read"], anyScopes: ["contracts:write", "contracts:sign"] },
    "contracts:read contracts:write contracts:sign",
  ],
  [
    "a scope beside any of two, of which it has one",
    { scopes: ["contracts:write"], anyScopes: ["contracts:read", "contracts:sign"] },
    "contracts:write contracts:read",
  ],
];

/** What the route asks for, and what it says about that in every challenge. */
const policy: Policy = { scopes: ["contracts:read"], anyScopes: ["contracts:read", "contracts:sign"] };
const asks = 'scope="contracts:read contracts:sign"';

/** Rows that get one answer: its status, its error, and what the challenge says behind the metadata. */
function answered(
  rows: readonly Row[],
  status: number,
  error: string,
  challenge: string,
): readonly Refusal[] {
  return rows.map(([name, change, reason]) => ({
    name,
    change,
    policy,
    reason,
    status,
    error,
    challenge: `${dpop}, ${challenge}`,
  }));
}

/** Every refusal of a protected request. */
export const rows: readonly Refusal[] = [
  ...answered(
    noCredentials.map((row): Row => [...row, "credentials_missing"]),
    401,
    "unauthorized",
    asks,
  ),
  ...answered(invalidToken, 401, "invalid_token", `error="invalid_token", ${asks}`),
  ...answered(badProofs, 401, "invalid_dpop_proof", `error="invalid_dpop_proof", ${asks}`),
  ...answered(ambiguous, 400, "invalid_request", 'error="invalid_request"'),
  ...missingScopes.map(([name, asked, scope]) => ({
    name: `a token without ${name}`,
    change: (request: AuthzRequest) => request,
    policy: asked,
    reason: "scope_missing" as const,
    status: 403,
    error: "insufficient_scope",
    challenge: `${dpop}, error="insufficient_scope", scope="${scope}"`,
  })),
];
