import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { applyRegistry } from "../../src/registry/apply/apply-registry.js";
import { parseRegistryFile } from "../../src/registry/apply/registry-file.js";
import { RegistryError } from "../../src/registry/apply/registry-error.js";
import { keepAdministrator, LastAdministratorError } from "../../src/permissions/keep-administrator.js";
import { openStore, type OpenStore } from "../../src/store/store.js";
import { type AdminServer, createAdminServer } from "../support/admin.js";
import { stampEvent } from "../support/stamp.js";

let server: AdminServer;
let other: OpenStore;
beforeAll(async () => {
  server = await createAdminServer();
  other = openStore({ postgresUrl: server.database.url, stampEvent });
});
beforeEach(async () => {
  await server.database.query("DELETE FROM assignments");
  const { store } = server.context;
  const ada = { id: randomUUID(), email: "ada@acme.example", scope: "authz:administer" };
  await store.assignments.insertMissing(ada, new Date(server.clock()));
});
afterAll(async () => {
  await other.close();
  await server.close();
});

async function assignmentOf(name: string): Promise<string> {
  const all = await server.context.store.assignments.listByEmail(`${name}@acme.example`);
  return all.find(({ scope }) => scope === "authz:administer")?.id ?? "";
}

async function administrators(): Promise<number> {
  const [row] = await server.database.query<{ count: number }>(
    "SELECT count(*)::integer AS count FROM assignments WHERE scope_key = 'authz:administer'",
  );
  return row?.count ?? 0;
}

