import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { endPerson } from "../../../src/lifecycle/end-person.js";
import { presenceRow } from "../../../src/platform/vault/rows.js";
import { type Company, startCompany } from "./people.js";

const names = Array.from({ length: 200 }, (_, index) => `crowd-${index}`);

let company: Company;
let ids: readonly string[];
beforeAll(async () => {
  company = await startCompany();
  await company.startSecondInstance();
  ids = await company.gather(names);
}, 60_000);
afterEach(() => company.idp.disturb(undefined));
afterAll(() => company.close());

const membersOf = (some: readonly string[]) => some.map((id) => ({ id }));

/** The next issuances to each of these people, at both processes at once, until all have an answer. */
async function checkUntilAnswered(some: readonly string[]): Promise<void> {
  const members = some.map((id) => ({ id }));
  await company.age(members);
  for (let round = 0; round < 5; round += 1) {
    await checkEverywhere(some);
    if (!(await areAnyDue(some))) return;
  }
}

async function areAnyDue(some: readonly string[]): Promise<boolean> {
  const due = await company.database.query(
    "SELECT user_id FROM presences WHERE user_id = ANY ($1) AND (due_at <= now() OR lease IS NOT NULL)",
    [some],
  );
  return due.length > 0;
}

/** The next issuance to each of these people, at both processes at once. */
async function checkEverywhere(some: readonly string[]): Promise<void> {
  await Promise.all(
    some.flatMap((id) => company.instances.map(({ context }) => context.presence.check(id, 0))),
  );
}

/** How many of these people are in which state. */
async function countStates(some: readonly string[]): Promise<Record<string, number>> {
  const rows = await company.database.query<{ state: string; people: number }>(
    `SELECT coalesce(u.pause_reason, p.reason, 'confirmed') AS state, count(*)::integer AS people
    FROM users u JOIN presences p ON p.user_id = u.id WHERE u.id = ANY ($1) AND p.lease IS NULL GROUP BY 1`,
    [some],
  );
  return Object.fromEntries(rows.map(({ state, people }) => [state, people]));
}

/** Refusals of more than ten minutes ago count no more. */
const letWavePass = () =>
  company.database.query(
    "UPDATE presences SET refused_at = refused_at - interval '11 minutes', asked_at = asked_at - interval '11 minutes'",
  );

test("200 people who are due at once at two processes are asked about once each", async () => {
  const exchanges = await company.exchangesDuring(() => checkUntilAnswered(ids));
  expect(exchanges).toBe(ids.length);
  expect(await countStates(ids)).toEqual({ confirmed: ids.length });
});

test("a provider that suddenly refuses everyone pauses nobody, and the leavers among them when it recovers", async () => {
  await letWavePass();
  const [leaver = "", ...innocent] = ids.slice(0, 40);
  const everyone = [leaver, ...innocent];
  company.idp.disturb({ kind: "refuse", error: "invalid_grant" });
  await checkUntilAnswered(everyone);
  expect(await countStates(everyone)).toEqual({ refused_wave: 40 });
  const { presences } = company.server.context.store;
  expect(await presences.listAlarms()).toMatchObject([{ key: "acme", reason: "refused_wave" }]);
  expect(await company.audit("presence.alarm_raised")).toMatchObject([
    { outcome: "failed", data: { provider: "acme", reason: "refused_wave" } },
  ]);

  company.idp.disturb(undefined);
  company.idp.removePerson("crowd-0");
  await letWavePass();
  await company.database.query("UPDATE presence_alarms SET last_at = last_at - interval '11 minutes'");
  await checkUntilAnswered(everyone);
  expect(await countStates(innocent)).toEqual({ confirmed: 39 });
  expect(await countStates([leaver])).toEqual({ presence_refused: 1 });
  expect(await presences.listAlarms()).toEqual([]);
});

test("a few refusals pause at once, and are no wave", async () => {
  await letWavePass();
  const leavers = ids.slice(40, 45);
  for (const name of names.slice(40, 45)) company.idp.removePerson(name);
  await checkUntilAnswered(leavers);
  expect(await countStates(leavers)).toEqual({ presence_refused: 5 });
});

test("a provider that refuses everyone for longer than the time of grace pauses them, too", async () => {
  await letWavePass();
  const everyone = ids.slice(50, 70);
  company.idp.disturb({ kind: "refuse", error: "invalid_grant" });
  await checkUntilAnswered(everyone);
  expect(await countStates(everyone)).toEqual({ refused_wave: 20 });
  await company.endGrace(membersOf(everyone));
  await checkEverywhere(everyone);
  // Some exchanges end after their callers have stopped waiting.
  await expect.poll(() => countStates(everyone), { timeout: 10_000 }).toEqual({ presence_unanswered: 20 });
  company.idp.disturb(undefined);
});

test("the refresh token of a person who ends is revoked at the provider", async () => {
  const id = ids[80] ?? "";
  const { store, credentials } = company.server.context;
  const found = await store.presences.find(id);
  if (!found?.refreshToken) throw new Error("There is no refresh token.");
  const token = await credentials.open(found.refreshToken, presenceRow(found));
  const cause = { by: "administrator", user: "bruno" } as const;
  await endPerson(id, cause, { store, actor: { type: "operator" }, at: new Date() });
  expect(await company.presenceOf({ id })).toMatchObject({ hasToken: false });
  await expect
    .poll(async () => (await store.presences.find(id))?.refreshToken, { timeout: 15_000 })
    .toBeNull();
  const use = async () => {
    const response = await fetch(`${company.idp.issuer}/token`, {
      method: "POST",
      headers: { authorization: `Basic ${btoa("authz:dev-idp-secret")}` },
      body: new URLSearchParams({ grant_type: "refresh_token", refresh_token: token }),
    });
    return ((await response.json()) as { readonly error?: string }).error;
  };
  await expect.poll(use).toBe("invalid_grant");
}, 30_000);

test("a provider that hangs is given up, and its answer counts as lost", async () => {
  // After a second.
  const small = await startCompany("presence = 'on'", { timeoutFactor: 0.1 });
  try {
    const [id = ""] = await small.gather(["lone"]);
    small.idp.disturb({ kind: "hang" });
    await small.age([{ id }]);
    const { presence } = small.server.context;
    await presence.check(id, 0);
    expect(await small.presenceOf({ id })).toMatchObject({
      paused: null,
      reason: "answer_lost",
      hasToken: false,
    });
    small.idp.disturb(undefined);
    await small.age([{ id }]);
    expect(await small.exchangesDuring(() => presence.check(id, 0))).toBe(0);
    await small.gather(["lone"]);
    expect(await small.presenceOf({ id })).toMatchObject({ reason: null, hasToken: true });
  } finally {
    await small.close();
  }
});
