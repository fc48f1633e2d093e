import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { addPerson, type Company, type Member, startCompany } from "./people.js";

let company: Company;
let member: Member;
let count = 0;
beforeAll(async () => {
  company = await startCompany();
});
beforeEach(async () => {
  await company.database.query("UPDATE presences SET asked_at = NULL, refused_at = NULL");
  await company.database.query("DELETE FROM presence_alarms");
  member = await company.join(`person-${(count += 1)}`);
});
afterEach(() => company.idp.disturb(undefined));
afterAll(() => company.close());

const events = async (type: string) =>
  (await company.audit(type)).filter(({ subject }) => subject === member.id).map(({ data }) => data);

describe("a refresh", () => {
  test("does not ask the provider before the interval is over", async () => {
    expect(await company.exchangesDuring(() => member.refresh())).toBe(0);
  });

  test("asks once when it is, and not again", async () => {
    await company.age([member]);
    const exchanges = await company.exchangesDuring(async () => {
      expect((await member.refresh()).status).toBe(200);
      expect((await member.refresh()).status).toBe(200);
    });
    expect(exchanges).toBe(1);
    expect(await company.presenceOf(member)).toMatchObject({
      paused: null,
      reason: null,
      due: false,
      leased: false,
    });
  });

  test("asks with the new refresh token the next time", async () => {
    for (const round of [1, 2, 3]) {
      await company.age([member]);
      expect((await member.refresh()).status, `round ${round}`).toBe(200);
    }
    expect(await company.presenceOf(member)).toMatchObject({ reason: null, hasToken: true });
  });

  test("of somebody who left is refused without ending the sign-in, and a sign-in resumes everything", async () => {
    await company.age([member]);
    company.idp.removePerson(member.name);
    const refused = await member.refresh();
    expect(refused.body).toMatchObject({ error: "access_denied" });
    expect(refused.body["error_description"]).toContain(company.issuer);
    expect(await company.presenceOf(member)).toMatchObject({ paused: "presence_refused" });
    expect(await events("person.paused")).toMatchObject([{ cause: "presence", event: "presence_refused" }]);
    expect(await company.exchangesDuring(() => member.refresh())).toBe(0);
    addPerson(company.idp, member.name);
    await member.signIn();
    expect((await member.refresh()).status).toBe(200);
    await company.age([member]);
    expect((await member.refresh()).status).toBe(200);
  });

  test("of one person at two processes at once makes one exchange", async () => {
    const origin = await company.startSecondInstance();
    const other = await company.join(`person-${(count += 1)}`);
    await company.age([member, other]);
    const exchanges = await company.exchangesDuring(async () => {
      const answers = await Promise.all([
        member.refresh(),
        ...company.instances.map(({ context }) => context.presence.check(member.id, 0)),
        other.refresh(origin),
      ]);
      expect(answers[0].status).toBe(200);
    });
    expect(exchanges).toBe(2);
  });
});

describe("a provider's signal that claims have changed", () => {
  const hasten = () => company.server.context.store.presences.hasten(member.id, new Date());

  test("has the next refresh ask, before the interval is over", async () => {
    expect(await hasten()).toBe(true);
    expect(await company.exchangesDuring(() => member.refresh())).toBe(1);
    expect(await company.presenceOf(member)).toMatchObject({ reason: null, due: false });
  });

  test("changes nothing for a person who cannot be asked about", async () => {
    await company.server.context.store.presences.forget(member.id, new Date());
    expect(await hasten()).toBe(false);
  });
});

