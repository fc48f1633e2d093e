import { jwkThumbprint } from "@authz/dpop";
import { type AuthzRequest, requestFromFetch } from "@authz/verify";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Refused } from "./support/expect.js";
import { clientKey, type JwtDraft, readClaims, signDraft } from "./support/jwt.js";
import {
  accessTokenDraft,
  assertionDraft,
  createWorld,
  publicOrigin,
  startSeconds,
} from "./support/world.js";

const segment = fc
  .string({ minLength: 1, maxLength: 30 })
  .map((text) => Buffer.from(text).toString("base64url"));
const jwtLike = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.tuple(segment, segment, segment).map((parts) => parts.join(".")),
  fc
    .tuple(fc.object(), fc.object(), fc.uint8Array({ minLength: 64, maxLength: 64 }))
    .map(([header, claims, signature]) =>
      [
        JSON.stringify({ ...header, alg: "ES256", typ: "at+jwt", kid: "service-1" }),
        JSON.stringify(claims),
        signature,
      ]
        .map((part) => Buffer.from(part as string).toString("base64url"))
        .join("."),
    ),
);

const header = fc.oneof(
  fc.string({ unit: "binary" }),
  jwtLike.map((token) => `DPoP ${token}`),
  jwtLike.map((token) => `Bearer ${token}`),
  fc.string().map((rest) => `dpop ${rest}, Basic ${rest}`),
);

const hostileRequest: fc.Arbitrary<AuthzRequest> = fc.record({
  method: fc.oneof(fc.constant("GET"), fc.string()),
  url: fc.oneof(fc.webUrl(), fc.webPath(), fc.string({ unit: "binary" })),
  authorization: fc.array(header, { maxLength: 3 }),
  dpop: fc.array(jwtLike, { maxLength: 3 }),
  body: fc.anything(),
});

describe("an arbitrary request to a protected route", () => {
  test("is refused with an error of ours", async () => {
    const world = createWorld({ dpop: "allowed" });
    await fc.assert(
      fc.asyncProperty(hostileRequest, async (request) => {
        const error: unknown = await world.authenticate(request).then(
          () => "accepted",
          (reason: unknown) => reason,
        );
        expect(error).toBeInstanceOf(Refused);
        expect((error as Refused).answer.status).toBeGreaterThanOrEqual(400);
      }),
      { numRuns: 500 },
    );
  });

  test("is never accepted after one character of the token or the proof has changed", async () => {
    const world = createWorld();
    const token = await world.token();
    await fc.assert(
      fc.asyncProperty(
        fc.nat(),
        fc.boolean(),
        fc.string({ minLength: 1, maxLength: 1 }),
        async (position, inProof, character) => {
          const request = world.request({ token });
          const replace = (text: string): string => {
            const index = position % text.length;
            return text.slice(0, index) + character + text.slice(index + 1);
          };
          const damaged: AuthzRequest = inProof
            ? { ...request, dpop: request.dpop.map(replace) }
            : { ...request, authorization: [`DPoP ${replace(token)}`] };
          fc.pre(JSON.stringify(damaged) !== JSON.stringify(request));
          await expect(world.authenticate(damaged)).rejects.toBeInstanceOf(Refused);
        },
      ),
      { numRuns: 300 },
    );
  });

  test("reaches Fetch and node:http forms of the same refusal", async () => {
    const world = createWorld();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom("DPoP x", "Basic x", "Bearer", "DPoP"), { maxLength: 3 }),
        async (lines) => {
          const fetchRequest = new Request(`${publicOrigin}/api`, {
            headers: lines.map((line) => ["authorization", line]),
          });
          const fetchCode = await codeOf(world.authenticate(requestFromFetch(fetchRequest)));
          const node = { method: "GET", url: "/api", authorization: lines, dpop: [] };
          expect(fetchCode).toBe(await codeOf(world.authenticate(node)));
        },
      ),
    );
  });
});

async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.catch((error: unknown) => (error as Refused).code);
}

/** Replaces or adds one claim by anything JSON can say. */
const change = fc.record({
  claim: fc.constantFrom(
    "iss",
    "sub",
    "aud",
    "client_id",
    "resource",
    "scope",
    "cnf",
    "jti",
    "iat",
    "exp",
    "nbf",
    "email",
    "name",
  ),
  value: fc.jsonValue(),
});

function changed(draft: JwtDraft, { claim, value }: { claim: string; value: unknown }): JwtDraft {
  draft.claims[claim] = value;
  return draft;
}

/** The claims of every access token, for any assertion. */
const sound = {
  iss: publicOrigin,
  aud: `${publicOrigin}/api`,
  client_id: "authz-cli",
  sub: expect.stringMatching(/^[^\n]+$/) as unknown,
  cnf: { jkt: jwkThumbprint(clientKey.publicJwk) },
  iat: startSeconds,
  exp: startSeconds + 600,
};

describe("for arbitrary claims of a signed JWT,", () => {
  test("an assertion is exchanged or refused, and what comes out names us, the client and a person", async () => {
    await fc.assert(
      fc.asyncProperty(change, async (one) => {
        const world = createWorld();
        const assertion = signDraft(changed(assertionDraft(startSeconds), one));
        const answer = await world.exchange({ assertion });
        const { access_token: token } = JSON.parse(answer.body) as { access_token?: string };
        expect(answer.status).toBe(token === undefined ? 400 : 200);
        const issued = token === undefined ? [] : [readClaims(token)];
        for (const claims of issued) expect(claims).toMatchObject(sound);
      }),
      { numRuns: 300 },
    );
  });

  // Claims that may differ and still be right. Issuer, audience and key never may.
  const harmless = new Set([
    "sub",
    "client_id",
    "scope",
    "jti",
    "iat",
    "exp",
    "nbf",
    "email",
    "name",
    "resource",
  ]);

  test("an access token is accepted or refused with an error of ours", async () => {
    const world = createWorld();
    await fc.assert(
      fc.asyncProperty(change, async (one) => {
        const token = signDraft(changed(accessTokenDraft(), one));
        const outcome: unknown = await world
          .authenticate(world.request({ token }))
          .catch((error: unknown) => error);
        expect(outcome instanceof Refused || harmless.has(one.claim)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

test("any post to the token endpoint is answered with an OAuth error", async () => {
  const world = createWorld();
  const route = world.authz.routes.find(({ method }) => method === "POST");
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        contentType: fc.array(fc.oneof(fc.constant("application/x-www-form-urlencoded"), fc.string()), {
          maxLength: 2,
        }),
        body: fc.oneof(fc.anything(), fc.webQueryParameters(), fc.uint8Array()),
        dpop: fc.array(jwtLike, { maxLength: 2 }),
      }),
      async (hostile) => {
        const base = { method: "POST", url: "/oauth/token", authorization: [], ifNoneMatch: [] };
        const answer = await route?.handle({ ...base, ...hostile });
        expect(answer?.status).toBe(400);
        expect(JSON.parse(String(answer?.body))).toMatchObject({ error: expect.any(String) as unknown });
      },
    ),
    { numRuns: 300 },
  );
});
