import { createProofSigner, generateEs256KeyPair } from "@authz/dpop";
import {
  type Caller,
  createTestIssuer,
  type Defects,
  type Ended,
  type SignedHeaders,
  type TestIssuer,
} from "@authz/testing";
import { type Auth, type AuthzLogEvent, createNonceSource, initAuthz } from "@authz/verify";
import { afterEach, describe, expect, it, vi } from "vitest";

const supportedScopes = ["contracts:read", "contracts:write"];
const path = "/api/contracts";

/** What a service does with the headers: the production code, and nothing else. Rejects with what the log says. */
async function authenticate(issuer: TestIssuer, headers: SignedHeaders, scopes: string[]): Promise<Auth> {
  const events: AuthzLogEvent[] = [];
  const log = (event: AuthzLogEvent): void => void events.push(event);
  const service = initAuthz(issuer.url, { ...issuer.options, log });
  const request = { method: "GET", url: path, authorization: [headers.authorization], dpop: [headers.dpop] };
  const { auth } = await service.decide(request, { scopes });
  if (auth === undefined) throw events.find(({ type }) => type === "refused");
  return auth;
}

/** What a JWT says, with or without the scheme in front of it. */
function claimsOf(token: string): unknown {
  return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
}

describe("A signed request", () => {
  it("is authorized by the production code, with the identity that was asked for", async () => {
    const issuer = await createTestIssuer({ supportedScopes });
    const headers = await issuer.signRequest({
      url: path,
      scopes: ["contracts:read"],
      subject: "ada",
      email: "ada@acme.example",
      name: "Ada",
    });
    await expect(authenticate(issuer, headers, ["contracts:read"])).resolves.toMatchObject({
      identity: { type: "user", subject: "ada", email: "ada@acme.example", name: "Ada" },
      scopes: ["contracts:read"],
      clientId: "authz-cli",
    });
  });

  describe("in a test that replaces the time", () => {
    afterEach(() => void vi.useRealTimers());

    it("is made for that time, also by an issuer that was there before", async () => {
      const options = { supportedScopes, nonces: createNonceSource({ secret: "s".repeat(32) }) };
      const issuer = await createTestIssuer(options);
      for (const now of ["2020-02-29", "2040-01-01", "2026-06-01"]) {
        vi.useFakeTimers({ toFake: ["Date"], now: new Date(now) });
        const auth = await authenticate(issuer, await issuer.signRequest({ url: path }), supportedScopes);
        expect(auth.expiresAt).toBeGreaterThan(Date.now() / 1000);
      }
    });
  });

  it("has every supported scope and a made-up subject when nothing is said", async () => {
    const issuer = await createTestIssuer({ supportedScopes });
    const auth = await authenticate(issuer, await issuer.signRequest({ url: path }), supportedScopes);
    expect(auth.identity).toMatchObject({ subject: "test-subject", email: "test-subject@example.com" });
  });

  it("comes from a machine when one is named", async () => {
    const issuer = await createTestIssuer({ supportedScopes });
    const headers = await issuer.signRequest({ url: path, machine: "nightly-report" });
    const auth = await authenticate(issuer, headers, ["contracts:read"]);
    expect(auth.identity).toEqual({ type: "machine", subject: "nightly-report" });
  });

  it("comes through an app of the employee when one is named, with a token of the authorization server", async () => {
    const issuer = await createTestIssuer({ supportedScopes });
    const app = "https://agent.example/client.json";
    const headers = await issuer.signRequest({ url: path, app, subject: "ada", name: "Ada" });
    const auth = await authenticate(issuer, headers, supportedScopes);
    expect(auth).toMatchObject({
      identity: { type: "user", subject: "ada", email: "ada@example.com", name: "Ada" },
      clientId: app,
      actor: { subject: app },
    });
    expect(claimsOf(headers.authorization)).toMatchObject({ iss: issuer.url, aud: issuer.options.resource });
  });

  it("comes from a machine or through an app, not both", async () => {
    const issuer = await createTestIssuer({ supportedScopes });
    const request = { url: path, machine: "nightly-report", app: "agent" };
    await expect(issuer.signRequest(request)).rejects.toThrow(TypeError);
  });

  it.each(["https://service.test/mcp", "https://SERVICE.test/"])(
    "is for the resource %s",
    async (resource) => {
      const issuer = await createTestIssuer({ supportedScopes, resource });
      for (const caller of [{}, { app: "agent" }, { machine: "nightly-report" }]) {
        const headers = await issuer.signRequest({ url: path, ...caller });
        await expect(authenticate(issuer, headers, [])).resolves.toBeDefined();
      }
    },
  );

  it("may name the public URL instead of the path", async () => {
    const issuer = await createTestIssuer({ supportedScopes, publicOrigin: "https://contracts.example" });
    const headers = await issuer.signRequest({ url: `https://contracts.example${path}?page=2` });
    await expect(authenticate(issuer, headers, [])).resolves.toBeDefined();
  });

  it("is not made for the port a test listens on, which no service would accept", async () => {
    const issuer = await createTestIssuer({ supportedScopes });
    await expect(issuer.signRequest({ url: `http://127.0.0.1:4711${path}` })).rejects.toThrow(
      'Pass a path, such as "/api/contracts".',
    );
  });

  it("is not made with a scope that the service does not support", async () => {
    const issuer = await createTestIssuer({ supportedScopes });
    await expect(issuer.signRequest({ url: path, scopes: ["contracts:burn"] })).rejects.toThrow(
      /contracts:burn/,
    );
  });

  it("carries the service's current nonce, or the one it is given", async () => {
    const nonces = createNonceSource({ secret: "0123456789abcdef0123456789abcdef" });
    const issuer = await createTestIssuer({ supportedScopes, nonces });
    const headers = await issuer.signRequest({ url: path });
    await expect(authenticate(issuer, headers, [])).resolves.toBeDefined();
    const stale = await issuer.signRequest({ url: path, nonce: "stale" });
    await expect(authenticate(issuer, stale, [])).rejects.toMatchObject({ code: "use_dpop_nonce" });
    const replayed = await issuer.defects.replayed({ url: path });
    await expect(authenticate(issuer, replayed, [])).rejects.toMatchObject({ reason: "dpop_replayed" });
  });

  it("follows the clock it was given", async () => {
    let now = Date.UTC(2030, 0, 1);
    const issuer = await createTestIssuer({ supportedScopes, clock: () => now });
    const headers = await issuer.signRequest({ url: path });
    now += 66_000;
    await expect(authenticate(issuer, headers, [])).rejects.toMatchObject({ code: "invalid_dpop_proof" });
  });
});

