import { createNonceSource, createProofSigner, generateEs256KeyPair } from "@authz/dpop";
import type { SignedHeaders } from "@authz/testing";
import type { AuthzLogEvent } from "@authz/verify";
import { afterEach, describe, expect, it } from "vitest";
import type { AdapterTraits, StartAdapter } from "./contract-app.js";
import {
  formType,
  type HeaderLine,
  headerLines,
  publicOrigin,
  redemptionOf,
  signed,
  withFixture,
} from "./fixture.js";
import type { RawRequest } from "./raw-request.js";
import { type RefusalRow, refusalRows } from "./protected-requests.js";
import {
  ambiguous,
  invalidProof,
  invalidToken,
  nonceWanted,
  unauthorized,
  unavailable,
  visible,
} from "./refusals.js";

const nonces = createNonceSource({ secret: Buffer.alloc(32, 7).toString("base64url") });
const read = { url: "/api/contracts", scopes: ["contracts:read"] };

type Traits = Required<Pick<AdapterTraits, "guardsUnreadBodies" | "seesForms">>;

/** Requests that get an exact answer, and never a handler. */
export function describeRefusedRequests(start: StartAdapter, traits: Traits): void {
  describeRows(start, traits);
  describeBodyParsers(start, traits);
  describeReplayStoreFailure(start);
  describeIssuerFailure(start);
  describeEnd(start);
  describeStatusListFailure(start);
  describeNonces(start);
  describeBearerTokens(start);
  describeForeignErrors(start);
}

function describeRows(start: StartAdapter, { guardsUnreadBodies }: Traits): void {
  describe("refuses, without entering the handler,", () => {
    const fixture = withFixture(start);
    afterEach(() => expect(fixture().takeEntered()).toEqual([]));

    const rows = [...refusalRows, bearerToken, ...(guardsUnreadBodies ? [unreadBody] : [])];

    it.each(rows)("$name", async ({ change, refusal }) => {
      expect(visible(await fixture().send(await change(fixture())))).toEqual(refusal);
    });

    it("the second presentation of the very same request", async () => {
      const request = await signed(fixture(), read);
      expect((await fixture().send(request)).status).toBe(200);
      fixture().takeEntered();
      expect(visible(await fixture().send(request))).toEqual(invalidProof);
    });

    it("a HEAD request without credentials, with the headers of a GET request", async () => {
      const head = await fixture().send({ method: "HEAD", target: "/api/contracts" });
      expect(head.body).toBe("");
      expect(visible({ ...head, body: unauthorized.body })).toEqual(unauthorized);
    });
  });
}

function describeBodyParsers(start: StartAdapter, { seesForms }: Traits): void {
  describe("behind body parsers refuses, without entering the handler,", () => {
    const fixture = withFixture(start, { bodyParsers: true });
    afterEach(() => expect(fixture().takeEntered()).toEqual([]));
    const rows = [formWithoutCredentials, ...(seesForms ? [formWithToken] : [])];

    it.each(rows)("$name", async ({ change, refusal }) => {
      expect(visible(await fixture().send(await change(fixture())))).toEqual(refusal);
    });
  });
}

function describeReplayStoreFailure(start: StartAdapter): void {
  describe("when the replay store is unreachable", () => {
    const fixture = withFixture(start, {
      options: {
        replayStore: {
          consume() {
            throw new Error("connect ECONNREFUSED");
          },
        },
      },
    });

    it("fails closed and says when to come again", async () => {
      expect(visible(await fixture().send(await signed(fixture(), read)))).toEqual(unavailable);
      expect(fixture().takeEntered()).toEqual([]);
    });
  });
}

function describeIssuerFailure(start: StartAdapter): void {
  describe("when the issuer is away before its keys were ever fetched", () => {
    const fixture = withFixture(start, {
      options: { fetch: () => Promise.reject(new TypeError("fetch failed")) },
    });

    it.each([{ machine: "nightly-report" }, { app: "agent" }])(
      "fails closed for %o, whose token the issuer signed",
      async (caller) => {
        const request = await signed(fixture(), { ...read, ...caller });
        expect(visible(await fixture().send(request))).toEqual(unavailable);
        expect(fixture().takeEntered()).toEqual([]);
      },
    );

    it("still serves employees, whose token the service signed", async () => {
      expect((await fixture().send(await signed(fixture(), read))).status).toBe(200);
    });
  });
}

