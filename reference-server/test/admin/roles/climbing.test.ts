import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SignedInPerson } from "../../support/admin.js";
import { createRoleInstallation, type RoleInstallation } from "./installation.js";

let installation: RoleInstallation;
/** What the rows of the table name. */
const ids: Record<string, string> = {};

beforeAll(async () => {
  installation = await createRoleInstallation();
  const { server, owner, support, auditor, person, assign, requestAccess } = installation;
  ids["ada"] = server.ada.user.id;
  ids["support"] = support.user.id;
  ids["auditor"] = auditor.user.id;
  ids["owner"] = owner.user.id;
  ids["adaSession"] = server.ada.session.id;
  ids["ownerSession"] = owner.session.id;
  ids["paulSession"] = person.session.id;
  ids["ownerRequest"] = await requestAccess(owner, ["contracts:write"]);
  ids["sharedRequest"] = await requestAccess(person, ["contracts:read", "shared:read"]);
  ids["ownAssignment"] = await assign("olga@acme.example", "contracts:read");
  ids["sharedAssignment"] = await assign("paul@acme.example", "shared:read");
  ids["foreignAssignment"] = await assign("paul@acme.example", "invoices:read");
  const { user: dora } = await server.signIn("Dora");
  ids["dora"] = dora.id;
  await server.request("PATCH", `/users/${dora.id}`, { body: { enabled: false }, version: 2 });
  const proposal = await server.request("POST", "/proposals", {
    body: { action: "create", skill: skillFor(["contracts:read"]) },
    as: owner,
  });
  ids["ownProposal"] = String(proposal.body["id"]);
  const skill = { ...skillFor(["invoices:read"]), id: "paying" };
  await server.request("POST", "/skills", { body: skill });
});
afterAll(() => installation.server.close());

function skillFor(requiredScopes: readonly string[]) {
  return { id: "reviewing", title: "Reviewing", requiredScopes, content: "# Reviewing" };
}

interface Climb {
  readonly name: string;
  readonly as: "auditor" | "owner" | "support";
  readonly method: string;
  /** `:name` is an id. */
  readonly path: string;
  readonly body?: unknown;
  readonly version?: number;
  readonly refused: readonly [status: number, code: string];
}

const forbidden = [403, "forbidden"] as const;
const notFound = [404, "not_found"] as const;
const give = (change: object) => ({ email: "paul@acme.example", scope: "contracts:read", ...change });

