import { createProofSigner, generateEs256KeyPair } from "@authz/dpop";
import { importPrivateJwk, parseCompactJws, signCompactJws } from "@authz/dpop/jws";
import type { Caller, Defects } from "@authz/testing";
import {
  type Fixture,
  type HeaderLine,
  headerLines,
  publicOrigin,
  type SignedLines,
  signed,
} from "./fixture.js";
import type { RawRequest } from "./raw-request.js";
import {
  ambiguous,
  invalidProof,
  invalidToken,
  missingScope,
  noProof,
  type Refusal,
  unauthorized,
} from "./refusals.js";

/** A request with one thing wrong, and the answer it must get. */
export interface RefusalRow {
  readonly name: string;
  readonly change: (fixture: Fixture) => RawRequest | Promise<RawRequest>;
  readonly refusal: Refusal;
}

const target = "/api/contracts";
const read = { url: target, scopes: ["contracts:read"] };

const now = Math.floor(Date.now() / 1000);

/** Claims with which a token of the authorization server is not for this service, or for no valid subject. */
const badUserTokens: readonly { readonly name: string; readonly [claim: string]: unknown }[] = [
  { name: "for the authorization server's own API", aud: "https://issuer.test/api" },
  { name: "for another service", aud: "https://other.example/api" },
  { name: "for another resource of this service", aud: `${publicOrigin}/admin` },
  { name: "that has ended", iat: now - 900, exp: now - 600 },
  { name: "that names no actor", act: undefined },
  { name: "that names another app as actor", act: { sub: "another" } },
  { name: "whose actor is a string", act: "agent" },
  { name: "that is for the app itself", sub: "agent" },
  { name: "that is for the app itself, without an actor", sub: "agent", act: undefined },
  { name: "that is bound to no key", cnf: undefined },
  { name: "that is bound to another key", cnf: { jkt: "A".repeat(43) } },
];

type Change = RefusalRow["change"];

const rows: readonly (readonly [name: string, change: Change, refusal: Refusal])[] = [
  ["no credentials", () => ({ target }), unauthorized],
  ["a scheme that is not known", () => withLines(["Authorization", "Basic YWRhOmFkYQ=="]), unauthorized],
  ["a proof without a token", signedWith(([, proof]) => [proof]), unauthorized],
  ["the scheme without a token", withAuthorization(() => "DPoP"), invalidToken],
  ["the scheme with two tokens", withAuthorization((value) => `${value} again`), invalidToken],
  ["a tab in front of the token", withAuthorization((value) => value.replace(" ", " \t")), invalidToken],
  [
    "a no-break space in front of the token",
    withAuthorization((value) => value.replace(" ", " \u{A0}")),
    invalidToken,
  ],
  ["a no-break space behind the token", withAuthorization((value) => `${value}\u{A0}`), invalidToken],
  ["a no-break space in front of the scheme", withAuthorization((value) => `\u{A0}${value}`), unauthorized],
  ["a token that is no JWT", withAuthorization(() => "DPoP abc"), invalidToken],
  ["an expired token", withDefect("expired"), invalidToken],
  ["a token for another resource", withDefect("wrongAudience"), invalidToken],
  ["a token signed with a foreign key", foreignToken, invalidToken],
  ...badUserTokens.map(({ name, ...claims }): (typeof rows)[number] => [
    `an employee's token of the authorization server ${name}`,
    withUserToken(claims),
    invalidToken,
  ]),
  [
    "an employee's token of the authorization server without the scope",
    (fixture) => signed(fixture, { url: target, scopes: ["contracts:write"], app: "agent" }),
    missingScope("contracts:read"),
  ],
  ["a proof by another key than the token's", withDefect("wrongKey"), invalidToken],
  ["a bound token under Bearer", withAuthorization((value) => value.replace("DPoP", "Bearer")), invalidToken],
  ["a token without a proof", signedWith(([authorization]) => [authorization]), noProof],
  ["a proof that is no JWT", signedWith(([authorization]) => [authorization, ["DPoP", "abc"]]), invalidProof],
  [
    "two proofs in two header lines",
    signedWith(async (lines, { issuer }) => [...lines, headerLines(await issuer.signRequest(read))[1]]),
    invalidProof,
  ],
  ["a replayed proof", withDefect("replayed"), invalidProof],
  ["a proof that is too old", boundProof({ ageSeconds: 61 }), invalidProof],
  ["a proof from the future", boundProof({ ageSeconds: -30 }), invalidProof],
  ["a proof for another method", boundProof({ method: "POST" }), invalidProof],
  ["a proof for another path", boundProof({ url: `${publicOrigin}/api/admin` }), invalidProof],
  [
    "a proof for another origin that the Host header names",
    boundProof({ url: `https://evil.example${target}`, headers: [["Host", "evil.example"]] }),
    invalidProof,
  ],
  [
    "a proof for another origin that the forwarded headers name",
    boundProof({
      url: `https://evil.example${target}`,
      headers: [
        ["X-Forwarded-Host", "evil.example"],
        ["X-Forwarded-Proto", "https"],
      ],
    }),
    invalidProof,
  ],
  ["a proof for another token", boundProof({ accessToken: "another" }), invalidProof],
  ["two Authorization header lines", signedWith(([first, proof]) => [first, proof, first]), ambiguous],
  [
    "a second Authorization header line with another scheme",
    signedWith((lines) => [...lines, ["Authorization", "Basic YWRhOmFkYQ=="]]),
    ambiguous,
  ],
  [
    "two Authorization header lines with schemes that are not known",
    () => withLines(["Authorization", "Basic x"], ["Authorization", "Digest y"]),
    ambiguous,
  ],
  [
    "a token in the query as well",
    async (fixture) => ({ ...(await signed(fixture, read)), target: `${target}?access_token=abc` }),
    ambiguous,
  ],
  ["an employee's token whose sign-in has ended", withDefect("revoked"), invalidToken],
  ["a machine's token that has ended", withDefect("revoked", { machine: "nightly-report" }), invalidToken],
  [
    "an employee's token of the authorization server that has ended",
    withDefect("revoked", { app: "agent" }),
    invalidToken,
  ],
  [
    "a token that names another status list",
    withUserToken({ status: { status_list: { idx: 2, uri: "https://other.example/oauth/status" } } }),
    invalidToken,
  ],
  [
    "a token that names an entry beyond the status list",
    withUserToken({ status: { status_list: { idx: 1 << 30, uri: "https://issuer.test/oauth/status" } } }),
    invalidToken,
  ],
  ["a missing scope", withDefect("missingScope"), missingScope("contracts:read")],
  [
    "one of two scopes",
    (fixture) => signed(fixture, { url: "/api/admin", scopes: ["contracts:read"] }),
    missingScope("contracts:read", "contracts:write"),
  ],
  [
    "none of the scopes of which one is enough",
    (fixture) => signed(fixture, { url: "/api/either", scopes: ["contracts:read"] }),
    missingScope("contracts:write", "contracts:delete"),
  ],
  ["no credentials on a guarded router", () => ({ target: "/grouped/contracts" }), unauthorized],
];

