import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { groupProviderSecretRow } from "../../../src/platform/vault/rows.js";
import { cacheSeconds, pauseSeconds } from "../../../src/permissions/groups/directories.js";
import { readForm } from "../../support/browser.js";
import { allScopes, createBrowser, signIn } from "../../support/device.js";
import { directorySecret, startTestDirectory, type TestDirectory } from "../../support/directory.js";
import { type OauthServer, startOauthServer } from "../../support/oauth-server.js";
import { exchangeForm, type Answer, RawDevice } from "../../support/raw-device.js";

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";
const bruno = "bruno@acme.example";

let system: OauthServer;
let directory: TestDirectory;
let device: RawDevice;
let offset = 0;

/** Bruno has everything by groups of the directory; Ada has what she has by her address. */
async function startSystem(): Promise<void> {
  offset = 0;
  [system, directory] = await Promise.all([startOauthServer(), startTestDirectory()]);
  device = (await RawDevice.create(system.issuer)).at(() => Date.now() + offset);
  const { store, credentials } = system.server.context;
  const providerId = randomUUID();
  const secret = await credentials.seal(directorySecret, groupProviderSecretRow(providerId));
  const named = { id: providerId, key: "hr", name: "HR", enabled: true } as const;
  const at = new Date();
  await store.groupProviders.save({ ...named, type: "directory", url: directory.url, secret }, at);
  const rules = {
    staff: ["authz:login", "contracts:read"],
    legal: ["contracts:write"],
    it: ["authz:administer"],
  };
  for (const [key, scopes] of Object.entries(rules)) {
    for (const scope of scopes)
      await store.assignments.insertMissing({ id: randomUUID(), group: { providerId, key }, scope }, at);
  }
  directory.groups.set(bruno, ["staff", "it"]);
  await store.resources.save({ ...system.resource, skillDiscovery: true }, at);
  const skill = { title: "Read", requiredScopes: ["contracts:read"], content: "# Read" };
  const items = [{ id: "read", visibility: "HIDDEN_IF_UNALLOWED" as const, ...skill }];
  await store.skillCatalogs.saveSuccess({ resourceId: system.resource.id, items, at, refreshAt: at });
}

const stopSystem = () => Promise.all([system.close(), directory.close()]);

function pass(seconds: number): void {
  offset += seconds * 1000;
  system.advance(seconds);
}

function beginOutage(): void {
  directory.answer = (response) => void response.writeHead(500).end();
  pass(cacheSeconds);
}

function endOutage(): void {
  if (directory.answer === undefined) return;
  directory.answer = undefined;
  pass(pauseSeconds);
}

const redeem = (code: string) => device.token(device.codeParameters(code));

const exchange = (type: string, token: string | undefined, scope?: string) =>
  device.token({ ...exchangeForm(token, system.resource, type), client_id: "authz-cli", scope });

/** A device whose person has just allowed it. */
async function allowedDevice(person: string): Promise<string> {
  const form = { client_id: "authz-cli", scope: allScopes };
  const { body } = await device.post("/api/oauth/device_authorization", form);
  const browser = createBrowser();
  const page = await signIn(browser, body["verification_uri_complete"] ?? "", person);
  const userCode = /name="user_code" value="([^"]*)"/.exec(page.html)?.[1] ?? "";
  const consent = await browser.submit(readForm(page), { user_code: userCode });
  await browser.submit(readForm(consent), { decision: "allow" });
  return body["device_code"] ?? "";
}

const login = (person: string) => device.signIn({}, createBrowser(), person);

/** What somebody presents, and how: each is prepared while the directory answers. */
const grants: readonly { name: string; prepare: (person: string) => Promise<() => Promise<Answer>> }[] = [
  {
    name: "an authorization code",
    prepare: async (person) => {
      const code = await device.authorize({}, createBrowser(), person);
      return () => redeem(code);
    },
  },
  {
    name: "a refresh token",
    prepare: async (person) => {
      const { refresh_token: token = "" } = await login(person);
      return () => device.refresh(token);
    },
  },
  {
    name: "a device code",
    prepare: async (person) => {
      const code = await allowedDevice(person);
      return () => device.token({ grant_type: deviceGrant, client_id: "authz-cli", device_code: code });
    },
  },
  ...["refresh_token", "access_token", "id_token"].map((type) => ({
    name: `an exchange of the type ${type}`,
    prepare: async (person: string) => {
      const tokens = await login(person);
      return () => exchange(type, tokens[type]);
    },
  })),
];

