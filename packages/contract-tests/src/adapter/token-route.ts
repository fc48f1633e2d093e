import { createProofSigner, generateEs256KeyPair } from "@authz/dpop";
import { describe, expect, it } from "vitest";
import type { StartAdapter } from "./contract-app.js";
import {
  type Fixture,
  formType,
  type HeaderLine,
  headerLines,
  publicOrigin,
  redemptionOf,
  withFixture,
} from "./fixture.js";
import type { RawRequest } from "./raw-request.js";

const tokenEndpoint = `${publicOrigin}/oauth/token`;

/** `POST /oauth/token`, whether or not a body parser of the application came first. */
export function describeTokenRoute(start: StartAdapter): void {
  describeExchange(start);
  describeRawBodies(start);
  describeOwnParsers(start);
}

function describeExchange(start: StartAdapter): void {
  describe.each([
    { title: "the token endpoint", bodyParsers: false },
    { title: "the token endpoint behind the application's body parsers", bodyParsers: true },
  ])("$title", ({ bodyParsers }) => {
    const fixture = withFixture(start, { bodyParsers });

    it("exchanges an identity assertion for an access token that opens a route", async () => {
      const signer = createProofSigner(await generateEs256KeyPair());
      const answer = await fixture().send(tokenRequest(fixture(), signer));
      expect(answer.status).toBe(200);
      expect(answer.headers.get("cache-control")).toEqual(["no-store"]);
      const token = JSON.parse(answer.body) as { access_token: string; token_type: string; scope: string };
      expect(token).toMatchObject({ token_type: "DPoP", scope: "contracts:read" });

      const url = `${publicOrigin}/api/contracts`;
      const dpop = signer.sign({ method: "GET", url, accessToken: token.access_token });
      const headers = headerLines({ authorization: `DPoP ${token.access_token}`, dpop });
      expect((await fixture().send({ target: "/api/contracts", headers })).body).toBe('{"subject":"ada"}');
    });

    it("exchanges an assertion once", async () => {
      const signer = createProofSigner(await generateEs256KeyPair());
      const assertion = issueAssertion(fixture(), signer.thumbprint);
      const answers = [
        await fixture().send(tokenRequest(fixture(), signer, assertion)),
        await fixture().send(tokenRequest(fixture(), signer, assertion)),
      ];
      expect(answers.map(({ status }) => status)).toEqual([200, 400]);
      expect(JSON.parse(answers[1]?.body ?? "")).toMatchObject({ error: "invalid_grant" });
    });

    const rows: readonly (readonly [
      name: string,
      change: (request: RawRequest) => RawRequest,
      error: string,
    ])[] = [
      ["no body", (request) => ({ ...request, body: "" }), "invalid_request"],
      ["a body of another type", asJson, "invalid_request"],
      ["a repeated parameter", adding("&scope=a&scope=b"), "invalid_request"],
      [
        "a grant type that is not known",
        (request) => ({ ...request, body: "grant_type=password" }),
        "unsupported_grant_type",
      ],
      ["a bound assertion without a proof", withProofs(), "invalid_grant"],
      ["a proof that is no JWT", withProofs(["DPoP", "abc"]), "invalid_dpop_proof"],
      ["another resource", adding("&resource=https://other.example/api"), "invalid_target"],
      ["another client", adding("&client_id=other"), "invalid_grant"],
      ["a scope beyond the assertion", adding("&scope=contracts:write"), "invalid_scope"],
      [
        "two proofs",
        (request) => ({
          ...request,
          headers: [...(request.headers ?? []), ...(request.headers ?? []).slice(1)],
        }),
        "invalid_dpop_proof",
      ],
    ];

    it.each(rows)("refuses %s", async (_name, change, error) => {
      const signer = createProofSigner(await generateEs256KeyPair());
      const answer = await fixture().send(change(tokenRequest(fixture(), signer)));
      expect(answer.status).toBe(400);
      expect(answer.headers.get("content-type")).toEqual(["application/json"]);
      expect(answer.headers.get("cache-control")).toEqual(["no-store"]);
      expect(JSON.parse(answer.body)).toEqual({ error, error_description: expect.any(String) });
    });
  });
}

function describeRawBodies(start: StartAdapter): void {
  describe("the token endpoint without body parsers", () => {
    const fixture = withFixture(start);

    it("refuses a body above 64 KiB and reads no more of it", async () => {
      const request = tokenRequest(fixture(), createProofSigner(await generateEs256KeyPair()));
      const answer = await fixture().send({
        ...request,
        body: `${request.body}&x=${"x".repeat(1024 * 1024)}`,
      });
      expect(answer.status).toBe(400);
      expect(JSON.parse(answer.body)).toMatchObject({ error: "invalid_request" });
    });

    it("leaves other methods to the framework", async () => {
      for (const method of ["GET", "PUT", "DELETE"]) {
        expect([404, 405]).toContain((await fixture().send({ method, target: "/oauth/token" })).status);
      }
    });
  });
}

function describeOwnParsers(start: StartAdapter): void {
  describe("the application's own parsers", () => {
    const fixture = withFixture(start, { bodyParsers: true });

    it.each([
      { type: formType[1], body: "customer=Acme&customer=Initech" },
      { type: "application/json", body: '{"customer":["Acme","Initech"]}' },
    ])("still read $type", async ({ type, body }) => {
      const headers: HeaderLine[] = [["Content-Type", type]];
      const answer = await fixture().send({ method: "POST", target: "/echo", headers, body });
      expect(JSON.parse(answer.body)).toEqual({ customer: ["Acme", "Initech"] });
    });
  });
}

function adding(parameters: string): (request: RawRequest) => RawRequest {
  return (request) => ({ ...request, body: request.body + parameters });
}

function withProofs(...proofs: readonly HeaderLine[]): (request: RawRequest) => RawRequest {
  return (request) => ({ ...request, headers: [formType, ...proofs] });
}

function asJson({ headers = [], ...request }: RawRequest): RawRequest {
  return {
    ...request,
    headers: [["Content-Type", "application/json"], ...headers.slice(1)],
    body: '{"grant_type":"urn:ietf:params:oauth:grant-type:jwt-bearer"}',
  };
}

function issueAssertion(fixture: Fixture, thumbprint: string): string {
  return fixture.issuer.issueAssertion({ subject: "ada", scopes: ["contracts:read"], thumbprint });
}

function tokenRequest(
  fixture: Fixture,
  signer: ReturnType<typeof createProofSigner>,
  assertion: string = issueAssertion(fixture, signer.thumbprint),
): RawRequest {
  return {
    method: "POST",
    target: "/oauth/token",
    headers: [formType, ["DPoP", signer.sign({ method: "POST", url: tokenEndpoint })]],
    body: redemptionOf(assertion),
  };
}