describe("the claims of an answer", () => {
  test("take name and address over as a sign-in would, with an event", async () => {
    const email = `renamed-${count}@acme.example`;
    company.idp.setPerson({ id: member.name, name: "Renamed", email });
    await company.age([member]);
    // The permission to use the command line hangs on the address that was theirs.
    expect((await member.refresh()).body).toMatchObject({ error: "invalid_grant" });
    const user = await company.server.context.store.users.find(member.id);
    expect(user).toMatchObject({ name: "Renamed", email });
    expect(await events("presence.identity_changed")).toEqual([
      { provider: "acme", fields: ["email", "name"] },
    ]);
  });

  test.each([
    { name: "another domain", change: { email: "x@elsewhere.example" } },
    { name: "an address that is not verified", change: { emailVerified: false } },
  ])("pause a person with $name, as a sign-in would refuse them", async ({ change }) => {
    const person = { id: member.name, name: "Somebody", email: `${member.name}@acme.example`, ...change };
    company.idp.setPerson(person);
    await company.age([member]);
    expect((await member.refresh()).body).toMatchObject({ error: "access_denied" });
    expect(await company.presenceOf(member)).toMatchObject({ paused: "presence_refused" });
  });

  test("about another account count for nothing, and are no refusal", async () => {
    company.idp.disturb({ kind: "lie", as: "bruno" });
    await company.age([member]);
    expect((await member.refresh()).status).toBe(200);
    expect(await company.presenceOf(member)).toMatchObject({ paused: null, reason: "invalid_response" });
    const user = await company.server.context.store.users.find(member.id);
    expect(user?.email).toBe(`${member.name}@acme.example`);
  });
});

describe("groups", () => {
  beforeAll(async () => {
    const { store } = company.server.context;
    const [provider] = await store.identityProviders.listEnabled();
    if (provider === undefined) throw new Error("There is no provider.");
    const claim = { id: randomUUID(), key: "claims", name: "Claims", enabled: true } as const;
    await store.groupProviders.save({ ...claim, type: "claim", identityProviderId: provider.id }, new Date());
    await store.assignments.insertMissing(
      { id: randomUUID(), group: { providerId: claim.id, key: "sales" }, scope: "contracts:write" },
      new Date(),
    );
    await company.database.query("UPDATE identity_providers SET scopes = scopes || '{groups}'::text[]");
  });
  const groups = async () =>
    await company.database.query("SELECT groups, unavailable FROM user_groups WHERE user_id = $1", [
      member.id,
    ]);

  test("that shrink take their permissions at the next interval", async () => {
    addPerson(company.idp, member.name, ["sales", "staff"]);
    await member.signIn();
    expect(await groups()).toEqual([{ groups: ["sales", "staff"], unavailable: false }]);
    addPerson(company.idp, member.name, ["staff"]);
    await company.age([member]);
    await member.refresh();
    expect(await groups()).toEqual([{ groups: ["staff"], unavailable: false }]);
    expect((await events("groups.changed")).at(-1)).toMatchObject({ added: [], removed: ["sales"] });
  });
});

