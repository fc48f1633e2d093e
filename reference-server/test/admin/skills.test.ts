import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AdminServer, createAdminServer } from "../support/admin.js";

let server: AdminServer;
const skill = {
  id: "onboarding",
  title: "First day",
  requiredScopes: ["contracts:read"],
  visibility: "HIDDEN_IF_UNALLOWED",
  content: "# First day\n\nRun `authz whoami`.",
};

beforeAll(async () => {
  server = await createAdminServer();
  const at = new Date(server.clock());
  const { store } = server.context;
  await store.scopes.save({ key: "contracts:read", description: "Read", system: false }, at);
  await server.signIn("Bruno", ["authz:login", "contracts:read"]);
  await server.signIn("Carla", ["contracts:read"]);
  const email = "dora@acme.example";
  for (const scope of ["authz:login", "contracts:read"]) {
    await store.assignments.insertMissing({ id: randomUUID(), email, scope }, at);
  }
});
afterAll(() => server.close());

test("a skill is found by its words, and listed without its text", async () => {
  const created = await server.request("POST", "/skills", { body: skill });
  const { content: _content, ...summary } = created.body;
  const list = await server.request("GET", "/skills?q=FIRST&sort=-updatedAt");
  expect(list.body).toEqual({ items: [summary], nextCursor: null });
  expect((await server.request("GET", "/skills?q=f_rst")).body["items"]).toEqual([]);
});

test("the audience is who can see the skill now, people who never signed in among them", async () => {
  const { body } = await server.request("GET", "/skills/onboarding/audience?limit=1");
  expect(body).toMatchObject({
    people: 2,
    scopes: ["authz:login", "contracts:read"],
    groups: [],
    items: [{ email: "bruno@acme.example", name: "Bruno" }],
  });
  const cursor = String(body["nextCursor"]);
  const next = await server.request("GET", `/skills/onboarding/audience?limit=1&cursor=${cursor}`);
  expect(next.body).toMatchObject({
    items: [{ id: null, email: "dora@acme.example", name: null }],
    nextCursor: null,
  });
  const found = await server.request("GET", "/skills/onboarding/audience?q=brun");
  expect(found.body).toMatchObject({ people: 2, items: [{ email: "bruno@acme.example" }] });
});

test("a preview says who would see the skill, and stores nothing", async () => {
  const preview = await server.request("PATCH", "/skills/onboarding?preview=true", {
    body: { visibility: "DEFAULT" },
    version: 1,
  });
  expect(preview.body).toEqual({
    impact: { gains: [], losses: [], notes: ["3 people could see it; before, it was 2."] },
  });
  const removal = await server.request("DELETE", "/skills/onboarding?preview=true", { version: 1 });
  expect(removal.body).toMatchObject({ impact: { notes: ["2 people would no longer see it."] } });
  expect((await server.request("GET", "/skills/onboarding")).body).toMatchObject({ version: 1 });
});

describe("a skill is refused", () => {
  test.each([
    { name: "without a title", change: { title: " " }, path: "title" },
    { name: "with an id that no address can have", change: { id: "On Boarding" }, path: "id" },
    { name: "with control characters", change: { content: "a\u0007" }, path: "content" },
    {
      name: "with a scope that does not exist",
      change: { requiredScopes: ["a:b"] },
      path: "requiredScopes.0",
    },
    { name: "with a bad tag", change: { tags: ["ok", "two\nlines"] }, path: "tags.1" },
    { name: "with a member that it does not have", change: { owner: "me" }, path: "owner" },
  ])("$name", async ({ change, path }) => {
    const { status, body } = await server.request("POST", "/skills", {
      body: { ...skill, id: "new", ...change },
    });
    expect([status, body["error"]]).toEqual([400, "invalid_request"]);
    expect((body["fields"] as { path: string }[]).map((field) => field.path)).toEqual([path]);
  });

  test("under an id that is taken", async () => {
    const { status, body } = await server.request("POST", "/skills", { body: skill });
    expect([status, body["error"]]).toEqual([409, "already_exists"]);
  });
});

test("a lost race is a conflict that shows the skill as it is now", async () => {
  const change = { title: "Day one", description: "Where to begin" };
  const changed = await server.request("PATCH", "/skills/onboarding", { body: change, version: 1 });
  expect(changed.body).toMatchObject({ ...change, version: 2 });
  const lost = await server.request("PATCH", "/skills/onboarding", { body: { title: "Day 1" }, version: 1 });
  expect([lost.status, lost.body["error"]]).toEqual([412, "version_conflict"]);
  expect(lost.body["current"]).toMatchObject({ title: "Day one", version: 2 });
  expect((await server.audit("skill.changed")).map(({ data }) => data)).toEqual([
    { id: "onboarding", fields: ["title", "description"] },
  ]);
});

test("a change that changes nothing leaves no trace", async () => {
  const { body } = await server.request("PATCH", "/skills/onboarding", { body: { tags: [] }, version: 2 });
  expect(body["version"]).toBe(2);
  expect(await server.audit("skill.changed")).toHaveLength(1);
});

test("a draft is for administrators only until it is published, which a preview announces", async () => {
  const draft = { ...skill, id: "draft", title: "Not yet", published: false };
  const announced = await server.request("POST", "/skills?preview=true", { body: draft });
  expect(announced.body).toMatchObject({
    impact: { notes: ["No agent sees a draft. Once it is published, 2 people could see it."] },
  });
  const created = await server.request("POST", "/skills", { body: draft });
  expect(created.body).toMatchObject({ published: false, version: 1 });
  const { store } = server.context;
  expect([await store.ownSkills.find("draft"), (await store.ownSkills.list()).map(({ id }) => id)]).toEqual([
    undefined,
    ["onboarding"],
  ]);
  const reading = await server.request("GET", "/skills/draft/reading");
  expect(reading.body["text"]).toMatch(/^---\nname: installation-draft\n[\s\S]*Run `authz whoami`\./);
  const publish = { body: { published: true }, version: 1 };
  const preview = await server.request("PATCH", "/skills/draft?preview=true", publish);
  expect(preview.body).toMatchObject({ impact: { notes: ["2 people could see it."] } });
  expect((await server.request("PATCH", "/skills/draft", publish)).body).toMatchObject({ published: true });
  expect(await store.ownSkills.find("draft")).toMatchObject({ title: "Not yet" });
  expect((await server.audit("skill.changed")).at(-1)?.data).toEqual({ id: "draft", fields: ["published"] });
  const back = await server.request("PATCH", "/skills/draft?preview=true", {
    body: { published: false },
    version: 2,
  });
  expect(back.body).toMatchObject({ impact: { notes: ["2 people would no longer see it."] } });
  expect((await server.request("GET", "/skills/none/reading")).status).toBe(404);
});

test("a removed skill is gone", async () => {
  expect((await server.request("DELETE", "/skills/onboarding", { version: 2 })).status).toBe(204);
  expect((await server.request("GET", "/skills/onboarding")).status).toBe(404);
  expect(await server.audit("skill.removed")).toHaveLength(1);
});
