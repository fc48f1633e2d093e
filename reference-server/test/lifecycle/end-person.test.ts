import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { EndCause } from "../../src/lifecycle/cause.js";
import { enablePerson, endPerson } from "../../src/lifecycle/end-person.js";
import { endProviderSessions } from "../../src/lifecycle/end-provider-sessions.js";
import { pausePerson } from "../../src/lifecycle/pause-person.js";
import { Browser } from "../support/browser.js";
import { storeConnection } from "../support/connections.js";
import { testConnector } from "../support/connectors.js";
import { createBrowser, signIn } from "../support/device.js";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";
import { exchangeForm, RawDevice } from "../support/raw-device.js";

let system: OauthServer;
let device: RawDevice;
let userId: string;
let refreshToken: string;
let browser: Browser;
beforeAll(async () => {
  system = await startOauthServer({ AUTHZ_RATE_LIMITS: "off" });
  device = await RawDevice.create(system.issuer);
});
afterAll(() => system.close());

const administrator: EndCause = { by: "administrator", user: "bruno" };
const provider: EndCause = { by: "signal", provider: "acme", event: "credential-change" };
const work = () => {
  const { store } = system.server.context;
  return { store, actor: { type: "operator" } as const, at: new Date() };
};

/** Ada, signed in with a browser and an app. */
beforeEach(async () => {
  await system.server.context.store.settings.save({ breakGlassEmail: null }, new Date());
  await system.database.query("UPDATE users SET enabled = true, disabled_by = NULL");
  browser = createBrowser();
  const tokens = await device.signIn({}, browser);
  refreshToken = tokens["refresh_token"] ?? "";
  const [row] = await system.database.query<{ id: string }>(
    "SELECT id FROM users WHERE email = 'ada@acme.example'",
  );
  userId = row?.id ?? "";
});

const refused = async (token = refreshToken) => {
  const { status, body } = await device.refresh(token);
  return status === 200 ? undefined : body["error"];
};
const home = async () => (await browser.open(new URL("/", system.issuer))).html;

describe("a person who ends", () => {
  test("loses browsers, apps, codes, consents, requests and connections in one transaction, with one event", async () => {
    const code = device.codeParameters(await device.authorize({}, createBrowser()));
    const { store } = system.server.context;
    await store.accessRequests.ask({
      id: randomUUID(),
      userId,
      kind: "installation",
      target: "authz",
      scopes: ["authz:admin"],
      reason: "for the tests",
      clientId: null,
      grantId: null,
      createdAt: new Date(),
    });
    const ended = await endPerson(userId, administrator, work());
    expect(ended).toMatchObject({ unused: 1, requests: 1, connections: 0 });
    expect(ended?.sessions).toBeGreaterThan(0);
    expect(ended?.grants).toBeGreaterThan(0);
    expect(await refused()).toBe("invalid_grant");
    expect((await device.token(code)).body["error"]).toBe("invalid_grant");
    expect(await store.users.find(userId)).toMatchObject({ enabled: false });
    const [event] = (await system.audit("person.ended")).slice(-1);
    expect(event).toMatchObject({ subject: userId, data: { cause: "administrator", ...ended } });
    for (const table of ["browser_sessions", "consents"]) {
      const left = await system.database.query(`SELECT FROM ${table} WHERE user_id = $1`, [userId]);
      expect([table, left.length]).toEqual([table, 0]);
    }
  });

  /** Something of Ada's, and what is left of it afterwards. */
  const things: Readonly<Record<string, { begin: () => Promise<void>; left: string; rest: unknown[] }>> = {
    "a browser": {
      begin: async () => undefined,
      left: "SELECT id FROM browser_sessions WHERE user_id = $1",
      rest: [],
    },
    "a signed-in app": {
      begin: async () => undefined,
      left: "SELECT id FROM grants WHERE user_id = $1 AND revoked_at IS NULL",
      rest: [],
    },
    "a consent": {
      begin: async () =>
        void (await device.signIn({ resource: system.resource.resource, scope: "contracts:read" })),
      left: "SELECT client_id FROM consents WHERE user_id = $1",
      rest: [],
    },
    "a code that was not redeemed": {
      begin: async () => void (await device.authorize({}, createBrowser())),
      left: "SELECT hash FROM authorization_codes WHERE user_id = $1 AND used_at IS NULL",
      rest: [],
    },
    "a device that was allowed and has not asked yet": {
      begin: async () =>
        void (await system.database.query(
          `INSERT INTO device_authorizations (id, device_code_hash, user_code_hash, client_id, scopes, created_at, expires_at,
            interval_seconds, answer, user_id, amr)
          VALUES (gen_random_uuid(), decode(md5(random()::text), 'hex'), decode(md5(random()::text), 'hex'), 'authz-cli',
            '{openid}', now(), now() + interval '10 minutes', 5, 'allowed', $1, '{pwd}')`,
          [userId],
        )),
      left: "SELECT id FROM device_authorizations WHERE user_id = $1 AND answer = 'allowed'",
      rest: [],
    },
    "a connection": {
      begin: async () => {
        const { context } = system.server;
        const connector = testConnector();
        await context.store.connectors.save(connector, new Date());
        await storeConnection(context, { connector: connector.key, userId, now: new Date() });
      },
      left: "SELECT state, reason FROM connections WHERE user_id = $1",
      rest: [{ state: "reconnect_required", reason: "person_ended" }],
    },
  };
  test.each(Object.entries(things))("loses %s, and does not get it back", async (_name, thing) => {
    await thing.begin();
    expect(await system.database.query(thing.left, [userId])).not.toEqual(thing.rest);
    await endPerson(userId, administrator, work());
    expect(await system.database.query(thing.left, [userId])).toEqual(thing.rest);
    await enablePerson(userId, work());
    expect(await system.database.query(thing.left, [userId])).toEqual(thing.rest);
  });

  test("ends once: whoever comes second finds nothing, and records nothing", async () => {
    const results = await Promise.all([
      endPerson(userId, administrator, work()),
      endPerson(userId, provider, work()),
    ]);
    expect(results.filter((ended) => ended !== undefined)).toHaveLength(1);
  });

  test("gets nothing back when enabled again, also not what began while it ended", async () => {
    await endPerson(userId, administrator, work());
    await system.database.query(
      "UPDATE grants SET revoked_at = NULL, revocation_reason = NULL WHERE user_id = $1",
      [userId],
    );
    await enablePerson(userId, work());
    expect(await refused()).toBe("invalid_grant");
  });

  test.each([
    { cause: administrator, by: "administrator" },
    { cause: { by: "support", user: "sam" } as const, by: "support" },
    { cause: provider, by: "provider" },
  ])("is marked as disabled by: $by", async ({ cause, by }) => {
    await endPerson(userId, cause, work());
    const [row] = await system.database.query<{ disabled_by: string }>(
      "SELECT disabled_by FROM users WHERE id = $1",
      [userId],
    );
    expect(row?.disabled_by).toBe(by);
  });
});

