import { createServer, type IncomingMessage } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createCredentialVault } from "../../src/encryption-keys/open-vaults.js";
import { createRelyingParty, type RelyingParty } from "../../src/sign-in/relying-party.js";
import { createOutboundClient } from "../../src/platform/outbound/outbound-fetch.js";
import type { IdentityProvider } from "../../src/store/identity-providers.js";

interface TokenRequest {
  readonly authorization: string | undefined;
  readonly form: URLSearchParams;
}

const credentials = createCredentialVault(Buffer.alloc(32, 3));
const clientSecret = await credentials.seal("s3cret", "identity_providers/p1");
const outbound = createOutboundClient({ allowInsecureLoopback: true });
const tokenRequests: TokenRequest[] = [];
const fetched: string[] = [];
let metadata: Record<string, unknown> = {};
let origin = "";
let relyingParty: RelyingParty;

/** A provider that keeps what it was asked, and gives no tokens. */
const server = createServer((request, response) => {
  const path = request.url ?? "/";
  fetched.push(path);
  response.setHeader("content-type", "application/json");
  if (path === "/token")
    void keep(request).then(() => response.writeHead(400).end('{"error":"invalid_grant"}'));
  else response.end(JSON.stringify(metadata));
});

async function keep(request: IncomingMessage): Promise<void> {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += String(chunk);
  tokenRequests.push({ authorization: request.headers.authorization, form: new URLSearchParams(body) });
}

beforeAll(async () => {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  origin = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
});
beforeEach(() => {
  tokenRequests.length = 0;
  fetched.length = 0;
  metadata = {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    jwks_uri: `${origin}/jwks`,
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
  };
  relyingParty = createRelyingParty({
    issuer: "http://127.0.0.1:3000",
    credentials,
    outboundFetch: outbound.fetch,
    allowInsecureLoopback: true,
    clock: Date.now,
    clockDifferenceSeconds: () => 0,
  });
});
afterAll(async () => {
  server.close();
  await outbound.close();
});

function provider(change: Partial<IdentityProvider> = {}): IdentityProvider {
  return {
    id: "p1",
    key: "acme",
    name: "Acme",
    issuer: origin,
    clientId: "authz",
    clientSecret,
    tokenEndpointAuthMethod: null,
    discoveryUrl: null,
    scopes: ["openid", "email"],
    allowedEmailDomains: [],
    enabled: true,
    ...change,
  };
}

const attempt = { state: "state", nonce: "nonce", codeVerifier: "v".repeat(43) };

/** Redeems a code, which this provider always refuses, and returns what it was asked. */
async function redeem(change: Partial<IdentityProvider>): Promise<TokenRequest | undefined> {
  const answer = { query: "code=c&state=state", wantsGroups: false };
  await expect(relyingParty.complete(provider(change), attempt, answer)).rejects.toMatchObject({
    reason: "invalid_response",
  });
  return tokenRequests[0];
}

describe("the client proves who it is", () => {
  const basic = `Basic ${Buffer.from("authz:s3cret").toString("base64")}`;
  test.each([
    ["with Basic when nothing is said", null, undefined, basic, null],
    ["as the provider's metadata offers", null, ["client_secret_post"], undefined, "s3cret"],
    [
      "with Basic when that is registered, despite the metadata",
      "client_secret_basic",
      ["client_secret_post"],
      basic,
      null,
    ],
    [
      "in the body when that is registered",
      "client_secret_post",
      ["client_secret_basic"],
      undefined,
      "s3cret",
    ],
  ] as const)("%s", async (_name, method, offered, authorization, secret) => {
    metadata["token_endpoint_auth_methods_supported"] = offered;
    const request = await redeem({ tokenEndpointAuthMethod: method });
    expect(request?.authorization).toBe(authorization);
    expect(request?.form.get("client_secret")).toBe(secret);
    expect(request?.form.get("code_verifier")).toBe(attempt.codeVerifier);
  });

  test("not at all when it has no secret: the code verifier protects the code", async () => {
    const request = await redeem({ tokenEndpointAuthMethod: "none", clientSecret: null });
    expect(request?.authorization).toBeUndefined();
    expect(request?.form.get("client_id")).toBe("authz");
    expect(request?.form.has("client_secret")).toBe(false);
    expect(request?.form.get("code_verifier")).toBe(attempt.codeVerifier);
  });
});

describe("an answer says whose it is (RFC 9207)", () => {
  const complete = (query: string) =>
    relyingParty.complete(provider(), attempt, { query: `code=c&state=state${query}`, wantsGroups: false });

  test.each([
    ["nothing, although the provider says that it does", true, () => ""],
    ["another provider", true, () => "&iss=https://evil.example"],
    ["another provider, unannounced", false, () => "&iss=https://evil.example"],
  ])("and its code goes nowhere when that is %s", async (_name, supported, query) => {
    metadata["authorization_response_iss_parameter_supported"] = supported;
    await expect(complete(query())).rejects.toMatchObject({ reason: "invalid_response" });
    expect(tokenRequests).toEqual([]);
  });

  test("and its code is redeemed when that is right, with the callback that it came to", async () => {
    metadata["authorization_response_iss_parameter_supported"] = true;
    await expect(complete(`&iss=${origin}`)).rejects.toMatchObject({ reason: "invalid_response" });
    expect(tokenRequests[0]?.form.get("redirect_uri")).toBe("http://127.0.0.1:3000/sign-in/callback");
    const query = `code=c&state=state&iss=${origin}`;
    const own = relyingParty.complete(provider({ ownCallback: true }), attempt, {
      query,
      wantsGroups: false,
    });
    await expect(own).rejects.toMatchObject({ reason: "invalid_response" });
    expect(tokenRequests[1]?.form.get("redirect_uri")).toBe("http://127.0.0.1:3000/sign-in/callback/acme");
  });
});

describe("the metadata of a provider", () => {
  const authorizationUrl = (change: Partial<IdentityProvider>) =>
    relyingParty.authorizationUrl(provider(change), attempt, undefined);

  test("is at the well-known address of the issuer", async () => {
    expect((await authorizationUrl({})).pathname).toBe("/authorize");
    expect(fetched).toEqual(["/.well-known/openid-configuration"]);
  });

  test("is where the registration says", async () => {
    const discoveryUrl = `${origin}/tenants/acme/.well-known/openid-configuration`;
    expect((await authorizationUrl({ discoveryUrl })).pathname).toBe("/authorize");
    expect(fetched).toEqual(["/tenants/acme/.well-known/openid-configuration"]);
  });

  test("is read again when the registration changes", async () => {
    await authorizationUrl({});
    await authorizationUrl({});
    expect(fetched).toHaveLength(1);
    await authorizationUrl({ tokenEndpointAuthMethod: "client_secret_post" });
    expect(fetched).toHaveLength(2);
  });

  test.each([
    { name: "at the well-known address", discoveryUrl: null },
    { name: "at an address of its own", discoveryUrl: "/other/.well-known/openid-configuration" },
  ])("of another issuer is refused $name", async ({ discoveryUrl }) => {
    metadata["issuer"] = "https://evil.example";
    const change = { discoveryUrl: discoveryUrl === null ? null : `${origin}${discoveryUrl}` };
    await expect(authorizationUrl(change)).rejects.toMatchObject({ reason: "invalid_response" });
  });
});
