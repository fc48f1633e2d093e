import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { liftStop, setStop } from "../../src/lifecycle/stop.js";
import type { StopTarget } from "../../src/store/stops.js";
import type { Browser } from "../support/browser.js";
import { createBrowser, signIn } from "../support/device.js";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";
import { type Answer, exchangeForm, RawDevice } from "../support/raw-device.js";
import { RegisteredClient } from "../support/registered-client.js";

let system: OauthServer;
let device: RawDevice;
let machine: RegisteredClient;
let other: string;
let browser: Browser;
let userId: string;
let tokens: Record<string, string>;
beforeAll(async () => {
  system = await startOauthServer({ AUTHZ_RATE_LIMITS: "off" });
  device = await RawDevice.create(system.issuer);
  other = await system.startSecondInstance();
  machine = await RegisteredClient.register(system, { type: "machine", name: "Nightly export" }, [
    "contracts:read",
  ]);
});
afterAll(() => system.close());

beforeEach(async () => {
  await system.database.query("DELETE FROM stops");
  browser = createBrowser();
  tokens = await device.signIn({}, browser);
  const [row] = await system.database.query<{ id: string }>(
    "SELECT id FROM users WHERE email = 'ada@acme.example'",
  );
  userId = row?.id ?? "";
});

const store = () => system.server.context.store;
const work = () => ({ store: store(), actor: { type: "operator" } as const, at: new Date() });
const stop = (target: StopTarget) => setStop(target, work());

const targets: Readonly<Record<StopTarget["kind"], () => StopTarget>> = {
  all: () => ({ kind: "all" }),
  user: () => ({ kind: "user", userId }),
  client: () => ({ kind: "client", clientId: "authz-cli" }),
  app: () => ({ kind: "app", userId, clientId: "authz-cli" }),
  service: () => ({ kind: "service", resourceId: system.resource.id }),
};

const errorOf = ({ status, body }: Answer) => (status === 200 ? "issued" : body["error"]);

/** Every way in which something is issued for Ada, or for a machine; each is asked on the other process than the one that stops. */
const paths: Readonly<Record<string, (issued: Prepared) => Promise<string | undefined>>> = {
  "a refresh": async ({ refreshToken }) => errorOf(await device.refresh(refreshToken, { origin: other })),
  "an exchange for the service": async ({ refreshToken }) => {
    const form = { ...exchangeForm(refreshToken, system.resource), client_id: "authz-cli" };
    return errorOf(await device.token(form, { origin: other }));
  },
  "a code": async ({ code }) => errorOf(await device.token(device.codeParameters(code), { origin: other })),
  "a request with an access token": async ({ accessToken }) => errorOf(await device.userinfo(accessToken)),
  "a sign-in of the app": async () => {
    const { url, html } = await browser.open(device.authorizeUrl());
    return html.includes("decision") ? "issued" : (url.searchParams.get("error") ?? undefined);
  },
  "a token of a machine": async () => {
    const form = {
      grant_type: "client_credentials",
      resource: system.resource.resource,
      ...machine.credentials(),
    };
    return errorOf(await device.token(form, { origin: other }));
  },
};

interface Prepared {
  readonly refreshToken: string;
  readonly accessToken: string;
  readonly code: string;
}

async function prepare(): Promise<Prepared> {
  const { refresh_token: refreshToken = "", access_token: accessToken = "" } = tokens;
  return { refreshToken, accessToken, code: await device.authorize({}, createBrowser()) };
}

/** What each stop refuses; everything else goes on. */
const refused: Readonly<Record<StopTarget["kind"], readonly string[]>> = {
  all: Object.keys(paths),
  user: Object.keys(paths).filter((path) => path !== "a token of a machine"),
  client: Object.keys(paths).filter((path) => path !== "a token of a machine"),
  app: Object.keys(paths).filter((path) => path !== "a token of a machine"),
  service: ["an exchange for the service", "a token of a machine"],
};

describe.each(Object.entries(targets))("a stop: %s", (kind, target) => {
  test.each(Object.entries(paths))("for %s", async (path, attempt) => {
    const prepared = await prepare();
    await stop(target());
    const expected = refused[kind as StopTarget["kind"]].includes(path) ? "access_denied" : "issued";
    expect(await attempt(prepared)).toBe(expected);
  });
});

test("a stop of a machine, and of another person or app, leaves the rest alone", async () => {
  await stop({ kind: "client", clientId: machine.id });
  const prepared = await prepare();
  expect(await paths["a token of a machine"]?.(prepared)).toBe("access_denied");
  for (const path of refused.app) expect([path, await paths[path]?.(prepared)]).toEqual([path, "issued"]);
});

test("the sentence tells what to do", async () => {
  await stop(targets.app());
  const { body } = await device.refresh(tokens["refresh_token"] ?? "");
  expect(body["error_description"]).toContain("until it is started again there");
});