describe("a paused person", () => {
  test("gets nothing until the next sign-in, which resumes everything", async () => {
    expect(await pausePerson(userId, provider, work())).toBe(true);
    expect(await pausePerson(userId, provider, work())).toBe(false);
    const { status, body } = await device.refresh(refreshToken);
    expect([status, body["error"]]).toEqual([400, "access_denied"]);
    expect(body["error_description"]).toContain(`signs in again at ${system.issuer}`);
    const exchange = { ...exchangeForm(refreshToken, system.resource), client_id: "authz-cli" };
    expect((await device.token(exchange)).body["error"]).toBe("access_denied");
    expect(await home()).toContain("Sign in");

    await signIn(browser, device.authorizeUrl(), "ada");
    expect(await refused()).toBe(undefined);
    expect((await system.audit("person.resumed")).at(-1)?.subject).toBe(userId);
  });
});

describe("sessions at a provider", () => {
  const providerOf = async () => {
    const [row] = await system.database.query<{ id: string }>("SELECT id FROM identity_providers");
    return row?.id ?? "";
  };

  test("end by their sid, and no other browser", async () => {
    await system.database.query("UPDATE browser_sessions SET provider_sid = 'other' WHERE user_id = $1", [
      userId,
    ]);
    const second = createBrowser();
    await signIn(second, device.authorizeUrl(), "ada");
    await system.database.query("UPDATE browser_sessions SET provider_sid = 's1' WHERE provider_sid IS NULL");
    const options = { apps: false, cause: { by: "logout", provider: "acme" } } as const;
    const target = { providerId: await providerOf(), sid: "s1" };
    expect(await endProviderSessions(target, options, work())).toMatchObject({ sessions: 1, grants: 0 });
    expect(await endProviderSessions(target, options, work())).toMatchObject({ sessions: 0 });
    expect(await refused()).toBe(undefined);
  });

  test("end with the apps when that is wanted", async () => {
    const options = { apps: true, cause: { by: "logout", provider: "acme" } } as const;
    const ended = await endProviderSessions({ providerId: await providerOf(), userId }, options, work());
    expect(ended.grants).toBeGreaterThan(0);
    expect(await refused()).toBe("invalid_grant");
  });
});

test("no provider ends, pauses or signs out the break-glass administrator; an administrator does", async () => {
  const { store } = system.server.context;
  await store.settings.save({ breakGlassEmail: "ada@acme.example" }, new Date());
  expect(await endPerson(userId, provider, work())).toBe(undefined);
  expect(await pausePerson(userId, provider, work())).toBe(false);
  const [row] = await system.database.query<{ id: string }>("SELECT id FROM identity_providers");
  const options = { apps: true, cause: provider };
  const ended = await endProviderSessions({ providerId: row?.id ?? "", userId }, options, work());
  expect(ended).toMatchObject({ sessions: 0, grants: 0 });
  expect(await refused()).toBe(undefined);
  expect(await endPerson(userId, administrator, work())).toBeDefined();
});

describe("a stop in the table refuses a refresh with access_denied", () => {
  const columns = ["user_id", "client_id", "resource_id"] as const;
  const stops: Record<string, () => (string | null)[]> = {
    everything: () => [null, null, null],
    "the person": () => [userId, null, null],
    "the app": () => [null, "authz-cli", null],
    "the app of the person": () => [userId, "authz-cli", null],
  };
  test.each(Object.entries(stops))("of %s", async (_name, values) => {
    const text = `INSERT INTO stops (${columns.join(", ")}, stopped, not_before, set_at) VALUES ($1, $2, $3, true, now(), now())`;
    await system.database.query(text, values());
    expect(await refused()).toBe("access_denied");
    await system.database.query("DELETE FROM stops");
    expect(await refused()).toBe(undefined);
  });

  test("of nothing that is another person's or app's", async () => {
    const text =
      "INSERT INTO stops (client_id, stopped, not_before, set_at) SELECT id, true, now(), now() FROM clients WHERE id <> 'authz-cli'";
    await system.database.query(text);
    expect(await refused()).toBe(undefined);
    await system.database.query("DELETE FROM stops");
  });
});
