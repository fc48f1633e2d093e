import { gunzipSync, inflateSync } from "node:zlib";
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from "jose";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { endPerson } from "../../../src/lifecycle/end-person.js";
import { pausePerson } from "../../../src/lifecycle/pause-person.js";
import { type OauthServer, startOauthServer } from "../../support/oauth-server.js";
import { exchangeForm, RawDevice } from "../../support/raw-device.js";

let system: OauthServer;
let device: RawDevice;
let uri: string;
beforeAll(async () => {
  system = await startOauthServer({ AUTHZ_RATE_LIMITS: "off" });
  device = (await RawDevice.create(system.issuer)).at(() => system.server.context.clock());
  uri = `${system.issuer}/oauth/status`;
});
afterAll(() => system.close());

const get = (headers: Record<string, string> = {}, url = uri) =>
  fetch(url, { headers: { "accept-encoding": "identity", ...headers } });
const sha = /^W\/"[\w-]{43}"$/;

/** The bits of the list, at a process whose copy is older than two seconds. */
async function readList(url = uri): Promise<(index: number) => boolean> {
  system.advance(2);
  const token = await (await get({}, url)).text();
  const { payload } = await jwtVerify(token, createRemoteJWKSet(new URL(`${system.issuer}/api/oauth/jwks`)), {
    typ: "statuslist+jwt",
    algorithms: ["ES256"],
    clockTolerance: 3600,
  });
  const { lst } = payload["status_list"] as { lst: string };
  const bits = inflateSync(Buffer.from(lst, "base64url"));
  return (index) => ((bits[index >> 3] ?? 0) & (1 << (index & 7))) !== 0;
}

function referenceOf(token = ""): { idx: number; uri: string } {
  const { status } = decodeJwt<{ status: { status_list: { idx: number; uri: string } } }>(token);
  return status.status_list;
}

describe("the status list", () => {
  test("is a signed token of the form that the draft defines, for ten seconds", async () => {
    const answer = await get();
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "application/statuslist+jwt",
      "cache-control": "public, max-age=10",
      "access-control-allow-origin": "*",
      etag: expect.stringMatching(sha) as string,
      vary: "accept-encoding",
    });
    const token = await answer.text();
    expect(decodeProtectedHeader(token)).toEqual({
      alg: "ES256",
      typ: "statuslist+jwt",
      kid: expect.any(String) as string,
    });
    const { iat = 0, ...claims } = decodeJwt(token);
    expect(claims).toEqual({
      sub: uri,
      exp: iat + 900,
      ttl: 10,
      status_list: { bits: 1, lst: expect.stringMatching(/^eJ[\w-]+$/) as string },
    });
  });

  test("is small while little ends, and gzipped only when that is shorter", async () => {
    const token = await (await get()).text();
    expect(token.length).toBeLessThan(600);
    expect((await get({ "accept-encoding": "gzip" })).headers.get("content-encoding")).toBeNull();
    await system.database.query(
      `INSERT INTO status_entries (status_index, holder, drawn_at, free_at, ended_at)
       SELECT (hashint4(n) & 65535), 'ended', now(), now() + interval '1 hour', now() FROM generate_series(0, 5000) AS n
       ON CONFLICT DO NOTHING`,
    );
    system.advance(2);
    const raw = await (await get()).text();
    // Not by `fetch`, which decodes it and takes the header away.
    const { headers, rawPayload } = await system.server.app.inject({
      url: "/oauth/status",
      headers: { "accept-encoding": "br, gzip;q=0.5" },
    });
    expect(headers["content-encoding"]).toBe("gzip");
    expect(decodeJwt(gunzipSync(rawPayload).toString())).toEqual(decodeJwt(raw));
    expect(rawPayload.length).toBeLessThan(raw.length);
    const refused = await system.server.app.inject({
      url: "/oauth/status",
      headers: { "accept-encoding": "gzip;q=0" },
    });
    expect(refused.headers["content-encoding"]).toBeUndefined();
    await system.database.query("DELETE FROM status_entries WHERE holder = 'ended'");
  });

  test("is not sent again while it is the same, by any process", async () => {
    const second = `${await system.startSecondInstance()}/oauth/status`;
    // The start of a minute, in which both sign the same.
    system.advance(61 - ((system.server.context.clock() / 1000) % 60));
    const etag = (await get()).headers.get("etag") ?? "";
    for (const url of [uri, second]) {
      const unchanged = await get({ "if-none-match": etag }, url);
      expect([unchanged.status, await unchanged.text()]).toEqual([304, ""]);
    }
    const tokens = await device.signIn();
    const { idx } = referenceOf(await assertionOf(tokens));
    await revoke(tokens);
    system.advance(2);
    const changed = await get({ "if-none-match": etag });
    expect(changed.status).toBe(200);
    expect(changed.headers.get("etag")).not.toBe(etag);
    expect((await readList(second))(idx)).toBe(true);
  });

  test("is read again after five seconds at most, also when reading it took long", async () => {
    const tokens = await device.signIn();
    const { idx } = referenceOf(await assertionOf(tokens));
    system.advance(20);
    const locked = system.database.query(
      "BEGIN; LOCK TABLE status_list IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(1.2); COMMIT",
    );
    await expect
      .poll(() =>
        system.database.query(
          "SELECT FROM pg_locks WHERE relation = 'status_list'::regclass AND mode = 'AccessExclusiveLock' AND granted",
        ),
      )
      .toHaveLength(1);
    const begun = performance.now();
    await get();
    expect(performance.now() - begun).toBeGreaterThan(700);
    await locked;
    await revoke(tokens);
    system.advance(3);
    expect((await readList())(idx)).toBe(true);
  });

  test("is not told for another time, which would tell who came and went", async () => {
    expect((await get({}, `${uri}?time=1700000000`)).status).toBe(501);
  });

  test("is the one that the metadata leads to", async () => {
    const metadata = (await (
      await fetch(`${system.issuer}/.well-known/oauth-authorization-server`)
    ).json()) as {
      status_list_aggregation_endpoint: string;
    };
    const lists = await fetch(metadata.status_list_aggregation_endpoint);
    expect(lists.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(await lists.json()).toEqual({ status_lists: [uri] });
  });

  test("stays the last one while the database is away, and is 503 when that is over", async () => {
    const before = await (await get()).text();
    await system.database.refuseConnections();
    try {
      system.advance(3);
      const answer = await get();
      expect([answer.status, await answer.text()]).toEqual([200, before]);
      expect(system.log.filter(({ code }) => code === "STATUS_LIST_NOT_READ").length).toBeGreaterThan(0);
      system.advance(900);
      expect((await get()).status).toBe(503);
      system.advance(-903);
    } finally {
      await system.database.allowConnections();
    }
    await expect.poll(async () => (await get()).status).toBe(200);
  });
});

