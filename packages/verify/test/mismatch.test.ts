import { createProofSigner } from "@authz/dpop";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type AuthzLogEvent, type AuthzOptions, type AuthzRoute, initAuthz } from "../src/index.js";
import { clientKey, signDraft } from "./support/jwt.js";
import {
  assertionDraft,
  baseOptions,
  issuer,
  issuerFetch,
  jwtBearer,
  publicOrigin,
} from "./support/world.js";

const local = "http://127.0.0.1:4000";

/** One valid exchange with one thing set up differently at the service, and what one line then says. */
const cases: readonly {
  readonly name: string;
  readonly claims?: object;
  readonly origin?: string;
  readonly says: string;
}[] = [
  {
    name: "clientId",
    claims: { client_id: "another" },
    says: 'clientId does not match: expected "authz-cli", received "another". Write clientId: "another" in initAuthz, or register the service with the client id that is expected.',
  },
  {
    name: "clientId, with characters that a terminal obeys or hides",
    claims: { client_id: "a\u009b2J\u202eb\u{e0041}" },
    says: String.raw`clientId does not match: expected "authz-cli", received "a\u009b2J\u202eb\udb40\udc41". Write clientId: "a\u009b2J\u202eb\udb40\udc41" in initAuthz, or register the service with the client id that is expected.`,
  },
  {
    name: "publicOrigin, in the assertion",
    claims: { aud: local },
    says: `publicOrigin does not match: expected "${publicOrigin}", received "${local}". Write publicOrigin: "${local}" in initAuthz, or call the service at the address that is expected.`,
  },
  {
    name: "publicOrigin, in the proof",
    origin: local,
    says: `publicOrigin does not match: expected "${publicOrigin}", received "${local}". Write publicOrigin: "${local}" in initAuthz, or call the service at the address that is expected.`,
  },
  {
    name: "issuer",
    claims: { iss: "https://other.example" },
    says: `issuer does not match: expected "${issuer}", received "https://other.example". Write initAuthz("https://other.example", …), or sign in at the authorization server that is expected.`,
  },
  {
    name: "resource",
    claims: { resource: `${publicOrigin}/v2` },
    says: `resource does not match: expected "${publicOrigin}/api", received "${publicOrigin}/v2". Write resource: "${publicOrigin}/v2" in initAuthz, or register the service under the one that is expected.`,
  },
];

describe("a service that was set up differently than its surroundings", () => {
  const warn = vi.spyOn(console, "warn");
  beforeEach(() => void warn.mockReset());
  afterEach(() => void warn.mockReset());

  test.each(cases)("says in one line what was expected, what came and what to write: $name", async (row) => {
    const { log: _log, ...options } = { log: undefined, ...baseOptions() };
    const answers = [await exchange({ ...options, allowInsecureLoopback: true }, row)];
    answers.push(await exchange({ ...options, allowInsecureLoopback: true }, row));
    expect(answers.map(({ status }) => status)).toEqual([400, 400]);
    expect(warn.mock.calls).toEqual([[`authz: ${row.says}`], [`authz: ${row.says}`]]);
    expect(answers.map(({ body }) => body).join()).not.toContain("does not match");
  });

  test.each(cases)("tells its log alone in production: $name", async (row) => {
    const events: AuthzLogEvent[] = [];
    const { body } = await exchange({ ...baseOptions(), log: (event) => void events.push(event) }, row);
    const refusal = events.find(({ type }) => type === "refused");
    expect(refusal).toMatchObject({ mismatch: { option: row.name.split(",")[0] } });
    expect(body).not.toContain("does not match");
    expect(warn).not.toHaveBeenCalled();
  });

  test("is silent in production without a log", async () => {
    const { log: _log, ...options } = { log: undefined, ...baseOptions() };
    await exchange(options, cases[0] ?? { name: "", says: "" });
    expect(warn).not.toHaveBeenCalled();
  });

  test("prints each fault once, and at most twenty, however many requests arrive", async () => {
    const { log: _log, ...options } = { log: undefined, ...baseOptions() };
    const authz = initAuthz(issuer, { ...options, fetch: issuerFetch(), allowInsecureLoopback: true });
    const token = tokenRoute(authz.routes);
    for (let count = 0; count < 50; count += 1) {
      const draft = assertionDraft(Math.floor(Date.now() / 1000));
      Object.assign(draft.claims, { iss: `https://${Math.floor(count / 2)}.example` });
      await post(token, signDraft(draft), publicOrigin);
    }
    expect(warn).toHaveBeenCalledTimes(20);
  });
});

async function exchange(
  options: AuthzOptions,
  { claims, origin = publicOrigin }: { readonly claims?: object; readonly origin?: string },
): Promise<{ status: number; body: string }> {
  const authz = initAuthz(issuer, { ...options, fetch: issuerFetch() });
  const draft = assertionDraft(Math.floor(Date.now() / 1000));
  Object.assign(draft.claims, claims);
  return await post(tokenRoute(authz.routes), signDraft(draft), origin);
}

function tokenRoute(routes: readonly AuthzRoute[]): AuthzRoute {
  return routes.find(({ path }) => path === "/oauth/token") as AuthzRoute;
}

async function post(
  route: AuthzRoute,
  assertion: string,
  origin: string,
): Promise<{ status: number; body: string }> {
  const proof = createProofSigner(clientKey).sign({ method: "POST", url: `${origin}/oauth/token` });
  const answer = await route.handle({
    method: "POST",
    url: "/oauth/token",
    contentType: ["application/x-www-form-urlencoded"],
    authorization: [],
    dpop: [proof],
    ifNoneMatch: [],
    body: new URLSearchParams({ grant_type: jwtBearer, assertion }).toString(),
  });
  return { status: answer.status, body: String(answer.body) };
}