function describeEnd(start: StartAdapter): void {
  describe("when a sign-in ends", () => {
    let passed = 0;
    const fixture = withFixture(start, { options: { clock: () => Date.now() + passed } });
    const signer = generateEs256KeyPair().then((keyPair) => createProofSigner(keyPair));

    it.each([{ subject: "ada" }, { subject: "ada", app: "agent" }, { machine: "nightly-report" }])(
      "refuses tokens of %o that were good before, once the status list says so",
      async (caller) => {
        const accessToken = await fixture().issuer.issueAccessToken(await signer, { ...read, ...caller });
        const call = async () => {
          const url = publicOrigin + read.url;
          const dpop = (await signer).sign({ method: "GET", url, accessToken });
          const headers = headerLines({ authorization: `DPoP ${accessToken}`, dpop });
          return await fixture().send({ target: read.url, headers });
        };
        expect((await call()).status).toBe(200);
        fixture().issuer.revoke(caller);
        expect((await call()).status).toBe(200);
        fixture().takeEntered();
        passed += 1_000;
        expect(visible(await call())).toEqual(invalidToken);
        expect(fixture().takeEntered()).toEqual([]);
      },
    );

    it("refuses an assertion of it at the token endpoint", async () => {
      const { thumbprint } = await signer;
      const assertion = fixture().issuer.issueAssertion({ ...read, subject: "bruno", thumbprint });
      fixture().issuer.revoke({ subject: "bruno" });
      passed += 1_000;
      const dpop = (await signer).sign({ method: "POST", url: `${publicOrigin}/oauth/token` });
      const answer = await fixture().send({
        method: "POST",
        target: "/oauth/token",
        headers: [formType, ["DPoP", dpop]],
        body: redemptionOf(assertion),
      });
      expect(answer.status).toBe(400);
      expect(JSON.parse(answer.body)).toEqual({
        error: "invalid_grant",
        error_description: "The identity assertion is not valid for this service. Get a new one.",
      });
    });
  });
}

function describeStatusListFailure(start: StartAdapter): void {
  const answer = (status: number, body: string) => () => Promise.resolve(new Response(body, { status }));
  describe.each([
    { name: "cannot be reached", statusList: () => Promise.reject(new TypeError("fetch failed")) },
    { name: "is not there", statusList: answer(404, "{}") },
    { name: "is no token", statusList: answer(200, "<html></html>") },
    { name: "is signed by nobody", statusList: answer(200, "eyJhbGciOiJub25lIn0.e30.") },
    { name: "is empty", statusList: answer(200, "") },
  ])("when the status list $name", ({ statusList }) => {
    const logged: AuthzLogEvent["type"][] = [];
    let passed = 0;
    const fixture = withFixture(start, {
      statusList,
      options: { clock: () => Date.now() + passed, log: ({ type }) => void logged.push(type) },
    });

    it("accepts tokens until they expire, and logs it once", async () => {
      for (const caller of [{}, { app: "agent" }, { machine: "nightly-report" }]) {
        const request = { ...read, ...caller };
        expect((await fixture().send(await signed(fixture(), request))).status).toBe(200);
        expect(
          (await fixture().send(withRevoked(await fixture().issuer.defects.revoked(request)))).status,
        ).toBe(200);
        passed += 10_000;
      }
      expect(logged.filter((type) => type.startsWith("status_list"))).toEqual(["status_list_unavailable"]);
    });
  });
}

function withRevoked(headers: SignedHeaders): RawRequest {
  return { target: read.url, headers: headerLines(headers) };
}

function describeNonces(start: StartAdapter): void {
  describe("when server nonces are on", () => {
    const fixture = withFixture(start, { options: { nonces } });

    it("asks for a proof with the nonce it hands out", async () => {
      const response = await fixture().send(await signed(fixture(), read));
      expect(visible(response)).toEqual(nonceWanted);
      expect(response.headers.get("dpop-nonce")?.[0]).toMatch(/^[\x21\x23-\x5B\x5D-\x7E]+$/);
      expect(fixture().takeEntered()).toEqual([]);
    });

    it.each([
      { name: "there are no credentials", change: () => ({ target: read.url }) },
      {
        name: "the token is none",
        change: () => ({ target: read.url, headers: [["Authorization", "DPoP abc"] as const] }),
      },
      {
        name: "a token request is refused",
        change: () => ({ method: "POST", target: "/oauth/token", headers: [formType], body: "grant_type=x" }),
      },
    ])("hands out one also when $name", async ({ change }) => {
      const response = await fixture().send(change());
      expect(response.status).toBeGreaterThanOrEqual(400);
      expect(response.headers.get("dpop-nonce")).toEqual([nonces.current()]);
      expect(response.headers.get("cache-control")).toEqual(["no-store"]);
    });

    it("hands out the next one with every answer that had the right one", async () => {
      const asked = await fixture().send(await signed(fixture(), read));
      const nonce = asked.headers.get("dpop-nonce")?.[0] ?? "";
      const answer = await fixture().send(await signed(fixture(), { ...read, nonce }));
      expect(answer.status).toBe(200);
      expect(fixture().takeEntered()).toEqual(["/api/contracts"]);
      const next = answer.headers.get("dpop-nonce")?.[0] ?? "";
      expect(next).toBe(nonces.current());
      expect(answer.headers.get("cache-control")).toEqual(["no-store"]);
      expect((await fixture().send(await signed(fixture(), { ...read, nonce: next }))).status).toBe(200);
      fixture().takeEntered();
    });
  });
}

