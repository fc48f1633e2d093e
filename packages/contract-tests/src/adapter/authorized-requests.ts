import { createProofSigner, generateEs256KeyPair } from "@authz/dpop";
import type { RequestToSign } from "@authz/testing";
import { describe, expect, it } from "vitest";
import type { AdapterTraits, StartAdapter } from "./contract-app.js";
import { headerLines, publicOrigin, signed, withFixture } from "./fixture.js";
import type { RawRequest } from "./raw-request.js";
import { invalidProof, ofOpenRoute, unauthorized, visible } from "./refusals.js";

/** Requests that enter the handler, with `requireAuth` at each place and any claim about the host. */
export function describeAuthorizedRequests(
  start: StartAdapter,
  { redirectsOddTargets = false }: AdapterTraits = {},
): void {
  describePassing(start, redirectsOddTargets);
  describeIdentity(start);
  describeGlobalGuard(start, redirectsOddTargets);
}

function describePassing(start: StartAdapter, redirectsOddTargets: boolean): void {
  describe("lets pass", () => {
    const fixture = withFixture(start);
    const read = { url: "/api/contracts", scopes: ["contracts:read"] };
    const rows: readonly { name: string; request: RequestToSign }[] = [
      { name: "a GET request", request: read },
      { name: "a HEAD request", request: { ...read, method: "HEAD" } },
      { name: "a POST request", request: { ...read, method: "POST" } },
      { name: "a query", request: { ...read, url: "/api/contracts?customer=1&q=%C3%BC" } },
      {
        name: "both of two scopes",
        request: { url: "/api/admin", scopes: ["contracts:write", "contracts:read"] },
      },
      {
        name: "one scope of which one is enough",
        request: { url: "/api/either", scopes: ["contracts:delete"] },
      },
      { name: "a guarded router", request: { ...read, url: "/grouped/contracts" } },
      { name: "more scopes than asked for", request: { url: "/api/contracts" } },
      {
        name: "an employee's app with a token of the authorization server",
        request: { ...read, app: "agent" },
      },
    ];

    it.each(rows)("$name", async ({ request }) => {
      const response = await fixture().send(await signed(fixture(), { ...request, subject: "ada" }));
      expect(response.status).toBe(200);
      expect(response.body).toBe(request.method === "HEAD" ? "" : '{"subject":"ada"}');
      expect(fixture().takeEntered()).toEqual([request.url.split("?")[0]]);
    });

    it("a route without requireAuth", async () => {
      expect((await fixture().send({ target: "/open" })).body).toBe('{"open":true}');
    });

    const untrusted: { name: string; change: (request: RawRequest) => RawRequest }[] = [
      { name: "another Host header", change: withHeaders(["Host", "evil.example"]) },
      {
        name: "forwarded headers",
        change: withHeaders(["X-Forwarded-Host", "evil.example"], ["X-Forwarded-Proto", "gopher"]),
      },
      { name: "a rewriting header", change: withHeaders(["X-Original-URL", "/api/admin"]) },
      {
        name: "the scheme in lower case",
        change: mapAuthorization((value) => value.replace("DPoP", "dpop")),
      },
      {
        name: "spaces and tabs that HTTP leaves out, and spaces behind the scheme",
        change: mapAuthorization((value) => ` \t${value.replace(" ", "   ")}\t `),
      },
    ];
    if (!redirectsOddTargets) {
      untrusted.push({
        name: "an absolute-form request line with another host",
        change: (request) => ({ ...request, target: `http://evil.example${request.target}` }),
      });
    }

    it("a proof that writes the same address differently", async () => {
      const signer = createProofSigner(await generateEs256KeyPair());
      const accessToken = await fixture().issuer.issueAccessToken(signer);
      const url = "HTTPS://Contracts.Example:443/api/./%63ontracts#top";
      const dpop = signer.sign({ method: "GET", url, accessToken });
      const headers = headerLines({ authorization: `DPoP ${accessToken}`, dpop });
      expect((await fixture().send({ target: "/api/contracts", headers })).status).toBe(200);
      fixture().takeEntered();
    });

    it.each(untrusted)("a request with $name", async ({ change }) => {
      const response = await fixture().send(change(await signed(fixture(), read)));
      expect(response.status).toBe(200);
      expect(fixture().takeEntered()).toEqual(["/api/contracts"]);
    });
  });
}