async function assertionOf(tokens: Record<string, string>): Promise<string> {
  const { body } = await device.token({
    ...exchangeForm(tokens["access_token"], system.resource, "access_token"),
    client_id: "authz-cli",
  });
  return body["access_token"] ?? "";
}

const revoke = (tokens: Record<string, string>) =>
  fetch(`${system.issuer}/api/oauth/revoke`, {
    method: "POST",
    body: new URLSearchParams({ client_id: "authz-cli", token: tokens["refresh_token"] ?? "" }),
  });

const work = () => {
  const { store } = system.server.context;
  return { store, actor: { type: "operator" } as const, at: new Date() };
};

describe("the entry that an assertion names", () => {
  const ends: readonly {
    name: string;
    end: (ada: string, tokens: Record<string, string>) => Promise<unknown>;
  }[] = [
    { name: "its client revokes the sign-in", end: (_ada, tokens) => revoke(tokens) },
    { name: "the person ends", end: (ada) => endPerson(ada, { by: "scim", provider: "acme" }, work()) },
    {
      name: "the person is paused",
      end: (ada) => pausePerson(ada, { by: "presence", provider: "acme" }, work()),
    },
    {
      name: "the app is stopped",
      end: () =>
        system.database.query(
          "INSERT INTO stops (client_id, stopped, not_before, set_at) VALUES ('authz-cli', true, now(), now())",
        ),
    },
    {
      name: "everything is stopped",
      end: () =>
        system.database.query("INSERT INTO stops (stopped, not_before, set_at) VALUES (true, now(), now())"),
    },
  ];
  afterEach(async () => {
    await system.database.query(
      "UPDATE users SET enabled = true, disabled_by = NULL, paused_at = NULL, pause_reason = NULL",
    );
    await system.database.query("DELETE FROM stops");
  });

  test.each(ends)("is invalid within two seconds after $name", async ({ end }) => {
    const tokens = await device.signIn();
    const { idx, uri: named } = referenceOf(await assertionOf(tokens));
    expect(named).toBe(uri);
    expect((await readList())(idx)).toBe(false);
    await end(decodeJwt(tokens["access_token"] ?? "").sub ?? "", tokens);
    expect((await readList())(idx)).toBe(true);
  });

  test("stays through refreshes, and another sign-in has another", async () => {
    const tokens = await device.signIn();
    const { idx } = referenceOf(await assertionOf(tokens));
    const { body } = await device.refresh(tokens["refresh_token"] ?? "");
    expect(referenceOf(await assertionOf(body)).idx).toBe(idx);
    expect(referenceOf(await assertionOf(await device.signIn())).idx).not.toBe(idx);
  });

  test("is not in tokens for this server's own API, which looks the grant up", async () => {
    expect(decodeJwt((await device.signIn())["access_token"] ?? "")["status"]).toBeUndefined();
  });
});
