import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { groupProviderSecretRow } from "../../../src/platform/vault/rows.js";
import { cacheSeconds } from "../../../src/permissions/groups/directories.js";
import { createBrowser, signIn } from "../../support/device.js";
import { directorySecret, startTestDirectory, type TestDirectory } from "../../support/directory.js";
import { type OauthServer, startOauthServer } from "../../support/oauth-server.js";
import { exchangeForm, type Answer, RawDevice } from "../../support/raw-device.js";

let system: OauthServer;
let directory: TestDirectory;
let claimId: string;
let directoryId: string;
let offset = 0;

beforeAll(async () => {
  system = await startOauthServer();
  directory = await startTestDirectory();
  const { store, credentials } = system.server.context;
  const acme = await store.identityProviders.findByKey("acme");
  if (acme === undefined) throw new Error("The provider is missing.");
  await store.identityProviders.save({ ...acme, scopes: [...acme.scopes, "groups"] }, new Date());
  const named = { enabled: true, name: "Acme groups" };
  claimId = randomUUID();
  const claim = { type: "claim", id: claimId, key: "acme-groups", identityProviderId: acme.id } as const;
  await store.groupProviders.save({ ...named, ...claim }, new Date());
  directoryId = randomUUID();
  const secret = await credentials.seal(directorySecret, groupProviderSecretRow(directoryId));
  const asked = { type: "directory", id: directoryId, key: "hr", url: directory.url, secret } as const;
  await store.groupProviders.save({ ...named, ...asked }, new Date());
});
afterAll(async () => {
  await directory.close();
  await system.close();
});

async function assign(providerId: string, key: string, scope: string): Promise<void> {
  const { store } = system.server.context;
  await store.assignments.insertMissing({ id: randomUUID(), group: { providerId, key }, scope }, new Date());
}

/** Moves all clocks past what a directory's answer is remembered for. */
function passCache(): void {
  offset += cacheSeconds * 1000;
  system.advance(cacheSeconds);
}

async function exchange(device: RawDevice, refreshToken = "", scope?: string): Promise<Answer> {
  return await device
    .at(() => Date.now() + offset)
    .token({ ...exchangeForm(refreshToken, system.resource), client_id: "authz-cli", scope });
}

describe("groups in the claim of an identity provider", () => {
  test("give their scopes, beside those of the address", async () => {
    const device = await RawDevice.create(system.issuer);
    const tokens = await device.signIn();
    const refresh = tokens["refresh_token"];
    expect((await exchange(device, refresh)).body["scope"]).toBe("contracts:read");
    await assign(claimId, "sales", "contracts:write");
    expect((await exchange(device, refresh)).body["scope"]).toBe("contracts:read contracts:write");
  });

  test("are replaced at the next sign-in, which the audit trail shows", async () => {
    const where = "FROM user_groups g JOIN users u ON u.id = g.user_id WHERE u.email = 'ada@acme.example'";
    const stored = () => system.database.query<{ groups: string[] }>(`SELECT g.groups ${where}`);
    await system.database.query("UPDATE user_groups SET groups = '{platform,staff}'");
    const device = await RawDevice.create(system.issuer);
    await device.signIn();
    expect(await stored()).toEqual([{ groups: ["sales"] }]);
    expect((await system.audit("groups.changed")).at(-1)).toMatchObject({
      outcome: "success",
      data: { groupProvider: "acme-groups", added: ["sales"], removed: ["platform", "staff"] },
    });
    const before = (await system.audit("groups.changed")).length;
    await signIn(createBrowser(), `${system.issuer}/sign-in`, "ada");
    expect(await system.audit("groups.changed")).toHaveLength(before);
  });

  const cases: [name: string, change: string, undo: string][] = [
    [
      "the group provider is disabled",
      "UPDATE group_providers SET enabled = false WHERE type = 'claim'",
      "UPDATE group_providers SET enabled = true",
    ],
    [
      "the identity provider is disabled",
      "UPDATE identity_providers SET enabled = false",
      "UPDATE identity_providers SET enabled = true",
    ],
    [
      "the last sign-in is too long ago",
      "UPDATE user_groups SET expires_at = now() - interval '1 second'",
      "UPDATE user_groups SET expires_at = now() + interval '1 day'",
    ],
    [
      "the name differs in case",
      "UPDATE user_groups SET groups = '{Sales}'",
      "UPDATE user_groups SET groups = '{sales}'",
    ],
  ];
  test.each(cases)("give nothing when %s", async (_name, change, undo) => {
    const device = await RawDevice.create(system.issuer);
    const { refresh_token: refresh } = await device.signIn();
    await system.database.query(change);
    expect((await exchange(device, refresh)).body["scope"]).toBe("contracts:read");
    await system.database.query(undo);
    expect((await exchange(device, refresh)).body["scope"]).toBe("contracts:read contracts:write");
  });

  test("are neither asked for nor stored for a provider whose groups do not count", async () => {
    await system.database.query("UPDATE group_providers SET enabled = false WHERE type = 'claim'");
    await signIn(createBrowser(), `${system.issuer}/sign-in`, "ada");
    const [row] = await system.database.query<{ groups: string[] }>("SELECT groups FROM user_groups");
    expect(row?.groups).toEqual([]);
    await system.database.query("UPDATE group_providers SET enabled = true");
  });
});