/** The rows that any service refuses, in the order of the wire profile. */
export const refusalRows: readonly RefusalRow[] = rows.map(([name, change, refusal]) => ({
  name,
  change,
  refusal,
}));

function withLines(...headers: HeaderLine[]): RawRequest {
  return { target, headers };
}

/** A valid request whose header lines, `Authorization` and `DPoP`, are changed. */
function signedWith(
  change: (lines: SignedLines, fixture: Fixture) => readonly HeaderLine[] | Promise<readonly HeaderLine[]>,
): Change {
  return async (fixture) => {
    const lines = headerLines(await fixture.issuer.signRequest(read));
    return { target, headers: await change(lines, fixture) };
  };
}

function withDefect(defect: keyof Defects, caller: Caller = {}): Change {
  return async ({ issuer }) => ({
    target,
    headers: headerLines(await issuer.defects[defect]({ ...read, ...caller })),
  });
}

function withAuthorization(change: (authorization: string) => string): Change {
  return signedWith(([[name, value], proof]) => [[name, change(value)], proof]);
}

/** A token and a proof by its own key, with one claim of the proof different. */
function boundProof(change: {
  ageSeconds?: number;
  method?: string;
  url?: string;
  accessToken?: string;
  headers?: RawRequest["headers"];
}): Change {
  return async ({ issuer }) => {
    const clock = (): number => Date.now() - (change.ageSeconds ?? 0) * 1000;
    const keyPair = await generateEs256KeyPair();
    const accessToken = await issuer.issueAccessToken(createProofSigner(keyPair), read);
    const proof = createProofSigner(keyPair, { clock }).sign({
      method: change.method ?? "GET",
      url: change.url ?? `${publicOrigin}${target}`,
      accessToken: change.accessToken ?? accessToken,
    });
    const lines = headerLines({ authorization: `DPoP ${accessToken}`, dpop: proof });
    return { target, headers: [...lines, ...(change.headers ?? [])] };
  };
}

/** A request that is right but for the claims of the token, which the authorization server signed. */
function withUserToken(claims: Readonly<Record<string, unknown>>): Change {
  return async ({ issuer }) => {
    const signer = createProofSigner(await generateEs256KeyPair());
    const { thumbprint } = signer;
    const accessToken = issuer.issueUserToken({ scopes: read.scopes, app: "agent", thumbprint, claims });
    const dpop = signer.sign({ method: "GET", url: `${publicOrigin}${target}`, accessToken });
    return { target, headers: headerLines({ authorization: `DPoP ${accessToken}`, dpop }) };
  };
}

async function foreignToken({ issuer }: Fixture): Promise<RawRequest> {
  const { privateJwk } = await generateEs256KeyPair();
  const valid = await issuer.signRequest(read);
  const { header, payload } = parseCompactJws(valid.authorization.slice("DPoP ".length), { maxBytes: 8192 });
  const token = signCompactJws(
    { typ: "at+jwt", kid: String(header["kid"]) },
    payload,
    importPrivateJwk(privateJwk),
  );
  return { target, headers: headerLines({ ...valid, authorization: `DPoP ${token}` }) };
}
