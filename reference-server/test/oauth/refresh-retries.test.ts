import { decodeJwt } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readForm } from "../support/browser.js";
import { createBrowser, signIn } from "../support/device.js";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";
import { exchangeForm, type Answer, RawDevice } from "../support/raw-device.js";
import { RegisteredClient } from "../support/registered-client.js";

let system: OauthServer;
let origins: readonly [string, string];
beforeAll(async () => {
  system = await startOauthServer();
  origins = [system.issuer, await system.startSecondInstance()];
});
afterAll(() => system.close());

/** A grant as its owner holds it: the tokens in the order in which they came, the first one first. */
interface TestGrant {
  readonly grantId: string;
  readonly tokens: string[];
  /** Each goes to the other process than the one before. */
  refresh(token: string, scope?: string): Promise<Answer>;
  exchange(token: string): Promise<Answer>;
  /** With another key, or without the client's key where the grant has none. */
  stolen(token: string): Promise<Answer>;
}

const clients = {
  bound: boundGrant,
  confidential: () => bearerGrant("confidential"),
  public: () => bearerGrant("public"),
};
/** Stays signed in, so that a grant takes a consent and no sign-in. */
const browser = createBrowser();
let turn = 0;
const nextOrigin = () => origins[(turn += 1) % 2] ?? "";

function grantOf({ body }: Answer): string {
  return String(decodeJwt(body["access_token"] ?? "")["sid"]);
}

async function boundGrant(): Promise<TestGrant> {
  const device = await RawDevice.create(system.issuer);
  const thief = await RawDevice.create(system.issuer);
  const first = await device.token(device.codeParameters(await device.authorize({}, browser)));
  return {
    grantId: grantOf(first),
    tokens: [first.body["refresh_token"] ?? ""],
    refresh: (token, scope) =>
      device.token({ ...device.refreshParameters(token), scope }, { origin: nextOrigin() }),
    exchange: (token) =>
      device.token(
        { ...exchangeForm(token, system.resource), client_id: "authz-cli" },
        { origin: nextOrigin() },
      ),
    stolen: (token) => thief.refresh(token, { origin: nextOrigin() }),
  };
}

/** Without a key. A public client shows nothing but its name, and the service it asks for takes that. */
async function bearerGrant(type: "confidential" | "public"): Promise<TestGrant> {
  const client = await RegisteredClient.register(system, { type, dpopBound: false });
  const other = await RegisteredClient.register(system, { type, dpopBound: false });
  const device = await RawDevice.create(system.issuer);
  const url = device.authorizeUrl({ client_id: client.id, dpop_jkt: undefined });
  const consent = await signIn(browser, url, "ada");
  const { url: callback } = await browser.submit(readForm(consent), { decision: "allow" });
  const code = device.codeParameters(callback.searchParams.get("code") ?? "");
  const send = (form: Readonly<Record<string, string | undefined>>, by = client) =>
    device.token(
      { ...form, ...(type === "public" ? { client_id: by.id } : by.credentials()) },
      { origin: nextOrigin(), proofs: [] },
    );
  const refreshForm = (token: string) => ({ grant_type: "refresh_token", refresh_token: token });
  const first = await send(code);
  return {
    grantId: grantOf(first),
    tokens: [first.body["refresh_token"] ?? ""],
    refresh: (token, scope) => send({ ...refreshForm(token), scope }),
    exchange: (token) => send(exchangeForm(token, system.resource)),
    stolen: (token) => send(refreshForm(token), other),
  };
}

/** As if so much time had passed for the database since each rotation. */
async function age({ grantId }: TestGrant, seconds: number): Promise<void> {
  await system.database.query(
    "UPDATE refresh_tokens SET used_at = used_at - $2 * interval '1 second' WHERE grant_id = $1",
    [grantId, seconds],
  );
}

async function rowsOf({ grantId }: TestGrant) {
  const [row] = await system.database.query<{ ended: boolean; tokens: number; live: number }>(
    `SELECT g.revoked_at IS NOT NULL AS ended, count(t.hash)::integer AS tokens,
       count(*) FILTER (WHERE t.used_at IS NULL)::integer AS live
     FROM grants g JOIN refresh_tokens t ON t.grant_id = g.id WHERE g.id = $1 GROUP BY g.id`,
    [grantId],
  );
  return row;
}

async function eventsOf({ grantId }: TestGrant): Promise<string[]> {
  const events = (await system.audit()).filter(({ data }) => data["grantId"] === grantId);
  return events.map(({ type, data }) =>
    [type, data["reason"], data["repeated"] === true ? "repeated" : undefined].filter(Boolean).join(" "),
  );
}

type Kind = keyof typeof clients;
const bearer = ["confidential", "public"] as const;
const all = ["bound", ...bearer] as const;

/**
 * The presentations of a grant's tokens in order, and the outcome of each: `new` and `same` are the next refresh token, never seen or seen
 * before; `assertion` is the answer to an exchange; `refused` leaves the grant as it is, `ended` ends it.
 */