function describeBearerTokens(start: StartAdapter): void {
  describe("when Bearer tokens are allowed", () => {
    const fixture = withFixture(start, { options: { dpop: "allowed" } });

    it("challenges with Bearer first", async () => {
      const response = await fixture().send({ target: read.url });
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")?.join(", ")).toMatch(
        /^Bearer resource_metadata="[^"]+".*DPoP algs=/,
      );
    });

    it("exchanges an assertion that is bound to no key for a token that needs no proof", async () => {
      const assertion = fixture().issuer.issueAssertion({ scopes: read.scopes, subject: "ada" });
      const answer = await fixture().send({
        method: "POST",
        target: "/oauth/token",
        headers: [formType],
        body: redemptionOf(assertion),
      });
      const token = JSON.parse(answer.body) as { access_token: string; token_type: string };
      expect(token.token_type).toBe("Bearer");
      const headers: HeaderLine[] = [["Authorization", `Bearer ${token.access_token}`]];
      expect((await fixture().send({ target: read.url, headers })).body).toBe('{"subject":"ada"}');
      fixture().takeEntered();
    });

    it("takes an employee's token of the authorization server that needs no proof", async () => {
      const token = fixture().issuer.issueUserToken({ scopes: read.scopes, subject: "ada" });
      const headers: HeaderLine[] = [["Authorization", `Bearer ${token}`]];
      expect((await fixture().send({ target: read.url, headers })).body).toBe('{"subject":"ada"}');
      expect(fixture().takeEntered()).toEqual([read.url]);
    });

    it.each([{}, { app: "agent" }])(
      "refuses a bound token under Bearer all the same, of %o",
      async (caller) => {
        const { authorization } = await fixture().issuer.signRequest({ ...read, ...caller });
        const headers = headerLines({
          authorization: authorization.replace("DPoP", "Bearer"),
          dpop: "",
        }).slice(0, 1);
        const response = await fixture().send({ target: read.url, headers });
        expect(response.status).toBe(401);
        expect(JSON.parse(response.body)).toMatchObject({ error: "invalid_token" });
        expect(fixture().takeEntered()).toEqual([]);
      },
    );
  });
}

function describeForeignErrors(start: StartAdapter): void {
  describe("leaves to the framework", () => {
    const fixture = withFixture(start);

    it("an error that is no refusal", async () => {
      const request = await signed(fixture(), read);
      fixture().breakClock(true);
      const response = await fixture().send(request);
      fixture().breakClock(false);
      expect(response.status).toBe(500);
      expect(response.headers.has("www-authenticate")).toBe(false);
      expect(fixture().takeEntered()).toEqual([]);
    });

    it("an error of the handler", async () => {
      const response = await fixture().send(await signed(fixture(), { ...read, url: "/api/throws" }));
      expect(response.status).toBe(500);
      expect(response.headers.has("www-authenticate")).toBe(false);
      expect(fixture().takeEntered()).toEqual(["/api/throws"]);
    });

    it.each(["/nowhere", "/.well-known/nothing", "/oauth/token/more"])(
      "the unknown path %s",
      async (target) => {
        const response = await fixture().send({ target });
        expect(response.status).toBe(404);
        expect(response.headers.has("www-authenticate")).toBe(false);
        expect(response.body).not.toContain("error_description");
      },
    );
  });
}

const bearerToken: RefusalRow = {
  name: "an employee's token of the authorization server without a key, under Bearer",
  change: ({ issuer }) => {
    const token = issuer.issueUserToken({ scopes: read.scopes });
    return { target: read.url, headers: [["Authorization", `Bearer ${token}`]] };
  },
  refusal: invalidToken,
};

const unreadBody: RefusalRow = {
  name: "no credentials, without waiting for a body of no known type",
  change: () => ({ method: "POST", target: read.url, body: "x".repeat(200_000) }),
  refusal: unauthorized,
};

const formWithoutCredentials: RefusalRow = {
  name: "a form without credentials",
  change: () => ({ method: "POST", target: read.url, headers: [formType], body: "customer=Acme" }),
  refusal: unauthorized,
};

const formWithToken: RefusalRow = {
  name: "a token in the form as well",
  change: async (fixture) => {
    const { headers = [], ...request } = await signed(fixture, { ...read, method: "POST" });
    return { ...request, headers: [...headers, formType], body: "access_token=abc" };
  },
  refusal: ambiguous,
};
