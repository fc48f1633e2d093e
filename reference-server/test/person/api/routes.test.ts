import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ApiClient } from "../../support/api-client.js";
import { type OauthServer, startOauthServer } from "../../support/oauth-server.js";
import {
  catalogSkill,
  picture,
  pictureEntry,
  publishSkills,
  text,
  textEntry,
} from "../../support/skill-catalog.js";

const skill = (id: string, scope: string, changes: Parameters<typeof catalogSkill>[2] = {}) =>
  catalogSkill(id, scope, { description: `When to use ${id}`, tags: ["contracts"], ...changes });

let system: OauthServer;
let ada: ApiClient;
beforeAll(async () => {
  system = await startOauthServer();
  const hidden = { visibility: "HIDDEN_IF_UNALLOWED" } as const;
  await publishSkills(system, [
    skill("list", "contracts:read"),
    skill("change", "contracts:write"),
    skill("archive", "contracts:write", { ...hidden, files: [textEntry] }),
    skill("export", "contracts:read", { ...hidden, files: [textEntry, pictureEntry] }),
  ]);
  await system.server.context.store.ownSkills.save(skill("start", "authz:login"), new Date());
  ada = await ApiClient.signIn(system.issuer);
});
afterAll(() => system.close());

const get = (...request: Parameters<ApiClient["get"]>) => ada.get(...request);

const summary = (id: string, scope: string, allowed: boolean) => ({
  id: `contracts.${id}`,
  title: `Title of ${id}`,
  description: `When to use ${id}`,
  tags: ["contracts"],
  requiredScopes: [scope],
  allowed,
  resource: "contracts",
});

describe("a person's client reads", () => {
  test("who the person is", async () => {
    const { status, headers, body } = await get("/api/me");
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(body).toEqual({
      subject: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      email: "ada@acme.example",
      name: expect.any(String) as string,
      installation: { name: "Acme" },
      client: { clientId: "authz-cli" },
    });
  });

  test("what the administrators want agents to know, once they have said it", async () => {
    const { settings } = system.server.context.store;
    await settings.save({ instructions: "Ask before you write." }, new Date());
    expect((await get("/api/me")).body["installation"]).toEqual({
      name: "Acme",
      instructions: "Ask before you write.",
    });
    await settings.save({ instructions: null }, new Date());
  });

  test("the registered resources with supported and granted scopes", async () => {
    expect((await get("/api/me/resources")).body).toEqual({
      items: [
        {
          key: "contracts",
          name: "Contracts",
          resource: "http://127.0.0.1:3101/api",
          authorizationServer: "http://127.0.0.1:3101",
          clientId: "authz-cli",
          requestPrefixes: ["http://127.0.0.1:3101/api"],
          supportedScopes: ["contracts:read", "contracts:write"],
          grantedScopes: ["contracts:read"],
        },
      ],
    });
  });

  test("the skills the person may see, and which of them are allowed", async () => {
    expect((await get("/api/me/skills")).body).toEqual({
      installation: { name: "Acme" },
      items: [
        { ...summary("start", "authz:login", true), id: "installation.start", resource: "installation" },
        summary("list", "contracts:read", true),
        summary("change", "contracts:write", false),
        summary("export", "contracts:read", true),
      ],
    });
  });

  test("one skill with its instructions", async () => {
    expect((await get("/api/me/skills/contracts.list")).body).toEqual({
      ...summary("list", "contracts:read", true),
      content: "# list",
    });
    expect((await get("/api/me/skills/installation.start")).body).toMatchObject({ content: "# start" });
  });

  test.each(["contracts.archive", "contracts.nothing", "nothing.list", "list"])(
    "404 for %s, hidden or not there: the answers are the same",
    async (id) => {
      const { status, body } = await get(`/api/me/skills/${id}`);
      expect(status).toBe(404);
      expect(body["error"]).toBe("not_found");
    },
  );
});

