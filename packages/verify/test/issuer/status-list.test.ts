import { deflateSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createIssuerKeys } from "../../src/issuer/issuer-keys.js";
import { createStatusList, type StatusList } from "../../src/issuer/status-list.js";
import type { AuthzLogEvent } from "../../src/log.js";
import { type IssuerServer, startIssuerServer } from "../support/issuer-server.js";
import { issuerKey, type JwtDraft, otherKey, signDraft } from "../support/jwt.js";
import { createClock, startSeconds, type TestClock } from "../support/world.js";

const path = "/oauth/status";
const entries = 1024;

let issuer: IssuerServer;
let clock: TestClock;
let events: AuthzLogEvent[];
let list: StatusList;

beforeEach(async () => {
  issuer = await startIssuerServer([{ ...issuerKey.publicJwk, kid: "first" }]);
  clock = createClock();
  events = [];
  list = create();
  publish();
});

afterEach(() => issuer.close());

function create(
  changes: Partial<Parameters<typeof createStatusList>[0]> = {},
): ReturnType<typeof createStatusList> {
  const options = {
    issuer: issuer.origin,
    discoveryProxyOrigin: undefined,
    fetch,
    timeoutSeconds: 5,
    clock,
    log: (event: AuthzLogEvent) => void events.push(event),
    ...changes,
  };
  return createStatusList({ statusList: true, issuerKeys: createIssuerKeys(options), ...options });
}

/** A Status List Token that is right in every respect, with these entries set. */
function draft(...ended: readonly number[]): JwtDraft {
  const now = Math.floor(clock() / 1000);
  return {
    header: { alg: "ES256", typ: "statuslist+jwt", kid: "first" },
    claims: {
      sub: `${issuer.origin}${path}`,
      iat: now,
      exp: now + 900,
      ttl: 10,
      status_list: { bits: 1, lst: deflateSync(bitsOf(ended)).toString("base64url") },
    },
    key: issuerKey,
  };
}

function bitsOf(ended: readonly number[]): Uint8Array {
  const bits = new Uint8Array(entries / 8);
  for (const index of ended) bits[index >> 3] = (bits[index >> 3] ?? 0) | (1 << (index & 7));
  return bits;
}

function publish(...ended: readonly number[]): void {
  issuer.statusList = { token: signDraft(draft(...ended)) };
}

/** What the list says about an entry: `good`, or the reason of the refusal. */
function stateOf(index: number): string {
  try {
    list.check(index, "invalid_token");
    return "good";
  } catch (error) {
    return String((error as { reason?: unknown }).reason);
  }
}

const readings = () => issuer.requests.filter((one) => one === path).length;
const unavailable = () => events.filter(({ type }) => type === "status_list_unavailable").length;

