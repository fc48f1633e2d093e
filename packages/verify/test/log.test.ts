import { createProofSigner } from "@authz/dpop";
import { ReplayStoreUnavailableError } from "@authz/dpop/replay";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type AuthzLogEvent, type AuthzOptions, initAuthz } from "../src/index.js";
import { clientKey, type JwtDraft, otherKey, serviceKey, signDraft } from "./support/jwt.js";
import {
  accessTokenDraft,
  assertionDraft,
  baseOptions,
  issuer,
  issuerFetch,
  jwtBearer,
  tokenEndpoint,
} from "./support/world.js";

const missingTable = () =>
  Promise.reject(
    new ReplayStoreUnavailableError("The table is missing.", { cause: new Error("relation does not exist") }),
  );
/** What Node says when both addresses of `localhost` refuse. */
const refused = Object.assign(new AggregateError([]), { code: "ECONNREFUSED" });

/** What is out of reach, and what one line then says of it. */
const cases: readonly { name: string; options: Partial<AuthzOptions>; says: string }[] = [
  {
    name: "the replay store, which says more",
    options: { replayStore: { consume: missingTable } },
    says: "The table is missing. relation does not exist",
  },
  {
    name: "the replay store, with an error that says nothing",
    options: { replayStore: { consume: () => Promise.reject(refused) } },
    says: "The replay store did not answer. ECONNREFUSED",
  },
  {
    name: "the issuer",
    options: { fetch: () => Promise.reject(new TypeError("fetch failed", { cause: new Error("no route") })) },
    says: `${issuer}/.well-known/oauth-authorization-server cannot be reached (no route). Check that the authorization server runs and that this service can reach it.`,
  },
  {
    name: "the key service",
    options: {
      signingKeys: {
        current: () => Promise.reject(new Error("sealed")),
        jwks: () => ({ keys: [{ kid: "service-1", ...serviceKey.publicJwk }] }),
      },
    },
    says: "signingKeys.current() failed. Check the key service. sealed",
  },
];

describe("what is out of reach", () => {
  const warn = vi.spyOn(console, "warn");
  beforeEach(() => void warn.mockReset());
  afterEach(() => void warn.mockReset());

  test.each(cases)("is told in a log that is written as JSON: $name", async ({ options, says }) => {
    const events: AuthzLogEvent[] = [];
    expect(await redeem({ ...options, log: (event) => void events.push(event) })).toBe(503);
    const failures = events.filter(({ type }) => type !== "issuer_keys_loaded");
    expect(failures).not.toEqual([]);
    for (const event of failures) expect(JSON.parse(JSON.stringify(event))).toMatchObject({ failure: says });
  });

  test.each(cases)("is one line on stderr in development: $name", async ({ options, says }) => {
    expect(await redeem({ ...options, allowInsecureLoopback: true })).toBe(503);
    expect(warn.mock.calls).toEqual([[`authz: ${says}`]]);
  });

  test("is nothing on stderr in production", async () => {
    expect(await redeem({ replayStore: { consume: missingTable } })).toBe(503);
    expect(warn).not.toHaveBeenCalled();
  });
});

describe("a key or a clock of the service that differs from its callers'", () => {
  const warn = vi.spyOn(console, "warn");
  beforeEach(() => void warn.mockReset());
  afterEach(() => void warn.mockReset());

  const differences: readonly { name: string; change: (draft: JwtDraft) => void; says: RegExp }[] = [
    {
      name: "another key under the same kid",
      change: (draft) => (draft.key = otherKey),
      says: /^authz: jwt_signature\. .* makes a new key at each start/,
    },
    {
      name: "another kid",
      change: (draft) => (draft.header["kid"] = "earlier"),
      says: /^authz: jwt_unknown_key\. .* after a restart of a service that makes a new one at each start/,
    },
    {
      name: "another time",
      change: ({ claims }) => Object.assign(claims, { iat: seconds() + 120, exp: seconds() + 300 }),
      says: /^authz: jwt_not_yet_valid\. .* \(tokenAgeSeconds: -1\d\d, tokenIssuer: "https:\/\/contracts\.example\.com"\)$/,
    },
  ];

  test.each(differences)("is one line on stderr in development: $name", async ({ change, says }) => {
    const { log: _log, ...options } = { log: undefined, ...baseOptions() };
    const authz = initAuthz(issuer, { ...options, fetch: issuerFetch(), allowInsecureLoopback: true });
    const draft = accessTokenDraft(seconds());
    change(draft);
    const request = {
      method: "GET",
      url: "/api",
      authorization: [`DPoP ${signDraft(draft)}`],
      dpop: ["x"],
    };
    expect([await authz.decide(request), await authz.decide(request)]).toMatchObject([
      { refusal: { status: 401 } },
      { refusal: { status: 401 } },
    ]);
    expect(warn.mock.calls).toEqual([[expect.stringMatching(says)]]);
  });
});

function seconds(): number {
  return Math.floor(Date.now() / 1000);
}

/** Redeems one assertion and returns the status of the answer. */
async function redeem(options: Partial<AuthzOptions>): Promise<number> {
  const { log: _log, signingKey, ...base } = { log: undefined, ...baseOptions() };
  const key = options.signingKeys === undefined && signingKey !== undefined ? { signingKey } : {};
  const { routes } = initAuthz(issuer, { ...base, ...key, fetch: issuerFetch(), ...options });
  const answer = await routes
    .find(({ path }) => path === "/oauth/token")
    ?.handle({
      method: "POST",
      url: "/oauth/token",
      contentType: ["application/x-www-form-urlencoded"],
      authorization: [],
      dpop: [createProofSigner(clientKey).sign({ method: "POST", url: tokenEndpoint })],
      ifNoneMatch: [],
      body: new URLSearchParams({
        grant_type: jwtBearer,
        assertion: signDraft(assertionDraft(seconds())),
      }).toString(),
    });
  return answer?.status ?? 0;
}
