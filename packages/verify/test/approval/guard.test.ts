import { grantDetail } from "@authz/dpop/approval";
import { jwkThumbprint } from "@authz/dpop";
import { describe, expect, test } from "vitest";
import type { ApprovalNeed, Auth, AuthzOptions, AuthzRequest, Decision } from "@authz/verify";
import { clientKey, issuerKey, signDraft } from "../support/jwt.js";
import { createWorld, issuer, issuerFetch, metadataUrl, resource, type World } from "../support/world.js";

type Claims = Record<string, unknown>;
type Answer = (challenge: Claims, form: URLSearchParams) => Response | Promise<Response>;

const need: ApprovalNeed = { type: "payment", amount: 5, reason: "Payments cannot be undone." };
const url = "/api/contracts";

const endpoint = `${issuer}/api/oauth/transaction`;

function claimsOf(jwt: string): Claims {
  return JSON.parse(Buffer.from(jwt.split(".")[1] ?? "", "base64url").toString()) as Claims;
}

/** A service whose issuer answers challenges with what a test says. */
function serviceWith(answer: Answer, options: Partial<AuthzOptions> = {}, metadata: Claims = {}): World {
  const documents = issuerFetch();
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const address = input instanceof Request ? input.url : String(input);
    if (address.endsWith("/.well-known/oauth-authorization-server")) {
      const known = {
        issuer,
        jwks_uri: `${issuer}/api/oauth/jwks`,
        transaction_authorization_endpoint: endpoint,
      };
      return Response.json({ ...known, ...metadata });
    }
    if (address !== endpoint) return await documents(input, init);
    const form = new URLSearchParams(await new Request(address, init).text());
    return await answer(claimsOf(form.get("transaction_challenge") ?? ""), form);
  };
  return createWorld({ statusList: false, fetch, ...options });
}

/** The token that the issuer gives for a challenge. */
function grantedToken(challenge: Claims, changes: Claims = {}): Response {
  const { txn, sub, sid, act, iat, authorization_details: details } = challenge;
  const [detail] = details as [{ type: string }];
  const at = iat as number;
  const token = signDraft({
    header: { alg: "ES256", typ: "at+jwt", kid: "issuer-1" },
    claims: {
      iss: issuer,
      aud: resource,
      sub,
      sid,
      act,
      client_id: (act as { sub: string }).sub,
      scope: "contracts:read contracts:write",
      cnf: { jkt: jwkThumbprint(clientKey.publicJwk) },
      txn,
      authorization_details: [grantDetail(detail, { approvedBy: "user-2", approvedAt: at })],
      jti: "granted",
      iat: at,
      exp: at + 120,
      ...changes,
    },
    key: issuerKey,
  });
  return Response.json({ access_token: token });
}

interface Called {
  readonly decision: Decision;
  readonly body: Claims;
}

async function authorized(world: World): Promise<{ request: AuthzRequest; auth: Auth }> {
  const token = await world.token((draft) => {
    draft.claims["sid"] = "session-1";
  });
  const request = { ...world.request({ token }), header: () => [] };
  return { request, auth: await world.authenticate(request) };
}

async function call(
  world: World,
  change: Partial<AuthzRequest> = {},
  asked: ApprovalNeed = need,
): Promise<Called> {
  const { request, auth } = await authorized(world);
  const guard = world.authz.defineApproval();
  const decision = await guard({
    request: { ...request, ...change },
    auth,
    need: asked,
    body: () => new Uint8Array(),
  });
  const body = JSON.parse(decision.refusal?.body ?? "{}") as Claims;
  return { decision, body };
}