describe("the status list", () => {
  test("says which entries have ended, and has no others than its own", async () => {
    publish(0, 7, 8, entries - 1);
    await list.renew();
    const ended = Array.from({ length: entries }, (_, index) => index).filter(
      (index) => stateOf(index) === "revoked",
    );
    expect(ended).toEqual([0, 7, 8, entries - 1]);
    expect([entries, entries + 7, 2 ** 31, 2 ** 32, 2 ** 52].map(stateOf)).toEqual(
      Array.from({ length: 5 }, () => "jwt_status"),
    );
    expect(list.check(undefined, "invalid_token")).toBeUndefined();
    expect(events).toContainEqual({ type: "status_list_loaded", entries });
  });

  // draft-ietf-oauth-status-list-21 §4.1 and appendix C.1: 16 and 2^20 entries of one bit.
  test.each([
    { lst: "eNrbuRgAAhcBXQ", ended: [0, 3, 4, 5, 7, 8, 9, 13, 15] },
    {
      lst: "eNrt3AENwCAMAEGogklACtKQPg9LugC9k_ACvreiogEAAKkeCQAAAAAAAAAAAAAAAAAAAIBylgQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAXG9IAAAAAAAAAPwsJAAAAAAAAAAAAAAAvhsSAAAAAAAAAAAA7KpLAAAAAAAAAAAAAAAAAAAAAJsLCQAAAAAAAAAAADjelAAAAAAAAAAAKjDMAQAAAACAZC8L2AEb",
      ended: [0, 1993, 25460, 159495, 495669, 554353, 645645, 723232, 854545, 934534, 1000345],
    },
  ])("is read as in the draft's own example with $ended.length entries", async ({ lst, ended }) => {
    const token = draft();
    token.claims["status_list"] = { bits: 1, lst };
    issuer.statusList = { token: signDraft(token) };
    await list.renew();
    expect(ended.map(stateOf)).toEqual(ended.map(() => "revoked"));
    expect(ended.map((index) => stateOf(index ^ 2))).not.toContain("jwt_status");
    expect(stateOf((ended[1] as number) - 1)).toBe("good");
  });

  test("is read once for a hundred requests, and again when it is ten seconds old", async () => {
    await Promise.all(Array.from({ length: 100 }, async () => await list.renew()));
    expect(readings()).toBe(1);
    publish(5);
    clock.advance(9.9);
    expect(list.renew()).toBeUndefined();
    expect(stateOf(5)).toBe("good");
    clock.advance(0.1);
    await list.renew();
    expect(stateOf(5)).toBe("revoked");
    expect(readings()).toBe(2);
  });

  test.each([
    { ttl: 30, until: 30 },
    { ttl: undefined, until: 10 },
    { ttl: 0.001, until: 1 },
    { ttl: 86_400, until: 60 },
  ])("with a ttl of $ttl is used for $until seconds", async ({ ttl, until }) => {
    const token = draft();
    token.claims["ttl"] = ttl;
    issuer.statusList = { token: signDraft(token) };
    await list.renew();
    clock.advance(until - 0.001);
    expect(list.renew()).toBeUndefined();
    clock.advance(0.001);
    expect(list.renew()).toBeInstanceOf(Promise);
  });

  test("is read again in the background while requests need it, and not when none does", async () => {
    const token = draft();
    token.claims["ttl"] = 1;
    issuer.statusList = { token: signDraft(token) };
    await list.renew();
    expect(list.renew()).toBeUndefined();
    await expect.poll(readings).toBe(2);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(readings()).toBe(2);
  });

  test("goes on when the issuer says that it is unchanged, until it expires", async () => {
    issuer.statusList = { token: signDraft(draft(3)), etag: 'W/"one"' };
    await list.renew();
    clock.advance(10);
    await list.renew();
    expect(stateOf(3)).toBe("revoked");
    expect(unavailable()).toBe(0);
    clock.advance(890);
    await list.renew();
    clock.advance(10);
    void list.renew();
    expect(stateOf(3)).toBe("good");
    expect(unavailable()).toBe(1);
  });

  test("is read through the discovery proxy, and still names the issuer's address", async () => {
    issuer.metadata = {
      issuer: "https://authz.example/tenant",
      jwks_uri: "https://authz.example/api/oauth/jwks",
    };
    issuer.handler = (request, response) => {
      const isList = request.url === "/tenant/oauth/status";
      const metadata = request.url === "/.well-known/oauth-authorization-server/tenant";
      response.end(isList ? token : JSON.stringify(metadata ? issuer.metadata : { keys: issuer.keys }));
    };
    const right = draft(3);
    right.claims["sub"] = "https://authz.example/tenant/oauth/status";
    const token = signDraft(right);
    list = create({ issuer: "https://authz.example/tenant", discoveryProxyOrigin: issuer.origin });
    expect(list.uri).toBe("https://authz.example/tenant/oauth/status");
    await list.renew();
    expect(stateOf(3)).toBe("revoked");
  });

  test("is never asked for when it is off", async () => {
    list = create({ statusList: false });
    expect(list.uri).toBeUndefined();
    expect(list.renew()).toBeUndefined();
    expect(stateOf(7)).toBe("good");
    expect(issuer.requests).toEqual([]);
  });
});

const set = (claim: string, value: unknown) => (token: JwtDraft) => void (token.claims[claim] = value);
const setList = (change: object) => (token: JwtDraft) =>
  void (token.claims["status_list"] = { ...(token.claims["status_list"] as object), ...change });
const compressed = (bytes: Uint8Array) => deflateSync(bytes).toString("base64url");