describe("while the directory is away, at the token endpoint", () => {
  beforeAll(startSystem);
  afterEach(endOutage);
  afterAll(stopSystem);

  test.each(grants)("$name is neither refused nor used up", async ({ prepare }) => {
    const present = await prepare("bruno");
    beginOutage();
    for (const _ of [1, 2]) {
      const { status, headers, body } = await present();
      expect([status, body["error"]]).toEqual([503, "temporarily_unavailable"]);
      expect(headers.get("retry-after")).toBe(String(pauseSeconds));
      expect(body["error_description"]).toContain("is not answering");
    }
    expect((await system.audit("token.refused")).at(-1)).toMatchObject({
      outcome: "failed",
      data: { error: "temporarily_unavailable", reason: "scope_directory_unavailable" },
    });
    endOutage();
    expect((await present()).status).toBe(200);
  });

  test.each(grants)("$name of a person who needs no directory is accepted", async ({ prepare }) => {
    const present = await prepare("ada");
    beginOutage();
    expect((await present()).status).toBe(200);
  });

  test("a scope that no directory could give is missing, and one that it might give is not", async () => {
    const { refresh_token: token } = await login("ada");
    beginOutage();
    const open = await exchange("refresh_token", token, "contracts:read contracts:write");
    expect([open.status, open.body["error"]]).toEqual([503, "temporarily_unavailable"]);
    const missing = await exchange("refresh_token", token, "contracts:write invoices:read");
    expect([missing.status, missing.body["error"]]).toEqual([400, "invalid_scope"]);
    expect(missing.body["error_description"]).not.toContain("contracts:write");
    expect((await exchange("refresh_token", token)).body["scope"]).toBe("contracts:read");
  });
});

describe("while the directory is away", () => {
  beforeAll(startSystem);
  afterEach(endOutage);
  afterAll(stopSystem);

  test.each(["", "/resources", "/explanation?resource=contracts", "/skills", "/connections"])(
    "/api/me%s says so",
    async (path) => {
      const { access_token: token = "" } = await login("bruno");
      beginOutage();
      const { status, headers, body } = await get(`/api/me${path}`, token);
      expect([status, body["error"]]).toEqual([503, "temporarily_unavailable"]);
      expect(headers.get("retry-after")).toBe(String(pauseSeconds));
      expect(headers.get("www-authenticate")).toBeNull();
      endOutage();
      expect((await get(`/api/me${path}`, token)).status).toBe(200);
    },
  );

  test("nothing that it might give is called missing, beside what the address gives", async () => {
    const { access_token: token = "" } = await login("ada");
    const path = "/api/me/explanation?resource=contracts&scope=contracts:read&scope=contracts:write";
    beginOutage();
    expect((await get(path, token)).body).toMatchObject({
      granted: [{ scope: "contracts:read" }],
      missing: [{ scope: "contracts:write", reason: "directory_unavailable" }],
    });
    const { items } = (await get("/api/me/resources", token)).body as unknown as { items: unknown[] };
    expect(items).toMatchObject([
      { grantedScopes: ["contracts:read"], undecidedScopes: ["contracts:write"] },
    ]);
    const { status, headers } = await get("/api/me/skills/contracts.unknown", token);
    expect([status, headers.get("retry-after")]).toEqual([404, null]);
  });

  test("a skill that it might show is not gone", async () => {
    const { store } = system.server.context;
    await store.assignments.insertMissing(
      { id: randomUUID(), email: bruno, scope: "authz:login" },
      new Date(),
    );
    const { access_token: token = "" } = await login("bruno");
    expect((await get("/api/me/skills/contracts.read", token)).status).toBe(200);
    beginOutage();
    expect((await get("/api/me/skills/contracts.read", token)).status).toBe(503);
    await system.database.query("DELETE FROM assignments WHERE email = $1", [bruno]);
  });

  test("the consent page says so, and the request stays open", async () => {
    const browser = createBrowser();
    const consent = await signIn(browser, device.authorizeUrl(), "bruno");
    const form = readForm(consent);
    beginOutage();
    const asked = await browser.open(consent.url);
    expect([asked.status, asked.html]).toEqual([
      503,
      expect.stringContaining("The directory that knows your groups is not answering"),
    ]);
    expect((await browser.submit(form, { decision: "allow" })).status).toBe(503);
    endOutage();
    const { url } = await browser.submit(readForm(await browser.open(consent.url)), { decision: "allow" });
    expect((await redeem(url.searchParams.get("code") ?? "")).status).toBe(200);
  });

  test("a client that asks without any page hears nothing about it", async () => {
    const browser = createBrowser();
    await signIn(browser, `${system.issuer}/sign-in`, "bruno");
    beginOutage();
    const { url } = await browser.open(device.authorizeUrl({ prompt: "none" }));
    expect(url.searchParams.get("error")).toBe("consent_required");
    expect((await system.audit("authorization.refused")).at(-1)).toMatchObject({
      outcome: "denied",
      data: { reason: "prompt_none" },
    });
  });

  test("an administrator by a group is not told that the permission is missing", async () => {
    const browser = createBrowser();
    await signIn(browser, `${system.issuer}/sign-in`, "bruno");
    beginOutage();
    const api = await browser.open(`${system.issuer}/api/admin/v1/session`);
    expect([api.status, JSON.parse(api.html)]).toMatchObject([503, { error: "temporarily_unavailable" }]);
    expect((await browser.open(`${system.issuer}/admin`)).status).toBe(503);
    endOutage();
    expect((await browser.open(`${system.issuer}/api/admin/v1/session`)).status).toBe(200);
  });
});

async function get(path: string, accessToken: string): Promise<Answer> {
  const url = `${system.issuer}${path}`;
  const [address = ""] = url.split("?");
  const dpop = device.signer.sign({ method: "GET", url: address, accessToken });
  const response = await fetch(url, { headers: { authorization: `DPoP ${accessToken}`, dpop } });
  const body = (await response.json()) as Record<string, string>;
  return { status: response.status, headers: response.headers, body };
}