describe("what the issuer answers to a challenge of the service", () => {
  test("is authenticated with an assertion, and a token lets the call pass", async () => {
    const forms: URLSearchParams[] = [];
    const world = serviceWith((challenge, form) => {
      forms.push(form);
      return grantedToken(challenge);
    });
    const { decision } = await call(world);
    expect(decision.auth).toMatchObject({
      identity: { subject: "user-1" },
      transaction: { approvedBy: "user-2", details: { type: "payment", amount: 5 } },
    });
    const assertion = claimsOf(forms[0]?.get("client_assertion") ?? "");
    expect(assertion).toMatchObject({ iss: resource, sub: resource, aud: issuer });
    expect((assertion["exp"] as number) - (assertion["iat"] as number)).toBe(60);
    expect(forms[0]?.get("client_assertion_type")).toBe(
      "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    );
  });

  const foreign: readonly (readonly [name: string, changes: Claims, status: number])[] = [
    ["another person", { sub: "user-9" }, 401],
    ["another app", { client_id: "other", act: { sub: "other" } }, 401],
    ["another session", { sid: "session-2" }, 401],
    ["another service", { aud: "https://other.example/api" }, 401],
    ["fewer scopes than the caller has", { scope: "contracts:read" }, 401],
    ["no transaction", { txn: undefined, authorization_details: undefined }, 401],
    ["another transaction", { txn: `${"A".repeat(22)}.${"A".repeat(43)}` }, 401],
    ["a lifetime that has passed", { iat: 1_789_999_000, exp: 1_789_999_100 }, 401],
  ];

  test.each(foreign)("a token with %s lets nothing pass", async (_name, changes, status) => {
    const world = serviceWith((challenge) => grantedToken(challenge, changes));
    const { decision } = await call(world);
    expect(decision.refusal?.status).toBe(status);
    expect(decision.auth).toBeUndefined();
  });

  test("a token for other details lets nothing pass", async () => {
    const world = serviceWith((challenge) =>
      grantedToken({ ...challenge, authorization_details: [{ type: "payment", amount: 6 }] }),
    );
    expect((await call(world)).body["error"]).toBe("invalid_token");
  });

  test("the same token lets one call pass", async () => {
    let granted: Promise<string> | undefined;
    const world = serviceWith(async (challenge) => {
      granted ??= grantedToken(challenge).text();
      return new Response(await granted);
    });
    expect((await call(world)).decision.auth).toBeDefined();
    expect((await call(world)).body).toMatchObject({ error: "access_denied" });
    expect(world.reasons()).toEqual(["approval_used"]);
  });

  const refusals: readonly (readonly [
    name: string,
    answer: () => Response,
    status: number,
    error: string,
  ])[] = [
    ["denied", () => Response.json({ error: "access_denied" }, { status: 400 }), 403, "access_denied"],
    [
      "without a session",
      () => Response.json({ error: "invalid_grant" }, { status: 400 }),
      401,
      "invalid_token",
    ],
    ["busy", () => Response.json({ error: "slow_down" }, { status: 429 }), 503, "temporarily_unavailable"],
    ["broken", () => new Response("<html>", { status: 502 }), 503, "temporarily_unavailable"],
    ["a redirect", () => Response.redirect("https://other.example/", 307), 503, "temporarily_unavailable"],
    ["empty", () => Response.json({}), 503, "temporarily_unavailable"],
    [
      "a page elsewhere",
      () => Response.json({ authorization_uri: "https://evil.example/", expires_in: 60 }),
      503,
      "temporarily_unavailable",
    ],
    [
      "a page of a longer host",
      () => Response.json({ authorization_uri: `${issuer}.evil.example/`, expires_in: 60 }),
      503,
      "temporarily_unavailable",
    ],
  ];

  test.each(refusals)("%s becomes a refusal", async (_name, answer, status, error) => {
    const { decision, body } = await call(serviceWith(answer));
    expect({ status: decision.refusal?.status, error: body["error"] }).toEqual({ status, error });
  });

  test("an error of the service or its registration is thrown, and says which", async () => {
    const refused = { error: "invalid_authorization_details", error_description: "No such type." };
    const world = serviceWith(() => Response.json(refused, { status: 400 }));
    await expect(call(world)).rejects.toThrow(/"invalid_authorization_details", "No such type\."/);
  });

  test.each([
    ["missing", undefined],
    ["elsewhere", "https://other.example/transaction"],
  ])("an endpoint that is %s is not used", async (_name, address) => {
    const metadata = { transaction_authorization_endpoint: address };
    const world = serviceWith((challenge) => grantedToken(challenge), {}, metadata);
    expect((await call(world)).decision.refusal?.status).toBe(503);
  });
});

describe("a guard", () => {
  const pass: Answer = (challenge) => grantedToken(challenge);

  test("lets a call without need pass in the same turn", async () => {
    const world = serviceWith(pass);
    const { request, auth } = await authorized(world);
    const body = () => expect.unreachable("nobody reads the body");
    expect(world.authz.defineApproval()({ request, auth, need: undefined, body })).toEqual({
      auth,
      headers: {},
    });
  });

  test("challenges under the scheme of the request", async () => {
    const world = serviceWith(pass, { dpop: "allowed" });
    const token = await world.exchange(
      {
        assertion: world.assertion((draft) => {
          draft.claims["sid"] = "session-1";
          delete draft.claims["cnf"];
        }),
      },
      [],
    );
    const { access_token: bearer } = JSON.parse(token.body) as { access_token: string };
    const header = (name: string) => (name === "accept-txn-challenge" ? ["?1"] : []);
    const request = { method: "GET", url, authorization: [`Bearer ${bearer}`], dpop: [], header };
    const auth = await world.authenticate(request);
    const { refusal } = await world.authz.defineApproval()({
      request,
      auth,
      need,
      body: () => new Uint8Array(),
    });
    expect(refusal?.headers["www-authenticate"]).toMatch(
      /^Bearer error="transaction_authorization_required", transaction_challenge="[\w.-]+", resource_metadata="/,
    );
    expect(refusal?.headers["www-authenticate"]).toContain(metadataUrl);
  });

  test("serves only clients that take challenges behind a discovery proxy", async () => {
    const world = serviceWith(pass, { discoveryProxyOrigin: "https://proxy.example.com" });
    const { decision, body } = await call(world);
    expect(decision.refusal?.status).toBe(403);
    expect(body).toEqual({
      error: "transaction_authorization_required",
      error_description: expect.stringContaining("transaction_challenge"),
    });
  });

  test("fails when details are too long, not JSON, or the server's", async () => {
    const world = serviceWith(pass);
    const callWith = (members: object) =>
      call(world, {}, { type: "payment", reason: "Because.", ...members });
    await expect(callWith({ note: "x".repeat(4000) })).rejects.toThrow(/4096 are possible/);
    await expect(callWith({ approved_by: "me" })).rejects.toThrow(/approved_by is not for the function/);
    await expect(callWith({ amount: 1n })).rejects.toThrow(TypeError);
    await expect(callWith({ reason: " " })).rejects.toThrow(/must return a reason/);
    await expect(callWith({ type: "" })).rejects.toThrow(/must return a type/);
  });

  test.each(["/api/a/../contracts", "/api/%2e%2e/contracts", "/api/con{tracts", `/api/${"x".repeat(2100)}`])(
    "refuses the address %s",
    async (address) => {
      const { body } = await call(serviceWith(pass), { url: address });
      expect(body["error"]).toBe("invalid_request");
    },
  );

  test("takes no caller of another service", async () => {
    const { request, auth } = await authorized(serviceWith(pass));
    const guard = serviceWith(pass).authz.defineApproval();
    const body = () => new Uint8Array();
    expect(() => guard({ request, auth, need, body })).toThrow(/Put requireAuth\(\)/);
    expect(() => guard({ request, auth: { ...auth }, need, body })).toThrow(/Put requireAuth\(\)/);
  });

  test("refuses options that are wrong or unknown", () => {
    const { authz } = serviceWith(pass);
    expect(() => authz.defineApproval({ headers: ["a b"] })).toThrow(/headers must be names/);
    expect(() => authz.defineApproval({ header: [] } as object)).toThrow(/unknown member "header"/);
  });
});

describe("a token for one call", () => {
  async function tokenOf(world: World): Promise<AuthzRequest> {
    const { request, auth } = await authorized(world);
    const header = (name: string) => (name === "accept-txn-challenge" ? ["?1"] : []);
    const guard = world.authz.defineApproval();
    const { refusal } = await guard({
      request: { ...request, header },
      auth,
      need,
      body: () => new Uint8Array(),
    });
    const line = String(refusal?.headers["www-authenticate"]);
    const answer = grantedToken(claimsOf(/transaction_challenge="([^"]+)"/.exec(line)?.[1] ?? ""));
    const { access_token: token } = (await answer.json()) as { access_token: string };
    return { ...world.request({ token }), header: () => [] };
  }

  test("passes requireAuth for its call", async () => {
    const world = serviceWith(() => Response.json({}));
    expect(await world.authenticate(await tokenOf(world))).toMatchObject({ identity: { subject: "user-1" } });
  });

  test("is refused where headers cannot be read, as at an upgrade", async () => {
    const world = serviceWith(() => Response.json({}));
    const { header: _, ...request } = await tokenOf(world);
    await expect(world.authenticate(request)).rejects.toMatchObject({ reason: "approval_of_other_call" });
  });

  test("is refused by a service without a guard", async () => {
    const request = await tokenOf(serviceWith(() => Response.json({})));
    await expect(serviceWith(() => Response.json({})).authenticate(request)).rejects.toMatchObject({
      reason: "approval_of_other_call",
    });
  });
});