describe("the files of a skill", () => {
  test("are named with the skill, and given byte for byte", async () => {
    expect((await get("/api/me/skills/contracts.export")).body).toMatchObject({
      files: [textEntry, pictureEntry],
    });
    expect((await get("/api/me/skills/contracts.list")).body).not.toHaveProperty("files");
    for (const [path, content] of [
      [textEntry.path, Buffer.from(text)],
      [pictureEntry.path, Buffer.from(picture)],
    ] as const) {
      const answer = await ada.fetch("GET", `/api/me/skills/contracts.export/files/${path}`);
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/octet-stream"]);
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
      expect(answer.headers.get("content-disposition")).toBe("attachment");
      expect(Buffer.from(await answer.arrayBuffer())).toEqual(content);
    }
  });

  test.each([
    "contracts.archive/files/references/errors.md",
    "contracts.nothing/files/references/errors.md",
    "contracts.list/files/references/errors.md",
    "contracts.export/files/references",
    "contracts.export/files/",
    "contracts.export/files/SKILL.md",
    "contracts.export/files/references%2F..%2Freferences%2Ferrors.md",
    "contracts.export/files/references/errors.md%00",
    "contracts.export%00/files/references/errors.md",
    "installation.start/files/a",
    "a/files/b",
  ])("are not at %s: hidden, absent and wrong are the same answer", async (path) => {
    const { status, body } = await get(`/api/me/skills/${path}`);
    expect([status, body]).toEqual([
      404,
      {
        error: "not_found",
        error_description: "There is no skill with this id among those you can see, or no such file in it.",
      },
    ]);
  });

  test("are for people who are signed in", async () => {
    const url = `${system.issuer}/api/me/skills/contracts.export/files/${textEntry.path}`;
    expect((await fetch(url)).status).toBe(401);
  });
});

describe("a person's client explains a permission", () => {
  const explain = async (query: string) => await get(`/api/me/explanation?${query}`);

  test("with the rule that grants it", async () => {
    expect(await explain("resource=contracts&scope=contracts:read")).toMatchObject({
      status: 200,
      body: {
        resource: { key: "contracts", name: "Contracts" },
        allowed: true,
        granted: [{ scope: "contracts:read", by: [{ type: "email", email: "ada@acme.example" }] }],
        missing: [],
        administrators: { people: [], groups: [] },
      },
    });
  });

  test("with the rules that decide about calls", async () => {
    const { resources } = system.server.context.store;
    const rules = [{ methods: ["DELETE"], ask: "self", say: "Final." }, { default: "allow" }] as const;
    await resources.save({ ...system.resource, rules }, new Date());
    const { body } = await explain("resource=contracts");
    await resources.save(system.resource, new Date());
    expect(body["rules"]).toEqual([{ rule: 1, outcome: "ask", calls: "DELETE", sentence: "Final." }]);
    expect((await explain("resource=contracts")).body).not.toHaveProperty("rules");
  });

  test("with what would grant it, and who can give it: three names at most, no disabled person, no ids", async () => {
    const { store } = system.server.context;
    const at = new Date();
    const identityProvider = await store.identityProviders.findByKey("acme");
    if (identityProvider === undefined) throw new Error("the provider is missing");
    const provider = randomUUID();
    const claim = { type: "claim", identityProviderId: identityProvider.id } as const;
    const named = { key: "groups", name: "Groups of Acme", enabled: true };
    await store.groupProviders.save({ id: provider, ...named, ...claim }, at);
    const rules = [
      { group: { providerId: provider, key: "editors" }, scope: "contracts:write" },
      { group: { providerId: provider, key: "operators" }, scope: "authz:administer" },
      ...["dora", "emil", "frida", "ada"].map((name) => ({
        email: `${name}@acme.example`,
        scope: "authz:administer",
      })),
    ];
    for (const rule of rules) await store.assignments.insertMissing({ id: randomUUID(), ...rule }, at);
    const me = (await get("/api/me")).body;

    const { body } = await explain("resource=contracts");

    expect(body).toEqual({
      resource: { key: "contracts", name: "Contracts" },
      allowed: false,
      requestable: true,
      granted: [{ scope: "contracts:read", by: [{ type: "email", email: "ada@acme.example" }] }],
      missing: [
        {
          scope: "contracts:write",
          reason: "not_assigned",
          wouldBeGrantedBy: [
            { type: "email", email: "ada@acme.example" },
            { type: "group", group: "editors", provider: "Groups of Acme" },
          ],
        },
      ],
      administrators: {
        people: [
          { email: "ada@acme.example", name: me["name"] },
          { email: "dora@acme.example", name: null },
          { email: "emil@acme.example", name: null },
        ],
        groups: [{ group: "operators", provider: "Groups of Acme" }],
      },
    });

    await store.users.setEnabled(String(me["subject"]), false, at);
    const people = await store.assignments.listPeopleByScope("authz:administer", 3);
    await store.users.setEnabled(String(me["subject"]), true, at);
    expect(people.map(({ email }) => email)).toEqual(
      ["dora", "emil", "frida"].map((n) => `${n}@acme.example`),
    );
  });

  test("that the resource does not have, without saying who has it elsewhere", async () => {
    expect((await explain("resource=contracts&scope=authz:administer&scope=x")).body).toMatchObject({
      missing: [
        { scope: "authz:administer", reason: "not_supported", wouldBeGrantedBy: [] },
        { scope: "x", reason: "not_supported", wouldBeGrantedBy: [] },
      ],
    });
  });

  test("not of a resource that is switched off, or not there: the answers are the same", async () => {
    const { store } = system.server.context;
    await store.resources.save({ ...system.resource, enabled: false }, new Date());
    const off = await explain("resource=contracts");
    await store.resources.save({ ...system.resource, enabled: true }, new Date());
    expect(off).toMatchObject({ status: 404, body: (await explain("resource=nothing")).body });
  });

  test.each([
    "",
    "resource=",
    "resource=contracts&resource=other",
    "resource=%00",
    `resource=contracts${"&scope=a".repeat(51)}`,
  ])('not for "%s"', async (query) => {
    expect(await explain(query)).toMatchObject({ status: 400, body: { error: "invalid_request" } });
  });
});

