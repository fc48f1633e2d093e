import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SignalStream } from "../../src/store/signal-streams.js";
import { receiveSignal } from "../../src/signals/receive-signal.js";
import { caep, risc, type SignalWorld, startSignalWorld } from "../support/signals.js";

let world: SignalWorld;
let stream: SignalStream;
let opaque: SignalStream;
beforeAll(async () => {
  world = await startSignalWorld();
  stream = await world.addStream();
  opaque = await world.addStream({ opaqueSubjects: "sub" });
});
afterAll(() => world.close());

type Person = Awaited<ReturnType<SignalWorld["addPerson"]>>;

/** Each way to name a person. */
const subjects = {
  iss_sub: ({ subject }: Person) => ({ format: "iss_sub", iss: world.transmitter.issuer, sub: subject }),
  email: ({ email }: Person) => ({ format: "email", email: email.toUpperCase() }),
  opaque: ({ subject }: Person) => ({ format: "opaque", id: subject }),
  "complex user": (person: Person) => ({ format: "complex", user: subjects.iss_sub(person) }),
  "complex session": ({ sid }: Person) => ({ format: "complex", session: { format: "opaque", id: sid } }),
  "complex user and session": (person: Person) => ({
    ...subjects["complex user"](person),
    session: { format: "opaque", id: person.sid },
    tenant: { format: "opaque", id: "acme" },
  }),
} as const;
type SubjectFormat = keyof typeof subjects;
const formats = Object.keys(subjects) as SubjectFormat[];

const state = async ({ user }: Person) => {
  const [row] = await world.database.query<{ enabled: boolean; paused: boolean }>(
    "SELECT enabled, paused_at IS NOT NULL AS paused FROM users WHERE id = $1",
    [user.id],
  );
  return { ...row, sessions: await world.liveSessions(user) };
};
const untouched = { enabled: true, paused: false, sessions: 1 };
const sessionsEnded = { enabled: true, paused: false, sessions: 0 };
const paused = { enabled: true, paused: true, sessions: 0 };
const ended = { enabled: false, paused: false, sessions: 0 };

interface Sent {
  readonly type: string;
  readonly event?: object;
  readonly subject?: SubjectFormat;
  readonly iat?: number;
}
const send = async (person: Person, { type, event = {}, subject = "iss_sub", iat }: Sent, into = stream) => {
  const claims = { sub_id: subjects[subject](person), ...(iat !== undefined && { iat }) };
  return await world.push(await world.transmitter.sign(type, event, { claims }), into);
};
const lastEvent = async () => (await world.server.audit("signal.received")).at(-1)?.data;
const seconds = () => Math.floor(world.clock() / 1000);

const events = [
  {
    event: "session-revoked",
    type: `${caep}session-revoked`,
    effect: "sessions_ended",
    after: sessionsEnded,
  },
  {
    event: "credential-change (revoke)",
    type: `${caep}credential-change`,
    body: { change_type: "revoke", credential_type: "password" },
    effect: "paused",
    after: paused,
  },
  {
    event: "credential-change (delete)",
    type: `${caep}credential-change`,
    body: { change_type: "delete", credential_type: "fido2-roaming" },
    effect: "paused",
    after: paused,
  },
  {
    event: "credential-change (create)",
    type: `${caep}credential-change`,
    body: { change_type: "create", credential_type: "password" },
    effect: "nothing",
    after: untouched,
  },
  {
    event: "credential-change (update)",
    type: `${caep}credential-change`,
    body: { change_type: "update", credential_type: "password" },
    effect: "nothing",
    after: untouched,
  },
  {
    event: "token-claims-change",
    type: `${caep}token-claims-change`,
    body: { claims: { role: "ro" } },
    effect: "nothing",
    after: untouched,
  },
  {
    event: "account-disabled",
    type: `${risc}account-disabled`,
    body: { reason: "hijacking" },
    effect: "ended",
    after: ended,
  },
  { event: "account-purged", type: `${risc}account-purged`, effect: "ended", after: ended },
  { event: "account-enabled", type: `${risc}account-enabled`, effect: "nothing", after: untouched },
  {
    event: "identifier-changed",
    type: `${risc}identifier-changed`,
    body: { "new-value": "new@acme.example" },
    effect: "nothing",
    after: untouched,
  },
] as const;

describe.each(events)("$event", ({ type, effect, after, ...rest }) => {
  const event = "body" in rest ? rest.body : {};
  test.each(formats)("about a person named by %s", async (subject) => {
    const person = await world.addPerson();
    const bystander = await world.addPerson();
    expect((await send(person, { type, event, subject }, opaque)).status).toBe(202);
    expect(await state(person)).toEqual(after);
    expect(await state(bystander)).toEqual(untouched);
    expect(await lastEvent()).toMatchObject({ stream: opaque.key, event: type.split("/").at(-1), effect });
  });
});

