import { expect, test } from "vitest";
import type { Check } from "../../../src/registry/probes/check.js";
import { judgeMetadata } from "../../../src/registry/probes/judge-metadata.js";
import { sayBelow } from "../../../src/text/say-below.js";
import { say } from "../../support/faults.js";

const issuer = "https://accounts.acme.example";
const metadata = {
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  userinfo_endpoint: `${issuer}/userinfo`,
  jwks_uri: `${issuer}/keys`,
  response_types_supported: ["code", "id_token"],
  code_challenge_methods_supported: ["S256"],
  id_token_signing_alg_values_supported: ["RS256", "HS256"],
  token_endpoint_auth_methods_supported: ["client_secret_post"],
  scopes_supported: ["openid", "email", "profile"],
  claims_supported: ["sub", "email", "email_verified"],
};
const draft = { issuer, tokenEndpointAuthMethod: null, scopes: ["openid", "email"] };
const isSecure = (url: string) => url.startsWith("https:");

function judge(change: object, draftChange: object = {}): readonly Check[] {
  return judgeMetadata(
    { ...metadata, ...change },
    {
      draft: { ...draft, ...draftChange },
      isSecure,
      t: sayBelow("administration.provider", say),
    },
  );
}

test("a provider that fits passes every check", () => {
  expect(judge({}).filter(({ state }) => state !== "passed")).toEqual([]);
});

test.each<{
  name: string;
  change: object;
  draft?: object;
  id: Check["id"];
  state: Check["state"];
  says: string;
}>([
  {
    name: "another issuer",
    change: { issuer: "https://other.example" },
    id: "issuer",
    state: "failed",
    says: "to the issuer https://other.example, not to https://accounts.acme.example",
  },
  {
    name: "no issuer",
    change: { issuer: undefined },
    id: "issuer",
    state: "failed",
    says: "names no issuer",
  },
  {
    name: "no token endpoint",
    change: { token_endpoint: undefined },
    id: "endpoints",
    state: "failed",
    says: "no token_endpoint",
  },
  {
    name: "a plain http: endpoint",
    change: { userinfo_endpoint: "http://accounts.acme.example/userinfo" },
    id: "endpoints",
    state: "failed",
    says: "userinfo_endpoint",
  },
  {
    name: "no code flow",
    change: { response_types_supported: ["id_token"] },
    id: "code_flow",
    state: "failed",
    says: "only id_token",
  },
  {
    name: "PKCE with plain only",
    change: { code_challenge_methods_supported: ["plain"] },
    id: "pkce",
    state: "failed",
    says: "plain, not S256",
  },
  {
    name: "nothing about PKCE",
    change: { code_challenge_methods_supported: undefined },
    id: "pkce",
    state: "warning",
    says: "does not say",
  },
  {
    name: "symmetric signatures only",
    change: { id_token_signing_alg_values_supported: ["HS256", "none"] },
    id: "signing_algorithms",
    state: "failed",
    says: "HS256, none",
  },
  {
    name: "another way of authentication",
    change: {},
    draft: { tokenEndpointAuthMethod: "client_secret_basic" },
    id: "authentication",
    state: "failed",
    says: "client_secret_post, not client_secret_basic",
  },
  {
    name: "nothing about public clients",
    change: {},
    draft: { tokenEndpointAuthMethod: "none" },
    id: "authentication",
    state: "warning",
    says: "not none",
  },
  {
    name: "a scope that is not named",
    change: {},
    draft: { scopes: ["openid", "groups"] },
    id: "scopes",
    state: "warning",
    says: "groups",
  },
  {
    name: "no claim about verified addresses",
    change: { claims_supported: ["sub", "email"] },
    id: "claims",
    state: "warning",
    says: "does not name email_verified",
  },
])("$name is named by the check $id alone", ({ change, draft: draftChange, id, state, says }) => {
  const notable = judge(change, draftChange).filter((check) => check.state !== "passed");
  expect(notable).toEqual([expect.objectContaining({ id, state })]);
  expect(notable[0]?.detail).toContain(says);
});

test("metadata without anything in it fails in words", () => {
  const checks = judgeMetadata({}, { draft, isSecure, t: sayBelow("administration.provider", say) });
  expect(checks.map(({ id, state }) => `${id} ${state}`)).toEqual([
    "issuer failed",
    "endpoints failed",
    "code_flow passed",
    "pkce warning",
    "signing_algorithms warning",
    "authentication passed",
    "scopes passed",
    "claims warning",
  ]);
});
