import { beforeEach, describe, expect, it } from "vitest";
import type { AuthzClient } from "../../src/index.js";
import { expectFailure } from "../support/expect-error.js";
import { forEachTest } from "../support/for-each-test.js";
import { startTestWorld } from "../support/test-world.js";

const listed = {
  id: "contracts.list",
  title: "List contracts",
  tags: [],
  requiredScopes: ["contracts:read"],
  allowed: false,
  resource: "contracts",
};

const world = forEachTest(startTestWorld);
let client: AuthzClient;
beforeEach(async () => {
  client = await world.signedIn();
  world.server.skills.push({
    id: "contracts.list",
    title: "List contracts",
    tags: ["contracts"],
    requiredScopes: ["contracts:read"],
    allowed: true,
    resource: "contracts",
    content: "# List contracts",
  });
});

describe("the person's own data", () => {
  it("are who they are, their services and their skills", async () => {
    expect(await client.me()).toEqual({
      subject: "user-ada",
      email: "ada@acme.example",
      name: "Ada Lovelace",
      installation: { name: "Acme" },
    });
    expect((await client.resources()).map(({ key, grantedScopes }) => [key, grantedScopes])).toEqual([
      ["contracts", ["contracts:read"]],
    ]);
    expect((await client.skills()).map(({ id, allowed }) => [id, allowed])).toEqual([
      ["contracts.list", true],
    ]);
    expect(await client.skill("contracts.list")).toMatchObject({ content: "# List contracts" });
  });

  it("are not kept while a directory cannot say what they include", async () => {
    const [resource] = await client.resources();
    const { undecidedScopes: _, ...answer } = { ...resource, grantedScopes: [] };
    const item = { ...answer, undecidedScopes: ["contracts:read"] };
    world.clock.advance(301);
    const open = { status: 200, body: { items: [item] } };
    world.server.fail("/api/me/resources", open, open);
    const url = `${world.service.origin}/api/contracts`;
    expect(await client.planRequest({ url })).toMatchObject({
      scopes: ["contracts:read"],
      missingScopes: [],
    });
    const asked = world.server.count("/api/me/resources");
    await client.planRequest({ url });
    expect(world.server.count("/api/me/resources")).toBe(asked + 1);
  });

  it("say whose skills may be missing or old, and what the administrators tell agents", async () => {
    expect(await client.skillList()).toMatchObject({
      items: [{ id: "contracts.list" }],
      incomplete: [],
      installation: { name: "Acme", instructions: undefined },
    });
    const fetchedAt = "2026-02-03T04:05:06.000Z";
    world.server.incomplete.push(
      { resource: "contracts", name: "Contracts", state: "stale", fetchedAt },
      { resource: "people", state: "later-than-this-client" },
    );
    world.server.instructions = "Ask it-help.";
    expect(await client.skillList()).toMatchObject({
      incomplete: [
        { resource: "contracts", name: "Contracts", state: "stale", fetchedAt },
        { resource: "people", name: "people", state: "later-than-this-client", fetchedAt: undefined },
      ],
      installation: { name: "Acme", instructions: "Ask it-help." },
    });
    const uncertain = await expectFailure(client.skill("contracts.other"), "unreachable");
    expect([uncertain.reason, uncertain.message]).toEqual([
      "skill_uncertain",
      'It is not known whether there is a skill "contracts.other". The current skills of Contracts could not be fetched (stale).',
    ]);
    await expectFailure(client.skill("other.skill"), "not_found");
  });

  it("are read from a server that says nothing about it, too", async () => {
    world.server.fail("/api/me/skills", { status: 200, body: { items: [listed] } });
    expect(await client.skillList()).toMatchObject({ incomplete: [], installation: undefined });
  });

  it("include no skill that is not there", async () => {
    const error = await expectFailure(client.skill("../resources"), "not_found");
    expect(error.message).toContain('no skill "../resources"');
    expect(world.server.count("/api/me/resources")).toBe(0);
  });

  const known = {
    key: "a",
    name: "A",
    resource: "https://a.example/api",
    authorizationServer: "https://a.example",
    clientId: "a",
    requestPrefixes: ["https://a.example"],
    supportedScopes: [],
    grantedScopes: [],
  };
  const one = "/api/me/skills/contracts.list";
  const obeyed = { ...listed, content: "text", requiredScopes: ["contracts:`id`"] };
  const damaged: [name: string, path: string, member: string, body: unknown][] = [
    ["without a subject", "/api/me", '"subject"', {}],
    ["without an installation", "/api/me", '"installation"', { subject: "a", installation: "Acme" }],
    ["without items", "/api/me/skills", "not a JSON object", []],
    ["with an item that is no object", "/api/me/skills", '"items"', { items: [1] }],
    [
      "with a plain http server elsewhere",
      "/api/me/resources",
      '"authorizationServer"',
      { items: [{ ...known, authorizationServer: "http://a.example" }] },
    ],
    ...["contracts:read;id", "contracts:$(id)", "contracts:{a,b}|sh", "Contracts:read", "contracts"].map(
      (scope): (typeof damaged)[number] => [
        `with a skill that asks for ${scope}`,
        "/api/me/skills",
        '"requiredScopes"',
        { items: [{ ...listed, requiredScopes: ["contracts:read", scope] }] },
      ],
    ),
    ["with one skill that asks for a scope that a shell would obey", one, '"requiredScopes"', obeyed],
    ...["contracts.$(id)", "../contracts", "contracts..list", ".list", "Contracts.list"].map(
      (id): (typeof damaged)[number] => [
        `with a skill called ${id}`,
        "/api/me/skills",
        '"id"',
        { items: [{ ...listed, id }] },
      ],
    ),
    [
      "with a permission that a shell would obey",
      "/api/me/resources",
      '"supportedScopes"',
      { items: [{ ...known, supportedScopes: ["a:b;id"] }] },
    ],
    [
      "with prefixes that are no list",
      "/api/me/resources",
      '"requestPrefixes"',
      { items: [{ ...known, requestPrefixes: "https://a.example" }] },
    ],
  ];
  it.each(damaged)("are refused %s", async (_name, path, member, body) => {
    world.server.fail(path, { status: 200, body });
    const calls: Record<string, () => Promise<unknown>> = {
      "/api/me": () => client.me(),
      "/api/me/skills": () => client.skills(),
      [one]: () => client.skill("contracts.list"),
      "/api/me/resources": () => client.resources(),
    };
    const error = await expectFailure(calls[path]?.() ?? Promise.resolve(), "invalid_answer");
    expect(error.message).toContain(member);
  });

  it("are refused when they are too large", async () => {
    world.server.fail("/api/me", {
      status: 200,
      headers: { "content-type": "application/json" },
      body: `{"subject":"${"a".repeat(3_000_000)}"}`,
    });
    const error = await expectFailure(client.me(), "invalid_answer");
    expect(error.message).toContain("larger than 2097152 bytes");
  });

  it("are not there on a server without this API", async () => {
    world.server.fail("/api/me", { status: 404, body: {} });
    await expectFailure(client.me(), "not_found");
    world.server.fail("/api/me", {
      status: 403,
      headers: { "www-authenticate": 'DPoP algs="ES256", error="insufficient_scope", scope="authz:login"' },
      body: {},
    });
    await expectFailure(client.me(), "sign_in_denied");
    world.server.fail("/api/me", { status: 403, body: {} });
    await expectFailure(client.me(), "refused");
    world.server.fail("/api/me", { status: 503 });
    const error = await expectFailure(client.me(), "unreachable");
    expect(error.message).toContain("503");
  });
});