const refused: readonly { readonly name: string; readonly change: (token: JwtDraft) => void }[] = [
  { name: "is of another type", change: (token) => void (token.header["typ"] = "at+jwt") },
  { name: "is signed with another key", change: (token) => void (token.key = otherKey) },
  { name: "names an unknown key", change: (token) => void (token.header["kid"] = "second") },
  { name: "is signed with nothing", change: (token) => void (token.header["alg"] = "none") },
  { name: "is of another address", change: set("sub", "https://evil.example/oauth/status") },
  { name: "is of no address", change: set("sub", undefined) },
  { name: "has expired", change: set("exp", startSeconds) },
  { name: "never expires", change: set("exp", undefined) },
  { name: "lives for more than an hour", change: set("exp", startSeconds + 3601) },
  { name: "is of the future", change: set("iat", startSeconds + 31) },
  { name: "does not say when it was made", change: set("iat", undefined) },
  { name: "has a negative ttl", change: set("ttl", -1) },
  { name: "has a ttl of zero", change: set("ttl", 0) },
  { name: "has a ttl that is a string", change: set("ttl", "10") },
  { name: "has no list", change: set("status_list", undefined) },
  { name: "has an array for a list", change: set("status_list", []) },
  { name: "has two bits for each entry", change: setList({ bits: 2 }) },
  { name: "has bits as a string", change: setList({ bits: "1" }) },
  { name: "has no entries", change: setList({ lst: undefined }) },
  { name: "has entries as an array", change: setList({ lst: [] }) },
  { name: "has padded entries", change: setList({ lst: `${compressed(bitsOf([]))}=` }) },
  { name: "has entries that are not compressed", change: setList({ lst: "AAAA" }) },
  { name: "has gzipped entries", change: setList({ lst: gzipSync(bitsOf([])).toString("base64url") }) },
  {
    name: "breaks off in its entries",
    change: setList({
      lst: deflateSync(bitsOf([1, 99, 512]))
        .subarray(0, -6)
        .toString("base64url"),
    }),
  },
  { name: "inflates to more than 8 MiB", change: setList({ lst: compressed(new Uint8Array(2 ** 23 + 1)) }) },
  {
    name: "has a claim twice",
    change: (token) => void (token.claimsJson = `{"ttl":9,${JSON.stringify(token.claims).slice(1)}`),
  },
  { name: "is larger than 4 MiB", change: set("more", "x".repeat(4 * 1024 * 1024)) },
];

describe("a list is as if there were none that", () => {
  test.each(refused)("$name", async ({ change }) => {
    const token = draft(7);
    change(token);
    issuer.statusList = { token: signDraft(token) };
    await list.renew();
    expect(stateOf(7)).toBe("good");
    expect(stateOf(entries)).toBe("good");
    void list.renew();
    clock.advance(10);
    void list.renew();
    expect(unavailable()).toBe(1);
  });

  test.each([
    { name: "is a redirect", status: 302, headers: { location: "/elsewhere" } },
    { name: "is not there", status: 404, headers: {} },
    { name: "is unchanged, which nobody has asked for", status: 304, headers: {} },
    { name: "fails", status: 500, headers: {} },
  ])("$name", async ({ status, headers }) => {
    const { token } = issuer.statusList as { token: string };
    issuer.handler = (request, response) => {
      const keySet = JSON.stringify(
        request.url === "/api/oauth/jwks" ? { keys: issuer.keys } : issuer.metadata,
      );
      response.writeHead(request.url === path ? status : 200, headers);
      response.end(request.url === path ? token : keySet);
    };
    await list.renew();
    expect(stateOf(entries)).toBe("good");
    clock.advance(10);
    void list.renew();
    expect(unavailable()).toBe(1);
  });
});

describe("while the list cannot be read", () => {
  test("the last one counts until it expires; it is logged once, and once when it is back", async () => {
    publish(3);
    await list.renew();
    issuer.statusList = undefined;
    const logged = () => events.map(({ type }) => type).filter((type) => type.startsWith("status_list"));
    for (let seconds = 0; seconds < 900; seconds += 10) {
      expect(stateOf(3)).toBe("revoked");
      clock.advance(10);
      await list.renew();
      await expect.poll(readings).toBe(seconds / 10 + 2);
    }
    clock.advance(10);
    await list.renew();
    expect(stateOf(3)).toBe("good");
    expect(logged()).toEqual(["status_list_loaded", "status_list_unavailable"]);
    publish(4);
    clock.advance(10);
    void list.renew();
    await expect.poll(() => stateOf(4)).toBe("revoked");
    expect(logged()).toEqual(["status_list_loaded", "status_list_unavailable", "status_list_loaded"]);
  });

  test("a request waits for it once, and no request while it is known to be away", async () => {
    issuer.handler = (_request, response) => void response.writeHead(503).end();
    await list.renew();
    expect(list.renew()).toBeUndefined();
    clock.advance(10);
    expect(list.renew()).toBeUndefined();
  });

  test("requests wait a second in all for an issuer that does not answer", async () => {
    issuer.handler = () => {};
    const begun = performance.now();
    await Promise.all([list.renew(), list.renew()]);
    const waited = performance.now() - begun;
    await list.renew();
    await list.renew();
    expect(waited).toBeGreaterThan(900);
    expect(performance.now() - begun - waited).toBeLessThan(500);
    expect(stateOf(3)).toBe("good");
  });
});