describe("a request is refused", () => {
  test.each([
    { name: "without credentials", changes: { authorization: undefined, dpop: undefined }, error: undefined },
    { name: "without a proof", changes: { dpop: undefined }, error: "invalid_dpop_proof" },
    { name: "with a malformed token", changes: { authorization: "DPoP x" }, error: "invalid_token" },
  ])("$name", async ({ changes, error }) => {
    const { status, headers } = await get("/api/me", changes);
    expect(status).toBe(401);
    const challenge = headers.get("www-authenticate") ?? "";
    expect(challenge).toMatch(/^DPoP algs="ES256"/);
    expect(/error="(\w+)"/.exec(challenge)?.[1]).toBe(error);
  });

  test("when the proof was used before", async () => {
    const { dpop } = ada.credentials("GET", "/api/me");
    expect((await get("/api/me", { dpop })).status).toBe(200);
    expect((await get("/api/me", { dpop })).body["error"]).toBe("invalid_dpop_proof");
  });

  test("as soon as the permission to log in is gone", async () => {
    const { store } = system.server.context;
    const assignments = await store.assignments.listByEmail("ada@acme.example");
    const login = assignments.find(({ scope }) => scope === "authz:login");
    if (login === undefined) throw new Error("the assignment is missing");
    await store.assignments.remove(login.id);

    const { status, headers, body } = await get("/api/me/skills");

    await store.assignments.insertMissing(login, new Date());
    expect(status).toBe(403);
    expect(headers.get("www-authenticate")).toContain('error="insufficient_scope", scope="authz:login"');
    expect(body["error_description"]).toContain("Ask an administrator");
  });

  test("as soon as the person is disabled", async () => {
    const { store } = system.server.context;
    const { subject } = (await get("/api/me")).body;
    await store.users.setEnabled(String(subject), false, new Date());
    const { status } = await get("/api/me");
    await store.users.setEnabled(String(subject), true, new Date());
    expect(status).toBe(401);
  });
});