describe("an event", () => {
  test.each([
    {
      name: "an account of another provider",
      sub_id: ({ subject }: Person) => ({ format: "iss_sub", iss: "https://other.example", sub: subject }),
    },
    {
      name: "an account that never signed in",
      sub_id: () => ({ format: "iss_sub", iss: world.transmitter.issuer, sub: "stranger" }),
    },
    {
      name: "an address that is not of this provider",
      sub_id: () => ({ format: "email", email: "ada@elsewhere.example" }),
    },
    {
      name: "an address without an account at this provider",
      sub_id: () => ({ format: "email", email: "ada@acme.example" }),
    },
    { name: "an opaque identifier of a stream that does not use them", sub_id: subjects.opaque },
    { name: "a phone number", sub_id: () => ({ format: "phone_number", phone_number: "+12065550100" }) },
    {
      name: "a session that is not known here",
      sub_id: () => ({ format: "complex", session: { format: "opaque", id: "other" } }),
    },
    { name: "a device", sub_id: () => ({ format: "complex", device: { format: "opaque", id: "d1" } }) },
  ])("about $name changes nothing, and is counted", async ({ sub_id }) => {
    const person = await world.addPerson();
    const claims = { sub_id: sub_id(person) };
    const token = await world.transmitter.sign(`${risc}account-disabled`, {}, { claims });
    expect((await world.push(token, stream)).status).toBe(202);
    expect(await state(person)).toEqual(untouched);
    expect((await world.server.audit("signal.unknown_subject")).at(-1)?.data).toMatchObject({
      event: "account-disabled",
    });
    const [{ enabled } = { enabled: false }] = await world.database.query<{ enabled: boolean }>(
      "SELECT enabled FROM users WHERE email = 'ada@acme.example'",
    );
    expect(enabled).toBe(true);
  });

  test("never names an unknown subject in the trail", async () => {
    const claims = { sub_id: { format: "email", email: "secret@acme.example" } };
    await world.push(await world.transmitter.sign(`${risc}account-purged`, {}, { claims }), stream);
    expect(JSON.stringify(await world.server.audit())).not.toContain("secret@acme.example");
  });

  test("of a type that is not known is acknowledged, and changes nothing", async () => {
    const person = await world.addPerson();
    expect((await send(person, { type: `${caep}device-compliance-change` })).status).toBe(202);
    expect((await send(person, { type: "__proto__" })).status).toBe(202);
    expect(await state(person)).toEqual(untouched);
  });

  test("that is older than the stream allows is acknowledged, and changes nothing", async () => {
    const person = await world.addPerson();
    const strict = await world.addStream({ maxAgeSeconds: 300 });
    expect(
      (await send(person, { type: `${risc}account-disabled`, iat: seconds() - 300 }, strict)).status,
    ).toBe(202);
    expect(await state(person)).toEqual(untouched);
    await send(person, { type: `${risc}account-disabled`, iat: seconds() - 299 }, strict);
    expect(await state(person)).toEqual(ended);
  });

  test("about the break-glass administrator changes nothing, and says so", async () => {
    const person = await world.addPerson();
    await world.store.settings.save({ breakGlassEmail: person.email }, world.at());
    for (const { type, ...rest } of events) {
      await send(person, { type, event: "body" in rest ? rest.body : {} });
      expect((await lastEvent())?.["effect"]).toBe("exempt");
    }
    await world.store.settings.save({ breakGlassEmail: null }, world.at());
    expect(await state(person)).toEqual(untouched);
  });

  test("ends the apps, too, when the provider's setting says so", async () => {
    const issuing = await world.addProvider({ logoutEndsApps: true });
    const person = await world.addPerson({ providerId: issuing.id });
    const strict = await world.addStream({ identityProviderId: issuing.id });
    const [early, late] = [await addGrant(person), await addGrant(person)];
    await world.database.query("UPDATE grants SET created_at = $2 WHERE id = $1", [
      late,
      new Date(world.clock() + 120_000),
    ]);
    await send(person, { type: `${caep}session-revoked` }, strict);
    expect(await liveGrants(person)).toEqual([late]);
    expect(early).not.toBe(late);
  });

  test("leaves the apps without that setting", async () => {
    const person = await world.addPerson();
    const grant = await addGrant(person);
    await send(person, { type: `${caep}session-revoked` });
    expect(await liveGrants(person)).toEqual([grant]);
  });
});

async function addGrant({ user }: Person): Promise<string> {
  const id = randomUUID();
  await world.database.query(
    `INSERT INTO grants (id, user_id, client_id, scopes, amr, created_at, expires_at)
     SELECT $1, $2, (SELECT id FROM clients LIMIT 1), '{}', '{}', $3, $4`,
    [id, user.id, world.at(), new Date(world.clock() + 86_400_000)],
  );
  return id;
}

async function liveGrants({ user }: Person): Promise<readonly string[]> {
  const rows = await world.database.query<{ id: string }>(
    "SELECT id FROM grants WHERE user_id = $1 AND revoked_at IS NULL",
    [user.id],
  );
  return rows.map(({ id }) => id);
}

