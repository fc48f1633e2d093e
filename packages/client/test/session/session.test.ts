import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  type AuthzClientErrorCode,
  type AuthzClientEvent,
  fileStore,
  memoryStore,
  type SessionStore,
} from "../../src/index.js";
import { expectFailure } from "../support/expect-error.js";
import { type Fault, oauthError, type TestAnswer } from "../support/test-http.js";
import { startTestWorld, type TestWorld, visit } from "../support/test-world.js";

/** Tests of their own world, so that those that wait between two attempts wait at the same time. */
const it = test.extend<{ world: TestWorld }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the names of fixtures from this pattern
  world: async ({}, use) => {
    const world = await startTestWorld();
    await use(world);
    await world.close();
  },
});

const refreshes = (world: TestWorld): number =>
  world.server.seen.filter(({ form }) => form.get("grant_type") === "refresh_token").length;

describe.concurrent("a session", () => {
  it("is renewed when its access token has ended, and only then", async ({ world }) => {
    const events: AuthzClientEvent[] = [];
    const client = await world.signedIn({ onEvent: (event) => events.push(event) });
    await client.me();
    expect(refreshes(world)).toBe(0);
    world.clock.advance(295);
    expect((await client.me()).subject).toBe("user-ada");
    await client.me();
    expect(refreshes(world)).toBe(1);
    expect(events).toEqual([{ type: "session_renewed" }]);
  });

  it("is renewed once by many calls at the same time", async ({ world }) => {
    const client = await world.signedIn();
    world.clock.advance(301);
    await Promise.all(Array.from({ length: 20 }, async () => await client.me()));
    expect(refreshes(world)).toBe(1);
  });

  it("is renewed once by many clients that share a file", async ({ world }) => {
    const store = (): ReturnType<typeof fileStore> => fileStore(path);
    const path = join(await mkdtemp(join(tmpdir(), "authz-client-")), "state", "session.json");
    await world.signedIn({ store: store() });
    world.clock.advance(301);
    const people = await Promise.all(
      Array.from({ length: 20 }, async () => await world.client({ store: store() }).me()),
    );
    expect(new Set(people.map(({ subject }) => subject))).toEqual(new Set(["user-ada"]));
    expect(refreshes(world)).toBe(1);
    expect(world.server.grants[0]?.revoked).toBe(false);
  });

  it("is renewed when the server no longer takes a token that looks good", async ({ world }) => {
    const client = await world.signedIn();
    world.server.grants[0]?.accessTokens.clear();
    expect((await client.me()).subject).toBe("user-ada");
    expect(refreshes(world)).toBe(1);
  });

  it("says that it ended, also to every later command", async ({ world }) => {
    const store = memoryStore();
    const client = await world.signedIn({ store });
    for (const grant of world.server.grants) grant.revoked = true;
    const error = await expectFailure(client.me(), "session_ended");
    expect([error.reason, error.what]).toEqual(["session_ended", "Your session has ended."]);
    const requests = world.server.seen.length;
    await expectFailure(world.client({ store }).me(), "session_ended");
    await expectFailure(world.client({ store }).session(), "session_ended");
    expect(world.server.seen.length).toBe(requests);
  });

  it.for<{ name: string; faults: Fault[] }>([
    { name: "was lost", faults: ["drop"] },
    { name: "was lost twice", faults: ["drop", "drop"] },
    { name: "said that the server cannot work", faults: [{ status: 503 }, { status: 502 }] },
    { name: "was lost, and then of a server that cannot work", faults: ["drop", { status: 500 }] },
  ])("is renewed with the same refresh token when the answer $name", async ({ faults }, { world }) => {
    const client = await world.signedIn();
    world.clock.advance(301);
    world.server.fail("/api/oauth/token", ...faults);
    expect((await client.me()).subject).toBe("user-ada");
    const sent = world.server.seen.flatMap(({ form }) => form.get("refresh_token") ?? []);
    expect(sent).toHaveLength(faults.length + 1);
    expect(new Set(sent).size).toBe(1);
    expect(world.server.grants[0]?.revoked).toBe(false);
  });

  it("survives a server that stays away, for the commands that come later", async ({ world }) => {
    const store = memoryStore();
    const client = await world.signedIn({ store });
    world.clock.advance(301);
    world.server.fail("/api/oauth/token", "drop", { status: 503 }, "drop");
    await expectFailure(client.me(), "unreachable");
    expect((await world.client({ store }).me()).subject).toBe("user-ada");
    expect((await client.me()).subject).toBe("user-ada");
  });

  it("is not asked for again at once when the server says that it is too much", async ({ world }) => {
    const client = await world.signedIn();
    world.clock.advance(301);
    world.server.fail("/api/oauth/token", { status: 429 });
    await expectFailure(client.me(), "unreachable");
    expect(refreshes(world)).toBe(1);
    expect((await client.me()).subject).toBe("user-ada");
  });

  it("is kept by two clients that renew it at the same time, with a lock that excludes nothing", async ({
    world,
  }) => {
    const store: SessionStore = { ...memoryStore(), exclusively: async (run) => await run() };
    const first = await world.signedIn({ store });
    const second = world.client({ store });
    for (let round = 0; round < 3; round += 1) {
      world.clock.advance(301);
      const people = await Promise.all([first.me(), second.me(), first.me(), second.me()]);
      expect(people.map(({ subject }) => subject)).toEqual(Array.from({ length: 4 }, () => "user-ada"));
    }
    expect(world.server.grants[0]?.revoked).toBe(false);
  });

  it("is not ended by a refusal when another process has renewed it meanwhile", async ({ world }) => {
    const store = memoryStore();
    const client = await world.signedIn({ store });
    const before = (await store.read()) ?? "";
    world.clock.advance(301);
    await client.me();
    const renewed = (await store.read()) ?? "";
    world.clock.advance(301);
    await store.write(before);
    world.server.fail("/api/oauth/token", () => {
      void store.write(renewed);
      return oauthError(400, "invalid_grant");
    });
    expect((await client.me()).subject).toBe("user-ada");
    expect(world.server.grants[0]?.revoked).toBe(false);
  });

  const notNow = {
    error: "temporarily_unavailable",
    error_description: "The directory that knows your groups does not answer.",
  };
  // Where the answer leaves open what the server did, the client asks twice more.
  it.for<{ name: string; fault: TestAnswer; code: AuthzClientErrorCode; words: string; asked?: number }>([
    {
      name: "that it cannot now, and why",
      fault: { status: 503, headers: { "retry-after": "5" }, body: notNow },
      code: "unreachable",
      words: 'It says: "The directory that knows your groups does not answer."',
    },
    {
      name: "that there are too many",
      fault: { status: 429, body: {} },
      code: "unreachable",
      words: "It answered 429",
    },
    {
      name: "that it failed, with a misleading error code",
      fault: { status: 500, body: { error: "invalid_grant" } },
      code: "unreachable",
      words: "It answered 500",
      asked: 3,
    },
    {
      name: "that it cannot now, with an unusual status",
      fault: { status: 400, body: notNow },
      code: "refused",
      words: "does not answer",
    },
    {
      name: "that it does not know the client",
      fault: { status: 401, body: { error: "invalid_client" } },
      code: "refused",
      words: "invalid_client",
    },
    {
      name: "that a permission is missing",
      fault: { status: 400, body: { error: "invalid_scope" } },
      code: "refused",
      words: "invalid_scope",
    },
    {
      name: "nothing that can be read",
      fault: { status: 502, body: "<html>Bad gateway</html>" },
      code: "unreachable",
      words: "It answered 502",
      asked: 3,
    },
  ])("survives a server that says $name", async ({ fault, code, words, asked = 1 }, { world }) => {
    const client = await world.signedIn();
    world.clock.advance(301);
    world.server.fail("/api/oauth/token", ...Array.from({ length: asked }, () => fault));
    const error = await expectFailure(client.me(), code);
    expect(error.message).toContain(words);
    const seconds = fault.headers?.["retry-after"];
    expect(error.facts.retryAfterSeconds).toBe(seconds === undefined ? undefined : Number(seconds));
    expect((await client.me()).subject).toBe("user-ada");
  });

  it.for([-200_000, -400, 400, 86_400])(
    "works with a clock that is %d seconds off, for one more request",
    async (seconds, { world }) => {
      const events: AuthzClientEvent[] = [];
      const client = world.client({
        clock: () => world.clock() + seconds * 1000,
        onEvent: (event) => events.push(event),
      });
      await client.login({ openBrowser: visit });
      expect(world.server.count("/api/oauth/token")).toBe(2);
      expect((await client.me()).subject).toBe("user-ada");
      expect((await client.me()).subject).toBe("user-ada");
      expect(world.server.count("/api/oauth/token")).toBe(2);
      const answer = await client.authorizedFetch(
        `${world.service.origin}/api`,
        {},
        { scopes: ["contracts:read"] },
      );
      expect(answer.status).toBe(200);
      // The service's token endpoint has told the time of that origin.
      expect(events.filter(({ type }) => type === "request_retried")).toEqual([]);
    },
  );

  it("follows the clock of a server that it was set away from after signing in", async ({ world }) => {
    let skew = 0;
    const events: AuthzClientEvent[] = [];
    const client = await world.signedIn({
      clock: () => world.clock() + skew,
      onEvent: (event) => events.push(event),
    });
    skew = -200_000;
    expect((await client.me()).subject).toBe("user-ada");
    expect(events).toContainEqual(expect.objectContaining({ type: "request_retried", reason: "clock" }));
    skew = 0;
    expect((await client.me()).subject).toBe("user-ada");
  });

  it.for([
    { path: "/api/oauth/token", status: 400 },
    { path: "/api/me", status: 401 },
  ])(
    "says that the clock is wrong when $path refuses its own time as well",
    async ({ path, status }, { world }) => {
      const client = await world.signedIn();
      const fault: TestAnswer = {
        status,
        headers: {
          date: new Date(world.clock() + 700_000).toUTCString(),
          "www-authenticate": 'DPoP error="invalid_dpop_proof"',
        },
        body: { error: "invalid_dpop_proof" },
      };
      if (path.endsWith("token")) world.clock.advance(301);
      world.server.fail(path, fault, fault);
      const before = world.server.count(path);
      const error = await expectFailure(client.me(), "clock_skew");
      expect(error.message).toMatch(/[34]\d\d seconds behind|(699|700|701) seconds behind/);
      expect(world.server.count(path)).toBe(before + 2);
      expect((await client.me()).subject).toBe("user-ada");
    },
  );

  it("belongs to one issuer", async ({ world }) => {
    const store = memoryStore();
    await world.signedIn({ store });
    const elsewhere = world.client({ store, issuer: "https://authz.example" });
    expect(await elsewhere.session()).toBeUndefined();
    await expectFailure(elsewhere.me(), "not_signed_in");
  });

  it("is not there before a sign-in", async ({ world }) => {
    const client = world.client();
    expect(await client.session()).toBeUndefined();
    await expectFailure(client.me(), "not_signed_in");
    await expectFailure(client.authorizedFetch(`${world.service.origin}/api/contracts`), "not_signed_in");
  });

  it("cannot be read when the stored text is damaged", async ({ world }) => {
    const store = memoryStore();
    for (const text of ["", "{", "null", '{"version":2}', '{"version":1,"issuer":"x"}']) {
      await store.write(text);
      const error = await expectFailure(world.client({ store }).me(), "session_ended");
      expect(error.what).toBe("The stored session cannot be read.");
    }
  });
});

describe.concurrent("signing out", () => {
  it("revokes the session and forgets it", async ({ world }) => {
    const client = await world.signedIn();
    expect(await client.logout()).toEqual({ signedOut: true, revoked: true });
    expect(world.server.grants[0]?.revoked).toBe(true);
    expect(await client.session()).toBeUndefined();
  });

  it("works without the server, and says so", async ({ world }) => {
    const client = await world.signedIn();
    world.server.fail("/api/oauth/revoke", { status: 503 });
    expect(await client.logout()).toEqual({ signedOut: true, revoked: false });
    expect(await client.session()).toBeUndefined();
  });

  it("forgets a session that has already ended", async ({ world }) => {
    const client = await world.signedIn();
    for (const grant of world.server.grants) grant.revoked = true;
    await expectFailure(client.me(), "session_ended");
    expect(await client.logout()).toEqual({ signedOut: false, revoked: false });
    expect(await client.session()).toBeUndefined();
  });
});
