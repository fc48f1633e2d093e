import { describe, expect, it } from "vitest";
import type { WaitOptions } from "../../src/index.js";
import { expectFailure } from "../support/expect-error.js";
import { forEachTest } from "../support/for-each-test.js";
import { githubConnection } from "../support/test-connections.js";
import { startConnectedWorld } from "../support/test-world.js";

const show = "/api/me/connections/github";

const world = forEachTest(startConnectedWorld);

describe("connections", () => {
  it("are listed with what they can be used for", async () => {
    const [github] = await world.ada.connections.list();
    expect(github).toEqual(await world.ada.connections.get("github"));
    expect(github).toMatchObject({
      connector: "github",
      name: "GitHub",
      state: "connected",
      reason: undefined,
      account: { label: "ada-l" },
      requestPrefixes: ["https://api.github.example/repos", "https://api.github.example/user"],
      requestHeaders: ["accept", "content-type", "user-agent", "x-github-api-version"],
      connectedAt: "2026-11-20T10:00:00.000Z",
      lastUsedAt: undefined,
    });
    expect(github?.offeredScopes[1]).toEqual({
      scope: "gist",
      description: undefined,
      required: false,
      byDefault: true,
    });
  });

  it("are none on a server from before there were any", async () => {
    world.server.fail("/api/me/connections", { status: 404, body: {} });
    expect(await world.ada.connections.list()).toEqual([]);
    world.server.fail(show, { status: 404, body: { statusCode: 404, error: "Not Found" } });
    await expectFailure(world.ada.connections.get("github"), "not_found");
  });

  const damaged: { name: string; change: object; reason: string }[] = [
    { name: "in no known state", change: { state: "broken" }, reason: '"state"' },
    { name: "of another name", change: { connector: "gitlab" }, reason: '"gitlab"' },
    { name: "with a prefix that is no text", change: { requestPrefixes: [1] }, reason: '"requestPrefixes"' },
    { name: "with an account that is no object", change: { account: "ada" }, reason: '"account"' },
    {
      name: "with a scope that may be required",
      change: { offeredScopes: [{ scope: "a" }] },
      reason: '"required"',
    },
    { name: "connected some day", change: { connectedAt: "yesterday" }, reason: '"connectedAt"' },
  ];
  for (const { name, change, reason } of damaged) {
    it(`are refused ${name}`, async () => {
      world.server.fail(show, { status: 200, body: { ...githubConnection(), ...change } });
      const error = await expectFailure(world.ada.connections.get("github"), "invalid_answer");
      expect(error.message).toContain(reason);
    });
  }
});