const climbs: readonly Climb[] = [
  // Owners, to themselves.
  {
    name: "an owner gives a scope of their service to themselves",
    as: "owner",
    method: "POST",
    path: "/assignments",
    body: give({ email: "olga@acme.example", scope: "contracts:write" }),
    refused: forbidden,
  },
  {
    name: "an owner spells their own address differently",
    as: "owner",
    method: "POST",
    path: "/assignments",
    body: give({ email: "OLGA@Acme.example", scope: "contracts:write" }),
    refused: forbidden,
  },
  {
    name: "an owner gives it to a group that they are in",
    as: "owner",
    method: "POST",
    path: "/assignments",
    body: { group: { provider: "acme-groups", key: "legal" }, scope: "contracts:write" },
    refused: forbidden,
  },
  {
    name: "an owner hides themselves among others",
    as: "owner",
    method: "POST",
    path: "/assignments/bulk",
    body: { create: [give({}), give({ email: "olga@acme.example" })], remove: [] },
    refused: forbidden,
  },
  {
    name: "an owner makes their own permission last longer",
    as: "owner",
    method: "POST",
    path: "/assignments/bulk",
    body: { create: [give({ email: "olga@acme.example" })], remove: [":ownAssignment"] },
    refused: forbidden,
  },
  {
    name: "an owner approves their own request",
    as: "owner",
    method: "POST",
    path: "/access-requests/:ownerRequest/approvals",
    body: {},
    version: 1,
    refused: forbidden,
  },
  {
    name: "an owner approves their own proposal",
    as: "owner",
    method: "POST",
    path: "/proposals/:ownProposal/approvals",
    version: 1,
    refused: forbidden,
  },
  // Owners, beyond their objects.
  {
    name: "an owner gives the right to administer",
    as: "owner",
    method: "POST",
    path: "/assignments",
    body: give({ scope: "authz:administer" }),
    refused: forbidden,
  },
  {
    name: "an owner gives the right to sign in",
    as: "owner",
    method: "POST",
    path: "/assignments",
    body: give({ scope: "authz:login" }),
    refused: forbidden,
  },
  {
    name: "an owner gives a scope that another service knows, too",
    as: "owner",
    method: "POST",
    path: "/assignments",
    body: give({ scope: "shared:read" }),
    refused: forbidden,
  },
  {
    name: "an owner gives a scope of another service",
    as: "owner",
    method: "POST",
    path: "/assignments",
    body: give({ scope: "invoices:read" }),
    refused: forbidden,
  },
  {
    name: "an owner approves a request that includes a shared scope",
    as: "owner",
    method: "POST",
    path: "/access-requests/:sharedRequest/approvals",
    body: {},
    version: 1,
    refused: forbidden,
  },
  {
    name: "an owner takes a shared scope away",
    as: "owner",
    method: "DELETE",
    path: "/assignments/:sharedAssignment",
    version: 1,
    refused: forbidden,
  },
  {
    name: "an owner looks at an assignment of another service",
    as: "owner",
    method: "GET",
    path: "/assignments/:foreignAssignment",
    refused: notFound,
  },
  {
    name: "an owner adds an owner",
    as: "owner",
    method: "PATCH",
    path: "/resources/contracts",
    body: { owners: [{ email: "olga@acme.example" }, { email: "paul@acme.example" }] },
    version: 1,
    refused: forbidden,
  },
  {
    name: "an owner moves the address of their service",
    as: "owner",
    method: "PATCH",
    path: "/resources/contracts",
    body: { requestPrefixes: ["https://evil.example"] },
    version: 1,
    refused: forbidden,
  },
  {
    name: "an owner adds a scope to their service",
    as: "owner",
    method: "PATCH",
    path: "/resources/contracts",
    body: { supportedScopes: ["invoices:read"] },
    version: 1,
    refused: forbidden,
  },
  {
    name: "an owner edits a skill without a second person",
    as: "owner",
    method: "POST",
    path: "/skills",
    body: skillFor(["contracts:read"]),
    refused: forbidden,
  },
  {
    name: "an owner proposes a skill for everybody",
    as: "owner",
    method: "POST",
    path: "/proposals",
    body: { action: "create", skill: { ...skillFor([]), id: "everybody" } },
    refused: [400, "invalid_request"],
  },
  {
    name: "an owner proposes a skill for what others decide about",
    as: "owner",
    method: "POST",
    path: "/proposals",
    body: { action: "create", skill: { ...skillFor(["contracts:read", "shared:read"]), id: "shared" } },
    refused: forbidden,
  },
  {
    name: "an owner proposes to change a skill of others",
    as: "owner",
    method: "POST",
    path: "/proposals",
    body: { action: "change", id: "paying", version: 1, change: { requiredScopes: ["contracts:read"] } },
    refused: notFound,
  },
  {
    name: "an owner reads what else somebody may do",
    as: "owner",
    method: "GET",
    path: "/explain?email=paul@acme.example&resource=invoices",
    refused: notFound,
  },
  {
    name: "an owner reads about people",
    as: "owner",
    method: "GET",
    path: "/users",
    refused: forbidden,
  },
  // Support.
  {
    name: "support disables an administrator",
    as: "support",
    method: "PATCH",
    path: "/users/:ada",
    body: { enabled: false },
    version: 1,
    refused: forbidden,
  },
  {
    name: "support disables an auditor",
    as: "support",
    method: "PATCH",
    path: "/users/:auditor",
    body: { enabled: false },
    version: 1,
    refused: forbidden,
  },
  {
    name: "support disables an owner",
    as: "support",
    method: "PATCH",
    path: "/users/:owner",
    body: { enabled: false },
    version: 1,
    refused: forbidden,
  },
  {
    name: "support disables themselves",
    as: "support",
    method: "PATCH",
    path: "/users/:support",
    body: { enabled: false },
    version: 1,
    refused: forbidden,
  },
  {
    name: "support enables somebody whom an administrator disabled",
    as: "support",
    method: "PATCH",
    path: "/users/:dora",
    body: { enabled: true },
    version: 3,
    refused: forbidden,
  },
  {
    name: "support signs an administrator out",
    as: "support",
    method: "POST",
    path: "/users/:ada/sign-outs",
    refused: forbidden,
  },
  {
    name: "support ends an administrator's session",
    as: "support",
    method: "DELETE",
    path: "/sessions/:adaSession",
    refused: forbidden,
  },
  {
    name: "support hides an owner's session among others",
    as: "support",
    method: "POST",
    path: "/sessions/revocations",
    body: { ids: [":paulSession", ":ownerSession"] },
    refused: forbidden,
  },
  {
    name: "support gives a scope",
    as: "support",
    method: "POST",
    path: "/assignments",
    body: give({}),
    refused: forbidden,
  },
  // Auditors.
  {
    name: "an auditor gives themselves the right to administer",
    as: "auditor",
    method: "POST",
    path: "/assignments",
    body: give({ email: "ingo@acme.example", scope: "authz:administer" }),
    refused: forbidden,
  },
  {
    name: "an auditor edits the group that gives a role",
    as: "auditor",
    method: "PATCH",
    path: "/group-providers/acme-groups",
    body: { enabled: false },
    version: 1,
    refused: forbidden,
  },
  {
    name: "an auditor replaces the sign-in provider",
    as: "auditor",
    method: "PATCH",
    path: "/identity-providers/acme",
    body: { issuer: "https://evil.example" },
    version: 1,
    refused: forbidden,
  },
  {
    name: "an auditor deletes the audit trail",
    as: "auditor",
    method: "DELETE",
    path: "/audit-events/1",
    refused: notFound,
  },
  {
    name: "an auditor shortens how long the trail is kept",
    as: "auditor",
    method: "PATCH",
    path: "/settings",
    body: { auditRetentionDays: 1 },
    version: 1,
    refused: forbidden,
  },
];