describe("a provider that is at fault", () => {
  test.each([
    { error: "invalid_client", status: 401, reason: "client_refused" },
    { error: "unauthorized_client", status: 400, reason: "client_refused" },
    { error: "invalid_scope", status: 400, reason: "scope_refused" },
    { error: "temporarily_unavailable", status: 503, reason: "provider_unreachable" },
    { error: "server_error", status: 400, reason: "provider_unreachable" },
  ])(
    "and answers $error pauses nobody, is asked again, and raises an alarm",
    async ({ error, status, reason }) => {
      company.idp.disturb({ kind: "refuse", error, status });
      await company.age([member]);
      expect((await member.refresh()).status).toBe(200);
      expect(await company.presenceOf(member)).toMatchObject({
        paused: null,
        reason,
        hasToken: true,
        due: false,
      });
      expect(await company.server.context.store.presences.listAlarms()).toMatchObject([
        { key: "acme", reason },
      ]);
      expect(await events("presence.unanswered")).toMatchObject([{ provider: "acme", reason }]);
      company.idp.disturb(undefined);
      await company.age([member]);
      await member.refresh();
      expect(await company.presenceOf(member)).toMatchObject({ reason: null });
      expect(await company.server.context.store.presences.listAlarms()).toEqual([]);
    },
  );

  test.each([
    { name: "loses the answer", disturbance: { kind: "lose" } as const },
    {
      name: "answers with status 500",
      disturbance: { kind: "refuse", error: "server_error", status: 500 } as const,
    },
  ])("and $name is never sent the same refresh token again", async ({ disturbance }) => {
    company.idp.disturb(disturbance);
    await company.age([member]);
    expect((await member.refresh()).status).toBe(200);
    expect(await company.presenceOf(member)).toMatchObject({
      paused: null,
      reason: "answer_lost",
      hasToken: false,
    });
    company.idp.disturb(undefined);
    await company.age([member]);
    expect(await company.exchangesDuring(() => member.refresh())).toBe(0);
    await member.signIn();
    expect(await company.presenceOf(member)).toMatchObject({ reason: null, hasToken: true });
  });

  test("after the time of grace pauses people, who go on when it answers", async () => {
    company.idp.disturb({ kind: "refuse", error: "temporarily_unavailable", status: 503 });
    await company.age([member]);
    await member.refresh();
    await company.endGrace([member]);
    expect((await member.refresh()).body).toMatchObject({ error: "access_denied" });
    expect(await company.presenceOf(member)).toMatchObject({ paused: "presence_unanswered", hasToken: true });
    company.idp.disturb(undefined);
    expect(await company.exchangesDuring(() => member.refresh())).toBe(0);
    await company.age([member]);
    expect((await member.refresh()).status).toBe(200);
    expect(await events("person.resumed")).toMatchObject([
      { cause: "presence", event: "presence_unanswered" },
    ]);
  });

  test("and died with a process that held the lease counts as a lost answer", async () => {
    await company.database.query(
      "UPDATE presences SET lease = 'gone', lease_until = now() - interval '1 second', due_at = now() - interval '1 minute' WHERE user_id = $1",
      [member.id],
    );
    expect(await company.exchangesDuring(() => member.refresh())).toBe(0);
    expect(await company.presenceOf(member)).toMatchObject({
      paused: null,
      reason: "answer_lost",
      leased: false,
    });
  });

  test("and answers late is not waited for longer than three seconds, and its answer counts", async () => {
    company.idp.disturb({ kind: "delay" });
    await company.age([member]);
    expect((await member.refresh()).status).toBe(200);
    expect(await company.presenceOf(member)).toMatchObject({ leased: true, due: true });
    company.idp.disturb(undefined);
    await expect
      .poll(() => company.presenceOf(member))
      .toMatchObject({ leased: false, due: false, reason: null });
  });
});

describe("a sign-in that is demanded every day", () => {
  beforeAll(() =>
    company.database.query("UPDATE identity_providers SET presence = 'off', sign_in_every_days = 1"),
  );
  afterAll(() =>
    company.database.query("UPDATE identity_providers SET presence = 'on', sign_in_every_days = NULL"),
  );

  test("pauses a person whose last one is older, without asking, until the next one", async () => {
    await company.database.query(
      "UPDATE presences SET signed_in_at = now() - interval '25 hours', due_at = now() - interval '1 hour' WHERE user_id = $1",
      [member.id],
    );
    const exchanges = await company.exchangesDuring(async () => {
      expect((await member.refresh()).body).toMatchObject({ error: "access_denied" });
    });
    expect(exchanges).toBe(0);
    expect(await company.presenceOf(member)).toMatchObject({ paused: "sign_in_due" });
    await member.signIn();
    expect((await member.refresh()).status).toBe(200);
    expect(await company.presenceOf(member)).toMatchObject({ paused: null, hasToken: false, due: false });
  });
});

// The last one: a sign-in does not know the new key for a minute.
describe("a new signing key", () => {
  test("is accepted at once", async () => {
    await company.idp.rotateKey();
    await company.age([member]);
    expect((await member.refresh()).status).toBe(200);
    expect(await company.presenceOf(member)).toMatchObject({ reason: null, due: false });
  });
});