describe("connecting", () => {
  const noPause: WaitOptions = { pause: async () => undefined };

  it("begins with an address to visit, and ends after the visit", async () => {
    world.connections.items[0] = githubConnection({ state: "reconnect_required", reason: "expired" });
    const attempt = await world.ada.connections.start("github", { scopes: ["repo", "read:org"] });
    expect(attempt).toMatchObject({ connector: "github", id: "attempt-1" });
    expect(attempt.url).toBe(`${world.server.origin}/connections/attempt-1`);
    expect(await world.ada.connections.attempt(attempt)).toMatchObject({ state: "pending" });
    let polls = 0;
    const connection = await world.ada.connections.wait(attempt, {
      pause: async (seconds) => {
        polls += 1;
        expect(seconds).toBe(2);
        if (polls === 1) world.server.fail(`${show}/attempts/attempt-1`, { status: 503 });
        if (polls === 3) await fetch(attempt.url);
      },
    });
    expect([polls, connection.state, connection.grantedScopes]).toEqual([
      3,
      "connected",
      ["repo", "read:org"],
    ]);
  });

  it("takes what the server asks for by itself when no scopes are named", async () => {
    await world.ada.connections.start("github");
    expect(world.connections.attempts[0]?.scopes).toBeUndefined();
    await expectFailure(world.ada.connections.start("github", { scopes: ["a b"] }), "invalid_request");
  });

  const ends: { state: string; error?: string; code: Parameters<typeof expectFailure>[1]; says: string }[] = [
    { state: "failed", error: "access_denied", code: "connection_denied", says: "declined" },
    { state: "failed", error: "account_changed", code: "connection_failed", says: "The test says why." },
    { state: "failed", error: "cancelled", code: "connection_denied", says: "declined" },
    { state: "failed", error: "other_account", code: "connection_failed", says: "The test says why" },
    { state: "expired", code: "connection_timed_out", says: "has expired" },
  ];
  for (const { state, error: reason, code, says } of ends) {
    it(`fails when it ${state === "expired" ? "expires" : `ends with ${reason ?? ""}`}`, async () => {
      const attempt = await world.ada.connections.start("github");
      const failure =
        reason === undefined ? {} : { error: reason, error_description: "The test says why: declined." };
      Object.assign(world.connections.attempts[0] ?? {}, { state, ...failure });
      const error = await expectFailure(world.ada.connections.wait(attempt, noPause), code);
      expect(error.message).toContain(says.replace(".", ""));
      expect([error.facts.connection, error.reason === "connection_other_account"]).toEqual([
        "github",
        reason === "other_account",
      ]);
    });
  }

  it("gives up when the attempt must have expired, even if the server calls it pending", async () => {
    const attempt = await world.ada.connections.start("github");
    const pause = async (): Promise<void> => world.clock.advance(301);
    world.server.accessTokenSeconds = 3600;
    const error = await expectFailure(world.ada.connections.wait(attempt, { pause }), "connection_timed_out");
    expect(world.connections.attempts[0]?.state).toBe("pending");
    expect(error.facts.connection).toBe("github");
  });

  it("can be stopped", async () => {
    const attempt = await world.ada.connections.start("github");
    const stop = new AbortController();
    const waiting = world.ada.connections.wait(attempt, { signal: stop.signal });
    stop.abort();
    const error = await expectFailure(waiting, "connection_cancelled");
    expect(error.message).toContain(attempt.expiresAt);
  });

  it("opens no address elsewhere", async () => {
    const expiresAt = new Date(world.clock()).toISOString();
    for (const url of ["https://evil.example/connections/1", "javascript:alert(1)"]) {
      world.server.fail(`${show}/attempts`, { status: 201, body: { id: "1", url, expiresAt } });
      const error = await expectFailure(world.ada.connections.start("github"), "invalid_answer");
      expect(error.message).toContain('"url" must be');
    }
  });

  it("says what is in the way", async () => {
    world.connections.items[0] = githubConnection({ missingScopes: ["github:use"] });
    await world.ada.connections.get("github");
    const refusal = { error: "insufficient_scope", scope: "github:use" };
    world.server.fail(`${show}/attempts`, { status: 403, body: refusal });
    const denied = await expectFailure(world.ada.connections.start("github"), "scope_not_granted");
    expect([denied.facts.missingScopes, denied.facts.sent]).toEqual([["github:use"], undefined]);
    world.server.fail(`${show}/attempts`, { status: 400, body: { error: "invalid_scope" } });
    await expectFailure(world.ada.connections.start("github", { scopes: ["admin"] }), "invalid_request");
    world.connections.items[0] = githubConnection({ state: "disconnecting" });
    await expectFailure(world.ada.connections.start("github"), "disconnecting");
    world.server.fail(`${show}/attempts`, { status: 503, body: { error: "connector_key_unavailable" } });
    await expectFailure(world.ada.connections.start("github"), "refused");
    world.server.fail(`${show}/attempts`, { status: 503 });
    await expectFailure(world.ada.connections.start("github"), "unreachable");
  });
});

describe("disconnecting", () => {
  it("says whether the third party confirmed it, and forgets what was kept", async () => {
    const url = "https://api.github.example/user";
    await world.ada.connections.fetch("github", url);
    world.connections.revocation = "unconfirmed";
    expect(await world.ada.connections.disconnect("github")).toEqual({ revocation: "unconfirmed" });
    await expectFailure(world.ada.connections.fetch("github", url), "not_connected");
    await expectFailure(world.ada.connections.disconnect("github"), "not_connected");
    await expectFailure(world.ada.connections.disconnect("slack"), "not_found");
    expect(world.connections.forwarded.length).toBe(1);
  });
});