/** Replaces `:name` by an id, everywhere. */
function fill<T>(value: T): T {
  const text = JSON.stringify(value).replaceAll(
    /:([a-zA-Z]+)(?=["/])/g,
    (whole, name: string) => ids[name] ?? whole,
  );
  return JSON.parse(text) as T;
}

async function fingerprint(): Promise<unknown> {
  const tables = [
    "assignments",
    "owners",
    "users",
    "resources",
    "skills",
    "proposals",
    "settings",
    "browser_sessions",
  ];
  return await Promise.all(
    tables.map((table) => installation.server.database.query(`SELECT * FROM ${table} ORDER BY 1, 2`)),
  );
}

describe("no way leads up", () => {
  test("and everything that the table names is there", async () => {
    const { server } = installation;
    expect(Object.values(ids)).toHaveLength(14);
    expect((await server.request("GET", `/proposals/${ids["ownProposal"]}`)).status).toBe(200);
    expect((await server.request("GET", "/skills/paying")).status).toBe(200);
  });

  test.each(climbs)("when $name", async ({ as, method, path, body, version, refused }) => {
    const { server } = installation;
    const before = await fingerprint();
    const answer = await server.request(method, fill(path), {
      as: installation[as],
      ...(body !== undefined && { body: fill(body) }),
      ...(version !== undefined && { version }),
    });
    expect([answer.status, answer.body["error"]]).toEqual(refused);
    expect(await fingerprint()).toEqual(before);
  });

  test("for an owner of more than one service that share a scope: it is decidable when both are theirs", async () => {
    const { server, owner } = installation;
    const [invoices] = await server.database.query<{ id: string }>(
      "SELECT id FROM resources WHERE key = 'invoices'",
    );
    const object = { kind: "service", id: invoices?.id ?? "" } as const;
    await server.context.store.owners.save(object, [{ email: "olga@acme.example", group: null }]);
    const body = give({ email: "kim@acme.example", scope: "shared:read" });
    expect((await server.request("POST", "/assignments", { body, as: owner })).status).toBe(201);
    await server.context.store.owners.save(object, []);
    const again = give({ email: "kai@acme.example", scope: "shared:read" });
    expect((await server.request("POST", "/assignments", { body: again, as: owner })).status).toBe(403);
  });
});

describe("what a role may do works", () => {
  test("an owner gives, takes and approves for others, and it is in their part of the trail", async () => {
    const { server, owner, requestAccess } = installation;
    const kim = await server.signIn("Kim");
    const given = await server.request("POST", "/assignments", {
      body: give({ email: "kim@acme.example" }),
      as: owner,
    });
    expect(given).toMatchObject({ status: 201, body: { decidable: true } });
    const path = `/assignments/${String(given.body["id"])}`;
    expect((await server.request("DELETE", path, { version: 1, as: owner })).status).toBe(204);
    const request = await requestAccess(kim, ["contracts:write"]);
    const approved = await server.request("POST", `/access-requests/${request}/approvals`, {
      body: {},
      version: 1,
      as: owner,
    });
    expect(approved).toMatchObject({ status: 200, body: { state: "approved" } });
    const trail = await server.request("GET", "/audit-events?limit=200", { as: owner });
    const types = (trail.body["items"] as { type: string; data: Record<string, unknown> }[]).map(
      ({ type }) => type,
    );
    expect(types).toEqual(
      expect.arrayContaining(["assignment.created", "assignment.removed", "access.approved"]),
    );
    expect(JSON.stringify(trail.body)).not.toMatch(/invoices|session\./);
  });

  test("an owner loses it with the entry, in the request that is under way", async () => {
    const { server, secondOwner, service } = installation;
    const { store } = server.context;
    const of = (email: string) => ({ email, group: null });
    await store.owners.save({ kind: "service", id: service.id }, [of("olga@acme.example")]);
    const answer = await server.request("POST", "/assignments", { body: give({}), as: secondOwner });
    expect([answer.status, answer.body["error"]]).toEqual([403, "access_denied"]);
    await store.owners.save({ kind: "service", id: service.id }, [
      of("olga@acme.example"),
      of("otto@acme.example"),
    ]);
  });

  test("support disables a person without a role, and enables them again", async () => {
    const { server, support } = installation;
    const { user } = await server.signIn("Lea");
    const path = `/users/${user.id}`;
    const change = (enabled: boolean, version: number, as: SignedInPerson) =>
      server.request("PATCH", path, { body: { enabled }, version, as });
    const disabled = await change(false, 2, support);
    expect(disabled).toMatchObject({
      status: 200,
      body: { enabled: false, disabledBy: "support", changeable: true },
    });
    const version = Number(disabled.body["version"]);
    const enabled = await change(true, version, support);
    expect(enabled).toMatchObject({ status: 200, body: { enabled: true, disabledBy: null } });
    const again = await change(false, version + 1, support);
    expect(again.status).toBe(200);
    // An administrator takes it over.
    const taken = await change(false, Number(again.body["version"]), server.ada);
    expect(taken).toMatchObject({ status: 200, body: { disabledBy: "administrator" } });
    expect((await change(true, Number(taken.body["version"]), support)).status).toBe(403);
  });

  test("a proposal that changes after it was looked at is not approved", async () => {
    const { server, owner, secondOwner } = installation;
    const propose = (title: string) =>
      server.request("POST", "/proposals", {
        body: { action: "create", skill: { ...skillFor(["contracts:read"]), id: "looking", title } },
        as: owner,
      });
    const first = await propose("Harmless");
    const path = `/proposals/${String(first.body["id"])}`;
    const second = await propose("Harmful");
    expect(second.body).toMatchObject({ id: first.body["id"], version: Number(first.body["version"]) + 1 });
    const approve = (version: number) =>
      server.request("POST", `${path}/approvals`, { version, as: secondOwner });
    expect((await approve(Number(first.body["version"]))).status).toBe(412);
    expect((await server.request("GET", "/skills/looking", { as: owner })).status).toBe(404);
    expect((await approve(Number(second.body["version"]))).status).toBe(204);
    expect((await server.request("GET", "/skills/looking", { as: owner })).body["title"]).toBe("Harmful");
    expect((await approve(Number(second.body["version"]))).status).toBe(404);
    expect((await server.audit("proposal.approved")).at(-1)).toMatchObject({
      actor_id: secondOwner.user.id,
      data: { skill: "looking", action: "create" },
    });
  });

  test("a proposal for a skill that has changed since is not approved", async () => {
    const { server, owner, secondOwner } = installation;
    const { body } = await server.request("GET", "/skills/looking");
    const proposed = await server.request("POST", "/proposals", {
      body: { action: "remove", id: "looking", version: body["version"] },
      as: owner,
    });
    expect(proposed.status).toBe(201);
    const changed = { body: { title: "Changed" }, version: Number(body["version"]) };
    expect((await server.request("PATCH", "/skills/looking", changed)).status).toBe(200);
    const path = `/proposals/${String(proposed.body["id"])}`;
    const version = Number(proposed.body["version"]);
    expect((await server.request("GET", path, { as: secondOwner })).body).toMatchObject({ outdated: true });
    const answer = await server.request("POST", `${path}/approvals`, { version, as: secondOwner });
    expect([answer.status, answer.body["error"]]).toEqual([412, "version_conflict"]);
    const withdrawn = await server.request("DELETE", path, { version, as: secondOwner });
    expect(withdrawn.status).toBe(404);
    expect((await server.request("DELETE", path, { version, as: owner })).status).toBe(204);
  });

  test("a group of a provider that gives a role is flagged, and its members have the role", async () => {
    const { server } = installation;
    const groupProvider = await server.context.store.groupProviders.findByKey("acme-groups");
    const group = { providerId: groupProvider?.id ?? "", key: "auditors" };
    await server.context.store.assignments.insertMissing(
      { id: randomUUID(), group, scope: "authz:audit" },
      new Date(server.clock()),
    );
    const { body } = await server.request("GET", "/group-providers/acme-groups");
    expect(body["roleScopes"]).toEqual(["authz:audit"]);
    const nora = await server.signIn("Nora");
    expect((await server.request("GET", "/settings", { as: nora })).status).toBe(403);
    const at = new Date(server.clock());
    const expiresAt = new Date(at.getTime() + 365 * 24 * 3_600_000);
    await server.context.store.userGroups.replace({
      userId: nora.user.id,
      providerId: server.providerId,
      groups: ["auditors"],
      unavailable: false,
      signedInAt: at,
      expiresAt,
    });
    expect((await server.request("GET", "/settings", { as: nora })).status).toBe(200);
    const susi = installation.support;
    const change = { body: { enabled: false }, version: 2, as: susi };
    expect((await server.request("PATCH", `/users/${nora.user.id}`, change)).status).toBe(403);
  });

  test("groups that a provider did not name count as if they gave a role, and as if the owner were in them", async () => {
    const { server, owner, support } = installation;
    const at = new Date(server.clock());
    const expiresAt = new Date(at.getTime() + 365 * 24 * 3_600_000);
    const replace = (userId: string, unavailable: boolean) =>
      server.context.store.userGroups.replace({
        userId,
        providerId: server.providerId,
        groups: [],
        unavailable,
        signedInAt: at,
        expiresAt,
      });
    const { user } = await server.signIn("Otis");
    const disable = () =>
      server.request("PATCH", `/users/${user.id}?preview=true`, {
        body: { enabled: false },
        version: 2,
        as: support,
      });
    expect((await disable()).status).toBe(200);
    await replace(user.id, true);
    expect((await disable()).status).toBe(403);
    const group = { provider: "acme-groups", key: "others" };
    const giving = () =>
      server.request("POST", "/assignments?preview=true", {
        body: { group, scope: "contracts:read" },
        as: owner,
      });
    expect((await giving()).status).toBe(200);
    await replace(owner.user.id, true);
    expect(await giving()).toMatchObject({ status: 403, body: { error: "forbidden" } });
  });
});