describe("an event that arrives late", () => {
  const revoked = `${caep}session-revoked`;
  const changed = `${caep}credential-change`;
  const revoke = { change_type: "revoke", credential_type: "password" };

  const newerOf = ({ subject }: Person) => `newer-${subject}`;
  /** Somebody whose session is a minute younger than what the event is about. */
  const signedInAgain = async () => {
    const person = await world.addPerson();
    const before = seconds();
    world.clock.advance(60);
    await world.openSession(person, newerOf(person));
    return { person, before };
  };

  test("ends what began before it, and not the session of a later sign-in", async () => {
    const { person, before } = await signedInAgain();
    await send(person, { type: revoked, event: { event_timestamp: before } });
    expect(await state(person)).toEqual(untouched);
    const [{ provider_sid: left } = { provider_sid: "" }] = await world.database.query<{
      provider_sid: string;
    }>("SELECT provider_sid FROM browser_sessions WHERE user_id = $1", [person.user.id]);
    expect(left).toBe(newerOf(person));
  });

  test("counts from its token when it has no time of its own", async () => {
    const { person, before } = await signedInAgain();
    await send(person, { type: revoked, iat: before });
    expect(await state(person)).toEqual(untouched);
  });

  test.each([
    { name: "in milliseconds", at: () => seconds() * 1000 },
    { name: "after its token", at: () => seconds() + 3600 },
  ])("with a time $name counts from its token", async ({ at }) => {
    const { person } = await signedInAgain();
    await send(person, { type: revoked, event: { event_timestamp: at() } });
    expect(await state(person)).toEqual(sessionsEnded);
  });

  test("ends what began within the tolerance of clocks after it", async () => {
    const person = await world.addPerson();
    await send(person, { type: revoked, event: { event_timestamp: seconds() - 30 } });
    expect(await state(person)).toEqual(sessionsEnded);
  });

  test("ends the session that it names, whenever that began", async () => {
    const { person, before } = await signedInAgain();
    await send(
      { ...person, sid: newerOf(person) },
      { type: revoked, event: { event_timestamp: before }, subject: "complex session" },
    );
    expect(await state(person)).toEqual(untouched);
    const rows = await world.database.query("SELECT FROM browser_sessions WHERE provider_sid = $1", [
      newerOf(person),
    ]);
    expect(rows).toHaveLength(0);
  });

  test("does not pause a person who signed in after it", async () => {
    const { person, before } = await signedInAgain();
    await send(person, { type: changed, event: { ...revoke, event_timestamp: before } });
    expect(await state(person)).toMatchObject({ paused: false, sessions: 2 });
    await send(person, { type: changed, event: revoke });
    expect(await state(person)).toEqual(paused);
  });

  test("ends a person all the same whose account was disabled", async () => {
    const { person, before } = await signedInAgain();
    await send(person, { type: `${risc}account-disabled`, event: { event_timestamp: before } });
    expect(await state(person)).toEqual(ended);
  });
});

describe("token-claims-change", () => {
  test("makes the person's confirmation due, in the transaction of the event", async () => {
    const person = await world.addPerson();
    const asked: string[] = [];
    const context = world.pollContext({
      makePresenceDue: async (userId, { store }) => {
        asked.push(userId);
        await store.signalStreams.setStatus(stream.id, "paused");
        return true;
      },
    });
    const claims = { sub_id: subjects.iss_sub(person) };
    const token = await world.transmitter.sign(`${caep}token-claims-change`, { claims: {} }, { claims });
    const receipt = { context, requestId: "r", from: "test" };
    expect(await receiveSignal(token, stream, receipt)).toBe("acted");
    expect(await receiveSignal(token, stream, receipt)).toBe("repeated");
    expect(asked).toEqual([person.user.id]);
    expect((await lastEvent())?.["effect"]).toBe("presence_checked");
    await world.store.signalStreams.setStatus(stream.id, "enabled");
  });

  test("is received again when that fails", async () => {
    const person = await world.addPerson();
    let isFailing = true;
    const context = world.pollContext({
      makePresenceDue: async () => {
        if (isFailing) throw new Error("The database is away.");
        return true;
      },
    });
    const claims = { sub_id: subjects.iss_sub(person) };
    const token = await world.transmitter.sign(`${caep}token-claims-change`, { claims: {} }, { claims });
    const receipt = { context, requestId: "r", from: "test" };
    await expect(receiveSignal(token, stream, receipt)).rejects.toThrow("away");
    isFailing = false;
    expect(await receiveSignal(token, stream, receipt)).toBe("acted");
  });
});

describe("identifier-changed", () => {
  test("never moves assignments: it is recorded with the new identifier", async () => {
    const person = await world.addPerson();
    const event = { "new-value": "boss@acme.example" };
    await send(person, { type: `${risc}identifier-changed`, event, subject: "email" });
    expect((await lastEvent())?.["newValue"]).toBe("boss@acme.example");
    expect((await world.store.users.find(person.user.id))?.email).toBe(person.email);
  });
});
