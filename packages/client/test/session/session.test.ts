import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type AuthzClientEvent, fileStore, memoryStore } from "../../src/index.js";
import { expectFailure } from "../support/expect-error.js";
import { startTestWorld, type TestWorld, visit } from "../support/test-world.js";

let world: TestWorld;
beforeEach(async () => {
  world = await startTestWorld();
});
afterEach(async () => await world.close());

const refreshes = (): number =>
  world.server.seen.filter(({ form }) => form.get("grant_type") === "refresh_token").length;

describe("a session", () => {
  it("is renewed when its access token has ended, and only then", async () => {
    const events: AuthzClientEvent[] = [];
    const client = await world.signedIn({ onEvent: (event) => events.push(event) });
    await client.me();
    expect(refreshes()).toBe(0);
    world.clock.advance(295);
    expect((await client.me()).subject).toBe("user-ada");
    await client.me();
    expect(refreshes()).toBe(1);
    expect(events).toEqual([{ type: "session_renewed" }]);
  });

  it("is renewed once by many calls at the same time", async () => {
    const client = await world.signedIn();
    world.clock.advance(301);
    await Promise.all(Array.from({ length: 20 }, async () => await client.me()));
    expect(refreshes()).toBe(1);
  });

  it("is renewed once by many clients that share a file", async () => {
    const store = (): ReturnType<typeof fileStore> => fileStore(path);
    const path = join(await mkdtemp(join(tmpdir(), "authz-client-")), "state", "session.json");
    await world.signedIn({ store: store() });
    world.clock.advance(301);
    const people = await Promise.all(
      Array.from({ length: 20 }, async () => await world.client({ store: store() }).me()),
    );
    expect(new Set(people.map(({ subject }) => subject))).toEqual(new Set(["user-ada"]));
    expect(refreshes()).toBe(1);
    expect(world.server.grants[0]?.revoked).toBe(false);
  });

  it("is renewed when the server no longer takes a token that looks good", async () => {
    const client = await world.signedIn();
    world.server.grants[0]?.accessTokens.clear();
    expect((await client.me()).subject).toBe("user-ada");
    expect(refreshes()).toBe(1);
  });

  it("says that it ended, also to every later command", async () => {
    const store = memoryStore();
    const client = await world.signedIn({ store });
    for (const grant of world.server.grants) grant.revoked = true;
    const error = await expectFailure(client.me(), "session_ended");
    expect(error.hint).toBe("Sign in again: authz login");
    const requests = world.server.seen.length;
    await expectFailure(world.client({ store }).me(), "session_ended");
    await expectFailure(world.client({ store }).session(), "session_ended");
    expect(world.server.seen.length).toBe(requests);
  });

  it("says plainly that an interrupted renewal cost it", async () => {
    const store = memoryStore();
    const client = await world.signedIn({ store });
    world.clock.advance(301);
    world.server.fail("/api/oauth/token", "drop");
    await expectFailure(client.me(), "unreachable");
    const error = await expectFailure(world.client({ store }).me(), "session_ended");
    expect(error.message).toContain("interrupted while it renewed the session");
  });

  it("survives a renewal that never reached the server", async () => {
    const client = await world.signedIn();
    world.clock.advance(301);
    world.server.fail("/api/oauth/token", { status: 503 });
    await expectFailure(client.me(), "unreachable");
    expect((await client.me()).subject).toBe("user-ada");
  });

  it("survives a clock that is set wrong, and says by how much", async () => {
    const client = await world.signedIn();
    world.clock.advance(400);
    const behind = world.client({ clock: () => world.clock() - 400_000, store: memoryStore() });
    const error = await expectFailure(behind.login({ openBrowser: visit }), "clock_skew");
    expect(error.message).toMatch(/(399|400|401) seconds behind/);
    expect((await client.me()).subject).toBe("user-ada");
  });

  it("says so when the clock was set back after signing in", async () => {
    let skew = 0;
    const client = await world.signedIn({ clock: () => world.clock() + skew });
    skew = -200_000;
    const error = await expectFailure(client.me(), "clock_skew");
    expect(error.message).toMatch(/(199|200|201) seconds behind/);
    skew = 0;
    expect((await client.me()).subject).toBe("user-ada");
  });

  it("belongs to one issuer", async () => {
    const store = memoryStore();
    await world.signedIn({ store });
    const elsewhere = world.client({ store, issuer: "https://authz.example" });
    expect(await elsewhere.session()).toBeUndefined();
    await expectFailure(elsewhere.me(), "not_signed_in");
  });

  it("is not there before anybody signed in", async () => {
    const client = world.client();
    expect(await client.session()).toBeUndefined();
    await expectFailure(client.me(), "not_signed_in");
    await expectFailure(client.authorizedFetch(`${world.service.origin}/api/contracts`), "not_signed_in");
  });

  it("cannot be read when the stored text is damaged", async () => {
    const store = memoryStore();
    for (const text of ["", "{", "null", '{"version":2}', '{"version":1,"issuer":"x"}']) {
      await store.write(text);
      const error = await expectFailure(world.client({ store }).me(), "session_ended");
      expect(error.what).toBe("The stored session cannot be read.");
    }
  });
});

describe("signing out", () => {
  it("revokes the session and forgets it", async () => {
    const client = await world.signedIn();
    expect(await client.logout()).toEqual({ signedOut: true, revoked: true });
    expect(world.server.grants[0]?.revoked).toBe(true);
    expect(await client.session()).toBeUndefined();
  });

  it("works without the server, and says so", async () => {
    const client = await world.signedIn();
    world.server.fail("/api/oauth/revoke", { status: 503 });
    expect(await client.logout()).toEqual({ signedOut: true, revoked: false });
    expect(await client.session()).toBeUndefined();
  });

  it("forgets a session that has already ended", async () => {
    const client = await world.signedIn();
    for (const grant of world.server.grants) grant.revoked = true;
    await expectFailure(client.me(), "session_ended");
    expect(await client.logout()).toEqual({ signedOut: false, revoked: false });
    expect(await client.session()).toBeUndefined();
  });
});