describe("A defect", () => {
  const rows: { defect: keyof Defects; code: string; reason: string }[] = [
    { defect: "expired", code: "invalid_token", reason: "jwt_expired" },
    { defect: "wrongKey", code: "invalid_token", reason: "proof_key_mismatch" },
    { defect: "revoked", code: "invalid_token", reason: "revoked" },
    { defect: "replayed", code: "invalid_dpop_proof", reason: "dpop_replayed" },
    { defect: "wrongAudience", code: "invalid_token", reason: "jwt_audience" },
    { defect: "missingScope", code: "insufficient_scope", reason: "scope_missing" },
  ];

  const callers = [{}, { app: "agent" }, { machine: "nightly-report" }];
  const table = callers.flatMap((caller) => rows.map((row) => ({ ...row, caller })));

  it.each(table)("of the kind $defect is refused for that reason alone, of $caller", async (row) => {
    const { defect, code, reason, caller } = row;
    const issuer = await createTestIssuer({ supportedScopes });
    const request = { url: path, scopes: ["contracts:read"], ...caller };
    const refused = authenticate(issuer, await issuer.defects[defect](request), request.scopes);
    await expect(refused).rejects.toMatchObject({ code, reason });
  });

  it("of the kind missingScope keeps the scopes that are not missing", async () => {
    const issuer = await createTestIssuer({ supportedScopes });
    const headers = await issuer.defects.missingScope({ url: path, scopes: ["contracts:write"] });
    await expect(authenticate(issuer, headers, ["contracts:read"])).resolves.toMatchObject({
      scopes: ["contracts:read"],
    });
  });

  it("of the kind missingScope works for a service with a single scope", async () => {
    const issuer = await createTestIssuer({ supportedScopes: ["contracts:read"] });
    const headers = await issuer.defects.missingScope({ url: path });
    await expect(authenticate(issuer, headers, ["contracts:read"])).rejects.toMatchObject({
      code: "insufficient_scope",
    });
  });
});

