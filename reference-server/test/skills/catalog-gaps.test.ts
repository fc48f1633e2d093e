import { randomUUID } from "node:crypto";
import type { CatalogSkill as Skill } from "@authz/skills";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { findGap, listVisibleSkills } from "../../src/skills/visible-skills.js";
import type { Store } from "../../src/store/store.js";
import { ApiClient } from "../support/api-client.js";
import type { Browser } from "../support/browser.js";
import { createBrowser, signIn } from "../support/device.js";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";
import { personRecord } from "../support/records.js";

const listContracts = {
  id: "list",
  title: "List contracts",
  requiredScopes: ["contracts:read"],
  visibility: "DEFAULT",
  content: "# List",
} as const;
const hidden = { ...listContracts, id: "board", requiredScopes: ["contracts:write"] };

let system: OauthServer;
let store: Store;
let ada: ApiClient;
let browser: Browser;
beforeAll(async () => {
  system = await startOauthServer();
  ({ store } = system.server.context);
  ada = await ApiClient.signIn(system.issuer);
  browser = createBrowser();
  await signIn(browser, `${system.issuer}/sign-in`, "ada");
});
afterAll(() => system.close());

// Each test has a service of its own, so that none sees what another one left.
let key: string;
let resourceId: string;
beforeEach(async () => {
  for (const resource of await store.resources.listEnabled())
    await store.resources.save({ ...resource, skillDiscovery: false }, new Date());
  resourceId = randomUUID();
  key = `r-${resourceId.slice(0, 8)}`;
  const origin = `https://${key}.acme.example`;
  await store.resources.save(
    {
      ...system.resource,
      id: resourceId,
      key,
      name: `Service ${key}`,
      resource: `${origin}/api`,
      authorizationServer: origin,
      requestPrefixes: [`${origin}/api`],
      skillDiscovery: true,
    },
    new Date(),
  );
});

const later = () => new Date(Date.now() + 3_600_000);

async function succeed(at: Date, items: readonly Skill[] = [listContracts]) {
  await store.skillCatalogs.saveSuccess({ resourceId, items, at, refreshAt: later() });
}

async function fail(at: Date) {
  const failure = `https://${key}.acme.example/.well-known/skills answered with status 503.`;
  await store.skillCatalogs.saveFailure({ resourceId, failure, at, refreshAt: later() });
}

const get = (path: string) => ada.get(path);

const page = async (path: string, language = "en") =>
  (await browser.open(`${system.issuer}${path}`, { headers: { "accept-language": language } })).html;

const anyMoment = expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string;
const minutes = (count: number) => new Date(Date.now() - count * 60_000);

describe("a person's client is told whose skills may be missing or old", () => {
  const cases: readonly [
    name: string,
    state: string | undefined,
    shown: boolean,
    dated: boolean,
    prepare: () => Promise<void>,
  ][] = [
    ["never tried", "pending", false, false, async () => undefined],
    ["never fetched", "failed", false, false, () => fail(minutes(1))],
    [
      "away for a moment",
      undefined,
      true,
      false,
      async () => {
        await succeed(minutes(10));
        await fail(minutes(1));
      },
    ],
    [
      "away since the last good copy",
      "stale",
      true,
      true,
      async () => {
        await succeed(minutes(16));
        await fail(minutes(1));
      },
    ],
    ["not fetched for longer than it should be", "stale", true, true, () => succeed(minutes(16))],
    [
      "fetched, and nothing of it can be shown",
      "refused",
      false,
      false,
      () => succeed(minutes(1), [{ ...listContracts, requiredScopes: ["contracts:$(id)"] }]),
    ],
    ["fresh", undefined, true, false, () => succeed(minutes(1))],
  ];

  test.each(cases)("%s: %s", async (_name, state, shown, dated, prepare) => {
    await prepare();

    const { body } = await get("/api/me/skills");

    const gap = {
      resource: key,
      name: `Service ${key}`,
      state,
      ...(dated && { fetchedAt: anyMoment }),
    };
    expect(body["incomplete"]).toEqual(state === undefined ? undefined : [gap]);
    expect((body["items"] as { id: string }[]).map(({ id }) => id)).toEqual(shown ? [`${key}.list`] : []);
    // A skill that is not found may be one of those: the refusal says so, and nothing about the failure.
    const missing = await get(`/api/me/skills/${key}.other`);
    expect(missing.status).toBe(404);
    expect(missing.body["incomplete"]).toEqual(state === undefined ? undefined : [gap]);
    expect(JSON.stringify([body, missing.body])).not.toContain("answered with status");
  });

  test("no other service's skill is uncertain for it", async () => {
    for (const id of ["nothing.list", "installation.list", "list", key])
      expect((await get(`/api/me/skills/${id}`)).body["incomplete"]).toBeUndefined();
  });

  test("a service that is switched off, or publishes no skills, lacks none", async () => {
    const resource = await store.resources.findByKey(key);
    if (resource === undefined) throw new Error("It was just saved.");
    for (const change of [{ enabled: false }, { skillDiscovery: false }]) {
      await store.resources.save({ ...resource, ...change }, new Date());
      expect((await get("/api/me/skills")).body).not.toHaveProperty("incomplete");
      expect(await findGap(`${key}.other`, store, new Date())).toBeUndefined();
    }
  });

  test("a directory that is away is named only where it hides something", async () => {
    await succeed(new Date(), [listContracts, { ...hidden, visibility: "HIDDEN_IF_UNALLOWED" } as never]);
    const held = personRecord(["contracts:read"]);
    const group = { key: "legal", provider: { key: "staff", name: "Staff" } };
    const rule = { id: "assignment-of-group", scope: "contracts:write", group };
    const gapsOf = async (undecided: readonly unknown[]) =>
      (await listVisibleSkills(store, { ...held, undecided: undecided as never }, new Date())).gaps;
    expect(await gapsOf([])).toEqual([]);
    expect(await gapsOf([rule])).toMatchObject([{ publisher: key, state: "undecided" }]);
    await succeed(new Date());
    expect(await gapsOf([rule])).toEqual([]);
  });
});

describe("the account page", () => {
  test("says what is missing instead of that there is nothing", async () => {
    await fail(new Date());
    const html = await page("/");
    expect(html).toContain(`The skills of Service ${key} are missing here: none could be fetched so far.`);
    expect(html).not.toContain("No service publishes instructions");
    expect(await page("/", "de")).toContain(`Die Skills von Service ${key} fehlen hier`);
    expect(await page(`/skills/${key}.list`)).toContain("it is not known whether it exists");
  });

  test("says how old a copy is, and lists it", async () => {
    await succeed(new Date("2026-02-03T04:05:00Z"));
    expect(await page("/")).toMatch(
      /are from 3 Feb 2026, 04:05 UTC: newer ones could not be fetched[\s\S]*List contracts/,
    );
  });

  test("shows what the administrators tell every agent, as text", async () => {
    await succeed(new Date());
    expect(await page("/")).not.toContain("tells every agent");
    await store.settings.save({ instructions: "Ask <b>it-help</b>.\n\nNever send contracts." }, new Date());
    const html = await page("/");
    expect(html).toContain("What Acme tells every agent");
    expect(html).toContain("<p>Ask &#60;b&#62;it-help&#60;/b&#62;.</p>\n<p>Never send contracts.</p>");
    expect((await get("/api/me/skills")).body["installation"]).toEqual({
      name: "Acme",
      instructions: "Ask <b>it-help</b>.\n\nNever send contracts.",
    });
    await store.settings.save({ instructions: null }, new Date());
  });
});
