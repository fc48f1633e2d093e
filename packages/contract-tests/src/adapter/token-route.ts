import { createProofSigner, generateEs256KeyPair } from "@authz/dpop";
import { describe, expect, it } from "vitest";
import type { StartAdapter } from "./contract-app.js";
import { type Fixture, headerLines, publicOrigin } from "./fixture.js";
import type { RawRequest } from "./raw-request.js";
import { withFixture } from "./with-fixture.js";

const tokenEndpoint = `${publicOrigin}/oauth/token`;
const formType: [string, string] = ["Content-Type", "application/x-www-form-urlencoded"];

/** `POST /oauth/token`, whether or not a body parser of the application came first. */
export function describeTokenRoute(start: StartAdapter): void {
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

    const rows: { name: string; change: (request: RawRequest) => RawRequest; error: string }[] = [
      { name: "no body", change: (request) => ({ ...request, body: "" }), error: "invalid_request" },
      {
        name: "a body of another type",
        change: (request) => ({
          ...request,
          headers: (request.headers ?? []).map((line) =>
            line === formType ? ["Content-Type", "application/json"] : line,
          ),
          body: '{"grant_type":"urn:ietf:params:oauth:grant-type:jwt-bearer"}',
        }),
        error: "invalid_request",
      },
      {
        name: "a repeated parameter",
        change: (request) => ({ ...request, body: `${request.body}&scope=a&scope=b` }),
        error: "invalid_request",
      },
      {
        name: "a grant type that is not known",
        change: (request) => ({ ...request, body: "grant_type=password" }),
        error: "unsupported_grant_type",
      },
      { name: "a bound assertion without a proof", change: withoutProof, error: "invalid_grant" },
      {
        name: "a proof that is no JWT",
        change: (request) => ({ ...withoutProof(request), headers: [formType, ["DPoP", "abc"]] }),
        error: "invalid_dpop_proof",
      },
      {
        name: "another resource",
        change: (request) => ({ ...request, body: `${request.body}&resource=https://other.example/api` }),
        error: "invalid_target",
      },
      {
        name: "another client",
        change: (request) => ({ ...request, body: `${request.body}&client_id=other` }),
        error: "invalid_grant",
      },
      {
        name: "a scope beyond the assertion",
        change: (request) => ({ ...request, body: `${request.body}&scope=contracts:write` }),
        error: "invalid_scope",
      },
      {
        name: "two proofs",
        change: (request) => ({
          ...request,
          headers: [
            ...(request.headers ?? []),
            ...(request.headers ?? []).filter(([name]) => name === "DPoP"),
          ],
        }),
        error: "invalid_dpop_proof",
      },
    ];

    it.each(rows)("refuses $name", async ({ change, error }) => {
      const signer = createProofSigner(await generateEs256KeyPair());
      const answer = await fixture().send(change(tokenRequest(fixture(), signer)));
      expect(answer.status).toBe(400);
      expect(answer.headers.get("content-type")).toEqual(["application/json"]);
      expect(answer.headers.get("cache-control")).toEqual(["no-store"]);
      expect(JSON.parse(answer.body)).toEqual({ error, error_description: expect.any(String) });
    });
  });

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

  describe("the application's own parsers", () => {
    const fixture = withFixture(start, { bodyParsers: true });

    it.each([
      { type: formType[1], body: "customer=Acme&customer=Initech" },
      { type: "application/json", body: '{"customer":["Acme","Initech"]}' },
    ])("still read $type", async ({ type, body }) => {
      const headers: [string, string][] = [["Content-Type", type]];
      const answer = await fixture().send({ method: "POST", target: "/echo", headers, body });
      expect(JSON.parse(answer.body)).toEqual({ customer: ["Acme", "Initech"] });
    });
  });
}

function withoutProof(request: RawRequest): RawRequest {
  return { ...request, headers: [formType] };
}

function issueAssertion(fixture: Fixture, thumbprint: string): string {
  return fixture.issuer.issueAssertion({ subject: "ada", scopes: ["contracts:read"], thumbprint });
}

function tokenRequest(
  fixture: Fixture,
  signer: ReturnType<typeof createProofSigner>,
  assertion: string = issueAssertion(fixture, signer.thumbprint),
): RawRequest {
  const grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer";
  return {
    method: "POST",
    target: "/oauth/token",
    headers: [formType, ["DPoP", signer.sign({ method: "POST", url: tokenEndpoint })]],
    body: new URLSearchParams({ grant_type: grantType, assertion }).toString(),
  };
}