describe("the last administrator", () => {
  test("keeps the permission, by whatever request, and a preview says so", async () => {
    const id = await assignmentOf("ada");
    const one = await server.request("DELETE", `/assignments/${id}`, { version: 1 });
    expect([one.status, one.body["error"]]).toEqual([409, "last_administrator"]);
    expect(one.body["error_description"]).toContain("authz:administer");
    const preview = await server.request("DELETE", `/assignments/${id}?preview=true`, { version: 1 });
    expect(preview.status).toBe(409);
    const bulk = await server.request("POST", "/assignments/bulk", { body: { remove: [id] } });
    expect(bulk.status).toBe(409);
    expect(await administrators()).toBe(1);
  });

  test("may hand over in one request", async () => {
    const body = {
      create: [{ email: "bea@acme.example", scope: "authz:administer" }],
      remove: [await assignmentOf("ada")],
    };
    expect((await server.request("POST", "/assignments/bulk", { body })).status).toBe(200);
    expect((await server.request("GET", "/session")).status).toBe(403);
  });

  test.each([
    { name: "an address that no provider lets in", email: "bea@elsewhere.example" },
    { name: "a person who is disabled", email: "dan@acme.example" },
  ])("cannot hand over to $name", async ({ email }) => {
    const { user } = await server.signIn("Dan");
    await server.context.store.users.setEnabled(user.id, false, new Date(server.clock()));
    const body = { create: [{ email, scope: "authz:administer" }], remove: [await assignmentOf("ada")] };
    const answer = await server.request("POST", "/assignments/bulk", { body });
    expect([answer.status, answer.body["error"]]).toEqual([409, "last_administrator"]);
  });

  test("may leave when somebody has it by a group that a provider named", async () => {
    const { store } = server.context;
    const at = new Date(server.clock());
    const provider = { id: randomUUID(), key: "groups", name: "Groups", enabled: true } as const;
    await store.groupProviders.save(
      { ...provider, type: "claim", identityProviderId: server.providerId },
      at,
    );
    const { user } = await server.signIn("Bea");
    await store.userGroups.replace({
      userId: user.id,
      providerId: server.providerId,
      groups: ["admins"],
      unavailable: false,
      signedInAt: at,
      expiresAt: new Date(at.getTime() + 1000),
    });
    const group = { provider: "groups", key: "admins" };
    await server.request("POST", "/assignments", { body: { group, scope: "authz:administer" } });
    const id = await assignmentOf("ada");
    const preview = () => server.request("DELETE", `/assignments/${id}?preview=true`, { version: 1 });
    expect((await preview()).status).toBe(200);
    server.clock.advance(2);
    expect((await preview()).status).toBe(409);
  });

  test("is not taken away by a registry file", async () => {
    const { store, credentials, connectorVault } = server.context;
    const content = "assignments: [{ email: ada@acme.example, scopes: [authz:login] }]";
    const file = parseRegistryFile(content, {
      allowInsecureLoopback: true,
      issuer: "https://auth.acme.example",
    });
    const at = new Date(server.clock());
    await expect(applyRegistry(file, { store, credentials, connectorVault, at })).rejects.toThrow(
      RegistryError,
    );
    expect(await administrators()).toBe(1);
  });

  test.each([
    { name: "at another issuer", change: "issuer: https://elsewhere.acme.example" },
    { name: "disabled", change: "issuer: https://accounts.acme.example, enabled: false" },
  ])("keeps a way to sign in: the last provider is not $name by a registry file", async ({ change }) => {
    const own = await createAdminServer();
    const { store, credentials, connectorVault } = own.context;
    const provider = (key: string, rest: string) =>
      `{ key: ${key}, name: Acme, clientId: authz, tokenEndpointAuthMethod: none, scopes: [openid, email], ${rest} }`;
    const apply = (...providers: readonly string[]) =>
      applyRegistry(
        parseRegistryFile(`providers: [${providers.join(", ")}]`, {
          allowInsecureLoopback: true,
          issuer: "https://auth.acme.example",
        }),
        { store, credentials, connectorVault, at: new Date(own.clock()) },
      );
    await expect(apply(provider("acme", change))).rejects.toThrow(RegistryError);
    expect((await store.identityProviders.findByKey("acme"))?.issuer).toBe("https://accounts.acme.example");
    expect((await own.request("GET", "/session")).status).toBe(200);

    const added = provider("new", "issuer: https://elsewhere.acme.example");
    expect((await apply(added)).map(({ type }) => type)).toContain("provider.created");
    await expect(
      apply(provider("acme", change), provider("new", "issuer: https://third.example")),
    ).rejects.toThrow(RegistryError);
    const [changed] = await apply(provider("acme", change));
    expect(changed).toMatchObject({ type: "provider.changed", data: { key: "acme" } });
    expect((await own.request("GET", "/session")).status).toBe(401);
    await own.close();
  });

  test("is not missed where there never was one", async () => {
    await server.database.query("DELETE FROM assignments");
    const now = new Date(server.clock());
    const change = server.context.store.transaction((store) =>
      keepAdministrator({ store, now }, () => Promise.resolve("changed")),
    );
    expect(await change).toBe("changed");
  });
});

describe("two processes at once", () => {
  test("do not each take away the other's administrator", async () => {
    await server.signIn("Bea", ["authz:administer"]);
    const now = new Date(server.clock());
    const ids = [await assignmentOf("ada"), await assignmentOf("bea")];
    const stores = [server.context.store, other];
    const outcomes = await Promise.allSettled(
      ids.map(
        async (id, index) =>
          await stores[index]?.transaction((store) =>
            keepAdministrator({ store, now }, () => store.assignments.remove(id)),
          ),
      ),
    );
    const refused = outcomes.filter(
      (outcome) => outcome.status === "rejected" && outcome.reason instanceof LastAdministratorError,
    );
    expect(refused).toHaveLength(1);
    expect(await administrators()).toBe(1);
  });

  test("leave one administrator however many requests remove them all", async () => {
    const names = ["Bea", "Carl", "Dan", "Eve", "Finn", "Gus"];
    await Promise.all(names.map((name) => server.signIn(name, ["authz:administer"])));
    const ids = await Promise.all(names.map((name) => assignmentOf(name.toLowerCase())));
    const machine = await assignmentOf("ada");
    const answers = await Promise.all(
      [...ids, machine].map((id) => server.request("POST", "/assignments/bulk", { body: { remove: [id] } })),
    );
    // Whoever is left is somebody; Ada herself may have lost it in the middle.
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(names.length);
    expect(await administrators()).toBeGreaterThanOrEqual(1);
  });
});