describe("The issuer", () => {
  it("answers the service's readiness check without a network", async () => {
    const issuer = await createTestIssuer({ supportedScopes });
    await expect(initAuthz(issuer.url, issuer.options).ready()).resolves.toBeUndefined();
  });

  it("does not reach any other host", async () => {
    const issuer = await createTestIssuer({ supportedScopes });
    await expect(issuer.fetch("https://example.com/")).rejects.toThrow(/example\.com/);
  });

  it("listens on a loopback port when asked to, for a service in another process", async () => {
    const issuer = await createTestIssuer({ supportedScopes, listen: true });
    const { fetch: _inProcess, ...overTheNetwork } = issuer.options;
    await expect(initAuthz(issuer.url, overTheNetwork).ready()).resolves.toBeUndefined();
    expect((await fetch(`${issuer.url}/elsewhere`)).status).toBe(404);
    await issuer.close();
    await expect(fetch(issuer.url)).rejects.toThrow(TypeError);
  });

  it.each<{ ended: Ended; refused: readonly string[] }>([
    { ended: {}, refused: ["ada", "ada agent", "bruno", "machine"] },
    { ended: { subject: "ada" }, refused: ["ada", "ada agent"] },
    { ended: { app: "agent" }, refused: ["ada agent"] },
    { ended: { app: "authz-cli" }, refused: ["ada", "bruno"] },
    { ended: { subject: "ada", app: "agent" }, refused: ["ada agent"] },
    { ended: { machine: "nightly-report" }, refused: ["machine"] },
    { ended: { subject: "nobody" }, refused: [] },
  ])("ends $ended a second later, and nothing else", async ({ ended, refused }) => {
    let now = Date.UTC(2030, 0, 1);
    const issuer = await createTestIssuer({ supportedScopes, clock: () => now });
    const authz = initAuthz(issuer.url, issuer.options);
    const signer = createProofSigner(await generateEs256KeyPair(), { clock: () => now });
    const callers: Record<string, Caller> = {
      ada: { subject: "ada" },
      "ada agent": { subject: "ada", app: "agent" },
      bruno: { subject: "bruno" },
      machine: { machine: "nightly-report" },
    };
    const tokens: [string, string][] = [];
    for (const [name, caller] of Object.entries(callers))
      tokens.push([name, await issuer.issueAccessToken(signer, caller)]);
    const refusedNow = async () => {
      const names: string[] = [];
      for (const [name, accessToken] of tokens) {
        const dpop = signer.sign({ method: "GET", url: `https://service.test${path}`, accessToken });
        const request = { method: "GET", url: path, authorization: [`DPoP ${accessToken}`], dpop: [dpop] };
        if ((await authz.decide(request)).refusal?.status === 401) names.push(name);
      }
      return names;
    };
    expect(await refusedNow()).toEqual([]);
    issuer.revoke(ended);
    now += 1_000;
    expect(await refusedNow()).toEqual(refused);
    // A new sign-in is good.
    const again = await issuer.signRequest({ url: path, subject: "ada" });
    const request = { method: "GET", url: path, authorization: [again.authorization], dpop: [again.dpop] };
    expect((await authz.decide(request)).refusal).toBeUndefined();
  });

  it("issues assertions that a test can bend", async () => {
    const issuer = await createTestIssuer({ supportedScopes });
    expect(claimsOf(issuer.issueAssertion({ thumbprint: "key" }))).toMatchObject({ cnf: { jkt: "key" } });
    expect(claimsOf(issuer.issueAssertion({ app: "agent" }))).toMatchObject({
      client_id: "authz-cli",
      act: { sub: "agent" },
    });
    expect(claimsOf(issuer.issueAssertion({ claims: { resource: undefined } }))).not.toHaveProperty(
      "resource",
    );
  });

  it("issues an employee's Bearer token, which only a service that allows them takes", async () => {
    const issuer = await createTestIssuer({ supportedScopes });
    const token = issuer.issueUserToken({ subject: "ada" });
    const request = { method: "GET", url: path, authorization: [`Bearer ${token}`], dpop: [] };
    const allowing = initAuthz(issuer.url, { ...issuer.options, dpop: "allowed" });
    expect((await allowing.decide(request)).auth).toMatchObject({
      identity: { type: "user", subject: "ada" },
      actor: { subject: "https://agent.test/client.json" },
    });
    expect((await initAuthz(issuer.url, issuer.options).decide(request)).refusal).toMatchObject({
      status: 401,
    });
  });

  it("issues employees' tokens that a test can bend", async () => {
    const issuer = await createTestIssuer({ supportedScopes });
    expect(claimsOf(issuer.issueUserToken({ thumbprint: "key", app: "agent" }))).toMatchObject({
      cnf: { jkt: "key" },
      client_id: "agent",
      act: { sub: "agent" },
    });
    expect(claimsOf(issuer.issueUserToken({ claims: { act: undefined } }))).not.toHaveProperty("act");
  });
});