function describeIdentity(start: StartAdapter): void {
  describe("hands to the handler", () => {
    const fixture = withFixture(start);

    const app = "https://agent.example/client.json";
    it.each([
      { name: "an employee", caller: {}, client: "authz-cli" },
      {
        name: "an employee whose app got its token from the authorization server",
        caller: { app },
        client: app,
      },
    ])("the whole verified identity of $name", async ({ caller, client }) => {
      const person = { subject: "ada", email: "ada@acme.example", name: "Ada" };
      const request = { url: "/api/me", scopes: ["contracts:read"], ...person, ...caller };
      const response = await fixture().send(await signed(fixture(), request));
      expect(JSON.parse(response.body)).toEqual({
        identity: { type: "user", ...person },
        scopes: ["contracts:read"],
        clientId: client,
        actor: { subject: client },
        tokenId: expect.any(String),
        expiresAt: expect.any(Number),
      });
    });

    it("the identity of a machine, without an actor", async () => {
      const request = { url: "/api/me", scopes: ["contracts:read"], machine: "nightly-report" };
      const response = await fixture().send(await signed(fixture(), request));
      expect(JSON.parse(response.body)).toEqual({
        identity: { type: "machine", subject: "nightly-report" },
        scopes: ["contracts:read"],
        clientId: "nightly-report",
        tokenId: expect.any(String),
        expiresAt: expect.any(Number),
      });
    });
  });
}

function describeGlobalGuard(start: StartAdapter, redirectsOddTargets: boolean): void {
  describe("as a guard of the whole application", () => {
    const fixture = withFixture(start, { guardEverything: true });

    it("refuses every path of the application, known or not", async () => {
      expect(visible(await fixture().send({ target: "/open" }))).toEqual(ofOpenRoute(unauthorized));
      expect(visible(await fixture().send({ target: "/nowhere" }))).toEqual(ofOpenRoute(unauthorized));
    });

    it("lets an authorized request pass to an open route", async () => {
      expect((await fixture().send(await signed(fixture(), { url: "/open" }))).body).toBe('{"open":true}');
    });

    it("leaves discovery, keys and the token endpoint open", async () => {
      for (const target of ["/.well-known/oauth-protected-resource", "/.well-known/jwks.json"]) {
        expect((await fixture().send({ target })).status).toBe(200);
      }
      expect((await fixture().send({ method: "POST", target: "/oauth/token" })).status).toBe(400);
    });

    it.skipIf(redirectsOddTargets)(
      "reads a path that starts with two slashes as a path, never as a host",
      async () => {
        const [authorization, proof] = headerLines(
          await fixture().issuer.signRequest({ url: `${publicOrigin}//evil.example/open` }),
        );
        const headers = [authorization, proof].filter((line) => line !== undefined);
        expect((await fixture().send({ target: "//evil.example/open", headers })).status).not.toBe(401);
        const other = await signed(fixture(), { url: "/open" });
        expect(visible(await fixture().send({ ...other, target: "//evil.example/open" }))).toEqual(
          ofOpenRoute(invalidProof),
        );
      },
    );
  });
}

function withHeaders(...lines: [string, string][]): (request: RawRequest) => RawRequest {
  return (request) => ({ ...request, headers: [...(request.headers ?? []), ...lines] });
}

function mapAuthorization(change: (value: string) => string): (request: RawRequest) => RawRequest {
  return (request) => ({
    ...request,
    headers: (request.headers ?? []).map(([name, value]) => [
      name,
      name === "Authorization" ? change(value) : value,
    ]),
  });
}