describe("started again", () => {
  const startAgain = async (target: StopTarget) => {
    const found = await stop(target);
    expect(await liftStop(found, work())).toBe(true);
    expect(await liftStop(found, work())).toBe(false);
  };

  test.each(Object.entries(targets).filter(([kind]) => kind !== "service"))(
    "after %s, what was signed in stays ended, and the app may be signed in anew",
    async (_kind, target) => {
      await startAgain(target());
      // Ended for good: the app has to throw it away.
      const { status, body } = await device.refresh(tokens["refresh_token"] ?? "", { origin: other });
      expect([status, body["error"]]).toEqual([400, "invalid_grant"]);
      expect((await device.userinfo(tokens["access_token"] ?? "")).status).toBe(401);
      const anew = await device.signIn();
      expect((await device.refresh(anew["refresh_token"] ?? "", { origin: other })).status).toBe(200);
    },
  );

  test("a service is used again by apps that were signed in for everything", async () => {
    await startAgain(targets.service());
    const form = { ...exchangeForm(tokens["refresh_token"], system.resource), client_id: "authz-cli" };
    expect((await device.token(form, { origin: other })).status).toBe(200);
  });

  test("a grant that a stop ended is listed as ended, with the time and why", async () => {
    const { at } = work();
    await startAgain(targets.app());
    const { items } = await store().grants.list({
      limit: 200,
      sort: "createdAt",
      descending: true,
      after: undefined,
      q: undefined,
      userId,
      clientId: undefined,
      service: undefined,
      state: "ended",
      now: at,
    });
    expect(items[0]).toMatchObject({ revocationReason: "stopped", revokedAt: expect.any(Date) as Date });
  });
});

describe("an earlier consent", () => {
  const consentOf = async () => {
    const consents = await store().consents.listStanding({ userId, now: new Date() });
    return consents.length;
  };

  test("ends with a stop, and starting again does not bring it back", async () => {
    await system.database.query("UPDATE grants SET revoked_at = now() WHERE user_id = $1", [userId]);
    await device.signIn({ resource: system.resource.resource, scope: "contracts:read" }, browser);
    expect(await consentOf()).toBe(1);
    const found = await stop(targets.app());
    expect(await consentOf()).toBe(0);
    await liftStop(found, work());
    expect(await consentOf()).toBe(0);
  });
});

test("set twice is one stop and one event, and an administrator takes over what the person stopped", async () => {
  const own = { ...work(), actor: { type: "user", id: userId } as const };
  const before = (await system.audit("stop.set")).length;
  const [first, second] = [await setStop(targets.app(), own), await setStop(targets.app(), own)];
  expect([first.id, first.own]).toEqual([second.id, true]);
  expect((await system.audit("stop.set")).length).toBe(before + 1);
  const taken = await stop(targets.app());
  expect([taken.id, taken.own]).toEqual([first.id, false]);
  // Seen as their own a moment before.
  expect(await liftStop(first, own)).toBe(false);
});

test("a stopped person still reaches their page and the console, and nobody is signed out of a browser", async () => {
  await stop(targets.all());
  const page = await signIn(browser, new URL("/", system.issuer), "ada").catch(() => undefined);
  const { html } = page ?? (await browser.open(new URL("/", system.issuer)));
  expect(html).toContain("Everything is stopped by an administrator");
});

describe("on their own page", () => {
  const open = async (path: string) => await browser.open(new URL(path, system.issuer));
  const submit = async (path: string, values: Record<string, string>) => {
    const { html } = await open(path);
    const csrf = /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? "";
    const { action = path, ...fields } = values;
    return await browser.submit({ action: new URL(action, system.issuer), fields: { csrf } }, fields);
  };

  test("a person stops one app, and starts it again", async () => {
    await submit("/devices/stop?client=authz-cli", { action: "/devices/stop", client: "authz-cli" });
    const [found] = await store().stops.listFor(userId);
    expect(found).toMatchObject({ kind: "app", own: true, client: { id: "authz-cli" } });
    expect((await open("/")).html).toContain("Start again");
    await submit("/", { action: "/devices/start", id: found?.id ?? "" });
    expect(await store().stops.listFor(userId)).toEqual([]);
  });

  test("a person stops all of their apps", async () => {
    await submit("/devices/stop", { action: "/devices/stop" });
    expect(await store().stops.listFor(userId)).toMatchObject([{ kind: "user", own: true }]);
  });

  test("a person cannot start what an administrator stopped, nor stop an app that was never theirs", async () => {
    const found = await stop(targets.user());
    await submit("/devices/stop", { action: "/devices/start", id: found.id });
    expect(await store().stops.listFor(userId)).toHaveLength(1);
    await submit("/devices/stop", { action: "/devices/stop", client: machine.id });
    expect(await store().stops.listFor(userId)).toHaveLength(1);
  });
});