describe("groups of a directory", () => {
  test("let a person log in who has nothing else, and end with the membership", async () => {
    await assign(directoryId, "staff", "authz:login");
    directory.groups.set("bruno@acme.example", ["staff"]);
    const device = await RawDevice.create(system.issuer);
    const { refresh_token: refresh = "" } = await device.signIn({}, createBrowser(), "bruno");

    directory.groups.set("bruno@acme.example", []);
    passCache();
    const at = device.at(() => Date.now() + offset);
    const refused = await at.refresh(refresh);
    expect(refused).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    expect((await system.audit("token.refused")).at(-1)?.data).toMatchObject({
      reason: "login_permission_missing",
    });

    directory.groups.set("bruno@acme.example", ["staff"]);
    passCache();
    expect((await at.refresh(refresh)).status).toBe(200);
  });

  test("that is away give nothing, and take nothing of the address away", async () => {
    await assign(directoryId, "legal", "contracts:write");
    await system.database.query("UPDATE user_groups SET groups = '{}'");
    directory.groups.set("ada@acme.example", ["legal"]);
    passCache();
    const device = (await RawDevice.create(system.issuer)).at(() => Date.now() + offset);
    const { refresh_token: refresh } = await device.signIn();
    // The sign-in brought the claim back; only the directory is in question here.
    await system.database.query("UPDATE user_groups SET groups = '{}'");
    expect((await exchange(device, refresh)).body["scope"]).toBe("contracts:read contracts:write");

    directory.answer = (response) => void response.writeHead(500).end();
    passCache();
    expect((await exchange(device, refresh)).body["scope"]).toBe("contracts:read");
    const refused = await exchange(device, refresh, "contracts:write");
    expect([refused.status, refused.body["error"]]).toEqual([503, "temporarily_unavailable"]);
    expect((await system.audit("token.refused")).at(-1)?.data).toMatchObject({
      reason: "scope_directory_unavailable",
    });
    directory.answer = undefined;
    passCache();
    expect((await exchange(device, refresh)).body["scope"]).toBe("contracts:read contracts:write");
  });

  test.each<[name: string, change: string, undo: () => Promise<unknown>]>([
    [
      "the assignment is removed",
      "DELETE FROM assignments WHERE group_key = 'legal'",
      () => assign(directoryId, "legal", "contracts:write"),
    ],
    [
      "the directory is disabled",
      "UPDATE group_providers SET enabled = false WHERE type = 'directory'",
      () => system.database.query("UPDATE group_providers SET enabled = true"),
    ],
  ])("count no longer when %s while the directory is being asked", async (_name, change, undo) => {
    const device = (await RawDevice.create(system.issuer)).at(() => Date.now() + offset);
    const { refresh_token: refresh } = await device.signIn();
    await system.database.query("UPDATE user_groups SET groups = '{}'");
    passCache();
    const before = await exchange(device, refresh);
    expect(before.body["scope"]).toBe("contracts:read contracts:write");

    passCache();
    directory.answer = (response) => {
      directory.answer = undefined;
      const answer = JSON.stringify({ groups: ["legal"] });
      void system.database.query(change).then(() => response.end(answer));
    };
    const after = await exchange(device, refresh);
    await undo();
    expect(after.body["scope"]).toBe("contracts:read");
  });

  test("are not asked while no scope is given to any of them", async () => {
    await system.database.query("DELETE FROM assignments WHERE group_provider_id = $1", [directoryId]);
    passCache();
    const before = directory.asked.length;
    const device = (await RawDevice.create(system.issuer)).at(() => Date.now() + offset);
    const { refresh_token: refresh } = await device.signIn();
    expect((await exchange(device, refresh)).status).toBe(200);
    expect(directory.asked).toHaveLength(before);
  });
});
