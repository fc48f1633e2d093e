import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Browser } from "../support/browser.js";
import { type FreshServer, SetUp, startFreshServer } from "./fresh-server.js";

let system: FreshServer;
beforeAll(async () => {
  system = await startFreshServer();
});
afterAll(() => system.close());

const count = 20;

test("a set-up that breaks off at the last moment has stored nothing, and can be repeated", async () => {
  const before = await system.countRows();
  await system.database.query(`
    CREATE FUNCTION break_off() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''broken off''; END';
    CREATE TRIGGER break_off BEFORE INSERT ON audit_events FOR EACH ROW
      WHEN (NEW.type = 'installation.completed') EXECUTE FUNCTION break_off()`);
  const setUp = new SetUp(system.issuer);
  await setUp.describe(system.idp.issuer);
  const page = await setUp.signIn("complete");
  await system.database.query("DROP FUNCTION break_off() CASCADE");
  expect(page.status).toBe(500);
  expect(setUp.browser.cookies.has("authz-session")).toBe(false);
  expect(await system.countRows()).toEqual(before);
  expect((await setUp.signIn("test")).html).toContain("The test passed");
});

describe("twenty people complete the set-up at once, on two processes", () => {
  let replay: URL;

  test("and one of them does", async () => {
    const setUps = Array.from({ length: count }, () => new SetUp(system.issuer));
    const callbacks = await Promise.all(
      setUps.map(async (setUp, index) => {
        const place = index % 2 === 0 ? system.issuer : system.second;
        await setUp.describe(system.idp.issuer, {
          name: `Acme ${index}`,
          installation_name: `Acme ${index}`,
        });
        const answer = await setUp.signInUntilCallback("complete");
        return new URL(`${place}${answer.pathname}${answer.search}`);
      }),
    );
    const ends = await Promise.all(
      setUps.map((setUp, index) => setUp.browser.open(callbacks[index] ?? system.issuer)),
    );
    expect(ends.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(ends.filter(({ status }) => status === 410)).toHaveLength(count - 1);
    const winner = ends.findIndex(({ status }) => status === 200);
    expect(ends[winner]?.html).toContain(`Acme ${winner} is set up`);
    expect(ends[winner]?.url).toMatchObject({ pathname: "/setup/done", search: "" });
    expect(setUps.filter(({ browser }) => browser.cookies.has("authz-session"))).toHaveLength(1);
    expect(setUps[winner]?.browser.cookies.has("authz-setup")).toBe(false);
    replay = callbacks[winner] ?? replay;

    const rows = await system.countRows();
    expect(rows).toMatchObject({ identity_providers: 1, users: 1, browser_sessions: 1, assignments: 3 });
    const home = await setUps[winner]?.open("/");
    for (const text of ["Ada Lovelace", "authz:administer", "authz:login", "authz:agents", 'href="/admin"']) {
      expect(home?.html).toContain(text);
    }
    const again = await setUps[winner]?.browser.open(replay);
    expect(again?.html).toContain("This sign-in is no longer valid");
  });

  test("everything is in the audit trail, by the administrator, without the secret", async () => {
    const events = await system.database.query<{ type: string; actor_type: string; data: object }>(
      "SELECT type, actor_type, data FROM audit_events WHERE actor_type = 'user' ORDER BY id",
    );
    expect(events.map(({ type }) => type)).toEqual([
      "sign_in.completed",
      "installation.changed",
      "provider.created",
      "assignment.created",
      "assignment.created",
      "assignment.created",
      "installation.completed",
    ]);
    expect(JSON.stringify(events)).not.toMatch(/secret/i);
  });

  test.each(["/setup", "/setup?step=details", "/setup?provider=google"])(
    "%s is gone for good, and says nothing else",
    async (path) => {
      const page = await new SetUp(system.second).open(path);
      expect(page.status).toBe(410);
      expect(page.html).toContain("Setup is closed");
      expect(page.html).not.toMatch(/<form|ada@|accounts/);
    },
  );

  test("the last page shows nothing without a session", async () => {
    const page = await new SetUp(system.second).open("/setup/done");
    expect(page.url.pathname).not.toBe("/setup/done");
    expect(page.html).not.toContain("ada@");
  });

  test("posting to any step does nothing", async () => {
    const before = await system.countRows();
    for (const step of ["token", "details", "test", "complete"]) {
      const { status } = await new SetUp(system.issuer).browser.open(`${system.issuer}/setup/${step}`, {
        method: "POST",
        body: new URLSearchParams({ token: "x" }),
      });
      expect([step, status]).toEqual([step, 410]);
    }
    expect(await system.countRows()).toEqual(before);
  });

  test("the log has neither a code of the provider nor an error of ours", () => {
    const lines = system.log.filter((line) => !line.includes("broken off"));
    expect(lines.filter((line) => /"level":[56]0|already sent|[?&]code=/.test(line))).toEqual([]);
  });

  test("people sign in at the provider from now on", async () => {
    const browser = new Browser(() => false);
    expect((await browser.open(`${system.issuer}/`)).html).toContain("Welcome");
    expect((await browser.open(`${system.issuer}/sign-in`)).url.origin).toBe(system.idp.issuer);
  });
});