const rows: readonly (readonly [name: string, kinds: readonly Kind[], steps: string])[] = [
  ["the answer was lost", all, "refresh 0 new, refresh 0 same, refresh 1 new"],
  [
    "the answer was lost several times, and every time",
    all,
    "refresh 0 new, refresh 0 same, refresh 0 same, refresh 1 new, refresh 1 same, refresh 2 new",
  ],
  [
    "the answer was lost, and is asked for days later, with the key",
    ["bound"],
    "refresh 0 new, age 500000, refresh 0 same, refresh 1 new",
  ],
  [
    "the answer was lost, and is asked for after 50 seconds",
    bearer,
    "refresh 0 new, age 50, refresh 0 same, refresh 1 new",
  ],
  [
    "another party has the token more than 60 seconds later",
    bearer,
    "refresh 0 new, age 61, refresh 0 ended, refresh 1 refused",
  ],
  ["the next token was used", all, "refresh 0 new, refresh 1 new, refresh 0 ended, refresh 2 refused"],
  [
    "the next token was used after a retry",
    all,
    "refresh 0 new, refresh 0 same, refresh 1 new, refresh 0 ended",
  ],
  ["the token before the last two", all, "refresh 0 new, refresh 1 new, refresh 2 new, refresh 1 ended"],
  [
    "a thief has the token without what it is bound to",
    all,
    "refresh 0 new, stolen 0 refused, stolen 1 refused, refresh 0 same, refresh 1 new, stolen 0 refused, stolen 2 refused, refresh 2 new",
  ],
  [
    "an exchange shows the token whose answer was lost",
    ["bound"],
    "refresh 0 new, exchange 0 assertion, refresh 0 same, exchange 1 assertion, refresh 1 new, exchange 0 ended",
  ],
];

test.each(rows.flatMap(([name, kinds, steps]) => kinds.map((kind) => ({ kind, name, steps }))))(
  "$kind: $name",
  async ({ kind, steps }) => {
    const grant = await clients[kind]();
    const taken: string[] = [];
    for (const step of steps.split(", ")) {
      const [action = "", amount = ""] = step.split(" ");
      const outcome = await take(action as Action, Number(amount), grant);
      taken.push([action, amount, outcome].filter((word) => word !== undefined).join(" "));
    }
    expect(taken.join(", ")).toBe(steps);
  },
);

type Action = "refresh" | "exchange" | "stolen" | "age";

/** Takes one step of a row and names its outcome. */
async function take(action: Action, amount: number, grant: TestGrant): Promise<string | undefined> {
  if (action === "age") {
    await age(grant, amount);
    return undefined;
  }
  const before = await rowsOf(grant);
  const { status, body } = await grant[action](grant.tokens[amount] ?? "");
  const after = await rowsOf(grant);
  if (status !== 200) {
    if (body["error"] !== "invalid_grant") return body["error"];
    return before?.ended === after?.ended ? "refused" : "ended";
  }
  if (body["issued_token_type"] !== undefined) return "assertion";
  const next = body["refresh_token"] ?? "";
  const added = grant.tokens.includes(next) ? 0 : 1;
  if (after?.live !== 1 || after.ended || after.tokens !== (before?.tokens ?? 0) + added)
    return `a family that is wrong: ${JSON.stringify(after)}`;
  if (added === 1) grant.tokens.push(next);
  return added === 1 ? "new" : "same";
}

describe("the same refresh again", () => {
  let grant: TestGrant;
  beforeEach(async () => {
    grant = await boundGrant();
  });

  test("answers with an access token of its own, and is an event that says so", async () => {
    const [token = ""] = grant.tokens;
    const first = await grant.refresh(token);
    const again = await grant.refresh(token, "openid email");
    const [one, other] = [first, again].map(({ body }) => decodeJwt(body["access_token"] ?? ""));
    expect(again.body["refresh_token"]).toBe(first.body["refresh_token"]);
    expect(other?.jti).not.toBe(one?.jti);
    expect(other?.["scope"]).toBe("openid email");
    expect((await grant.refresh(again.body["refresh_token"] ?? "")).body["scope"]).toBe(one?.["scope"]);
    expect(await eventsOf(grant)).toEqual([
      "token.issued",
      "token.issued",
      "token.issued repeated",
      "token.issued",
    ]);
  });

  test("is refused as reuse once the next token was used, with one event for the end", async () => {
    const [token = ""] = grant.tokens;
    const next = await grant.refresh(token);
    await grant.refresh(next.body["refresh_token"] ?? "");
    await grant.refresh(token);
    expect((await eventsOf(grant)).slice(3)).toEqual([
      "grant.revoked refresh_token_reused",
      "token.refused refresh_token_reused",
    ]);
  });

  test("is reuse when the successor is unknown, and refused as revoked after that", async () => {
    const [token = ""] = grant.tokens;
    await grant.refresh(token);
    await system.database.query("DELETE FROM refresh_tokens WHERE grant_id = $1 AND used_at IS NULL", [
      grant.grantId,
    ]);
    expect((await grant.refresh(token)).status).toBe(400);
    expect((await eventsOf(grant)).at(-1)).toBe("token.refused refresh_token_reused");
    expect((await grant.refresh(token)).status).toBe(400);
    expect((await eventsOf(grant)).at(-1)).toBe("token.refused grant_revoked");
  });
});

test("the minute of a Bearer token goes by the database's clock", async () => {
  const grant = await bearerGrant("public");
  const [token = ""] = grant.tokens;
  const { body } = await grant.refresh(token);
  await age(grant, 40);
  system.advance(30);
  const again = await grant.refresh(token);
  system.advance(-30);
  expect(again.body["refresh_token"]).toBe(body["refresh_token"]);
});

test.each(all)("%s: sixteen presentations at once end with one grant and one next token", async (kind) => {
  for (let round = 0; round < 3; round += 1) {
    const grant = await clients[kind]();
    const [token = ""] = grant.tokens;
    const answers = await Promise.all(Array.from({ length: 16 }, () => grant.refresh(token)));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 16 }, () => 200));
    const next = new Set(answers.map(({ body }) => body["refresh_token"]));
    expect(next.size).toBe(1);
    expect(await rowsOf(grant)).toEqual({ ended: false, tokens: 2, live: 1 });
    expect((await eventsOf(grant)).toSorted()).toEqual([
      "token.issued",
      "token.issued",
      ...Array.from({ length: 15 }, () => "token.issued repeated"),
    ]);
    expect((await grant.refresh([...next][0] ?? "")).status).toBe(200);
  }
});
