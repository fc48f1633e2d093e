import { createProofSigner, generateEs256KeyPair } from "@authz/dpop";
import { importPrivateJwk, parseCompactJws, signCompactJws } from "@authz/dpop/jws";
import { type Fixture, headerLines, publicOrigin, signed } from "./fixture.js";
import type { RawRequest } from "./raw-request.js";
import {
  ambiguous,
  invalidProof,
  noProof,
  invalidToken,
  missingScope,
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

/** Claims that make a token of the authorization server one that is not for here, or nobody's. */
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

/** The rows that any service refuses, in the order of the wire profile. */
export const refusalRows: readonly RefusalRow[] = [
  { name: "no credentials", change: () => ({ target }), refusal: unauthorized },
  {
    name: "a scheme that is not known",
    change: () => ({ target, headers: [["Authorization", "Basic YWRhOmFkYQ=="]] }),
    refusal: unauthorized,
  },
  {
    name: "a proof without a token",
    change: async ({ issuer }) => ({ target, headers: headerLines(await issuer.signRequest(read)).slice(1) }),
    refusal: unauthorized,
  },
  {
    name: "the scheme without a token",
    change: withAuthorization(() => "DPoP"),
    refusal: invalidToken,
  },
  {
    name: "the scheme with two tokens",
    change: withAuthorization((authorization) => `${authorization} again`),
    refusal: invalidToken,
  },
  {
    name: "a tab in front of the token",
    change: withAuthorization((authorization) => authorization.replace(" ", " \t")),
    refusal: invalidToken,
  },
  {
    name: "a no-break space in front of the token",
    change: withAuthorization((authorization) => authorization.replace(" ", " \u{A0}")),
    refusal: invalidToken,
  },
  {
    name: "a no-break space behind the token",
    change: withAuthorization((authorization) => `${authorization}\u{A0}`),
    refusal: invalidToken,
  },
  {
    name: "a no-break space in front of the scheme",
    change: withAuthorization((authorization) => `\u{A0}${authorization}`),
    refusal: unauthorized,
  },
  { name: "a token that is no JWT", change: withAuthorization(() => "DPoP abc"), refusal: invalidToken },
  {
    name: "an expired token",
    change: async ({ issuer }) => ({ target, headers: headerLines(await issuer.defects.expired(read)) }),
    refusal: invalidToken,
  },
  {
    name: "a token for another resource",
    change: async ({ issuer }) => ({
      target,
      headers: headerLines(await issuer.defects.wrongAudience(read)),
    }),
    refusal: invalidToken,
  },
  { name: "a token signed with a foreign key", change: foreignToken, refusal: invalidToken },
  ...badUserTokens.map(({ name, ...claims }) => ({
    name: `an employee's token of the authorization server ${name}`,
    change: withUserToken(claims),
    refusal: invalidToken,
  })),
  {
    name: "an employee's token of the authorization server without the scope",
    change: (fixture) => signed(fixture, { url: target, scopes: ["contracts:write"], app: "agent" }),
    refusal: missingScope("contracts:read"),
  },
  {
    name: "a proof by another key than the token's",
    change: async ({ issuer }) => ({ target, headers: headerLines(await issuer.defects.wrongKey(read)) }),
    refusal: invalidToken,
  },
  {
    name: "a bound token under Bearer",
    change: withAuthorization((authorization) => authorization.replace("DPoP", "Bearer")),
    refusal: invalidToken,
  },
  {
    name: "a token without a proof",
    change: async ({ issuer }) => ({
      target,
      headers: headerLines(await issuer.signRequest(read)).slice(0, 1),
    }),
    refusal: noProof,
  },
  { name: "a proof that is no JWT", change: withProof(() => "abc"), refusal: invalidProof },
  {
    name: "two proofs in two header lines",
    change: async ({ issuer }) => {
      const [authorization, proof] = headerLines(await issuer.signRequest(read));
      const [, second] = headerLines(await issuer.signRequest(read));
      return { target, headers: [authorization, proof, second].filter((line) => line !== undefined) };
    },
    refusal: invalidProof,
  },
  {
    name: "a replayed proof",
    change: async ({ issuer }) => ({ target, headers: headerLines(await issuer.defects.replayed(read)) }),
    refusal: invalidProof,
  },
  { name: "a proof that is too old", change: boundProof({ ageSeconds: 61 }), refusal: invalidProof },
  { name: "a proof from the future", change: boundProof({ ageSeconds: -30 }), refusal: invalidProof },
  { name: "a proof for another method", change: boundProof({ method: "POST" }), refusal: invalidProof },
  {
    name: "a proof for another path",
    change: boundProof({ url: `${publicOrigin}/api/admin` }),
    refusal: invalidProof,
  },
  {
    name: "a proof for another origin that the Host header names",
    change: boundProof({ url: `https://evil.example${target}`, headers: [["Host", "evil.example"]] }),
    refusal: invalidProof,
  },
  {
    name: "a proof for another origin that the forwarded headers name",
    change: boundProof({
      url: `https://evil.example${target}`,
      headers: [
        ["X-Forwarded-Host", "evil.example"],
        ["X-Forwarded-Proto", "https"],
      ],
    }),
    refusal: invalidProof,
  },
  {
    name: "a proof for another token",
    change: boundProof({ accessToken: "another" }),
    refusal: invalidProof,
  },
  {
    name: "two Authorization header lines",
    change: async ({ issuer }) => {
      const lines = headerLines(await issuer.signRequest(read));
      return { target, headers: [...lines, ...lines.slice(0, 1)] };
    },
    refusal: ambiguous,
  },
  {
    name: "a second Authorization header line with another scheme",
    change: async ({ issuer }) => ({
      target,
      headers: [...headerLines(await issuer.signRequest(read)), ["Authorization", "Basic YWRhOmFkYQ=="]],
    }),
    refusal: ambiguous,
  },
  {
    name: "two Authorization header lines with schemes that are not known",
    change: () => ({
      target,
      headers: [
        ["Authorization", "Basic x"],
        ["Authorization", "Digest y"],
      ],
    }),
    refusal: ambiguous,
  },
  {
    name: "a token in the query as well",
    change: async ({ issuer }) => ({
      target: `${target}?access_token=abc`,
      headers: headerLines(await issuer.signRequest(read)),
    }),
    refusal: ambiguous,
  },
  {
    name: "a missing scope",
    change: async ({ issuer }) => ({ target, headers: headerLines(await issuer.defects.missingScope(read)) }),
    refusal: missingScope("contracts:read"),
  },
  {
    name: "one of two scopes",
    change: (fixture) => signed(fixture, { url: "/api/admin", scopes: ["contracts:read"] }),
    refusal: missingScope("contracts:read", "contracts:write"),
  },
  {
    name: "none of the scopes of which one is enough",
    change: (fixture) => signed(fixture, { url: "/api/either", scopes: ["contracts:read"] }),
    refusal: missingScope("contracts:write", "contracts:delete"),
  },
  {
    name: "no credentials on a guarded router",
    change: () => ({ target: "/grouped/contracts" }),
    refusal: unauthorized,
  },
];

function withAuthorization(change: (authorization: string) => string): RefusalRow["change"] {
  return async ({ issuer }) => {
    const headers = await issuer.signRequest(read);
    return { target, headers: headerLines({ ...headers, authorization: change(headers.authorization) }) };
  };
}

function withProof(change: (proof: string) => string): RefusalRow["change"] {
  return async ({ issuer }) => {
    const headers = await issuer.signRequest(read);
    return { target, headers: headerLines({ ...headers, dpop: change(headers.dpop) }) };
  };
}

/** A token and a proof by its own key, with one claim of the proof different. */
function boundProof(change: {
  ageSeconds?: number;
  method?: string;
  url?: string;
  accessToken?: string;
  headers?: RawRequest["headers"];
}): RefusalRow["change"] {
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
function withUserToken(claims: Readonly<Record<string, unknown>>): RefusalRow["change"] {
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
