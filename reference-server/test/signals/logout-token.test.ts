import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decideIdentity } from "../../src/sign-in/identity.js";
import { openSession } from "../../src/sign-in/open-session.js";
import type { AssertionChange } from "../support/assertion-provider.js";
import { type SignalWorld, startSignalWorld } from "../support/signals.js";

let world: SignalWorld;
beforeAll(async () => {
  world = await startSignalWorld();
});
afterAll(() => world.close());

const logoutEvent = "http://schemas.openid.net/event/backchannel-logout";
type Person = Awaited<ReturnType<SignalWorld["addPerson"]>>;

const seconds = () => Math.floor(world.clock() / 1000);
const logoutToken = async (
  { subject, sid }: Person,
  { claims = {}, header = {}, ...rest }: AssertionChange = {},
) =>
  await world.transmitter.provider.sign(
    { aud: "authz", sub: subject, sid, iat: seconds(), exp: seconds() + 120, events: { [logoutEvent]: {} } },
    { ...rest, claims, header: { typ: "logout+jwt", ...header } },
  );
const post = async (form: Readonly<Record<string, string>> | string, key = "idp") => {
  const answer = await world.server.app.inject({
    method: "POST",
    url: `/sign-in/back-channel-logout/${key}`,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    payload: typeof form === "string" ? form : new URLSearchParams(form).toString(),
  });
  const body = answer.body === "" ? {} : answer.json<Record<string, unknown>>();
  return { status: answer.statusCode, body, headers: answer.headers };
};
const logOut = async (person: Person, change: AssertionChange = {}, key = "idp") =>
  await post({ logout_token: await logoutToken(person, change) }, key);
const lastRefusal = async () => (await world.server.audit("logout.refused")).at(-1)?.data;

const claims = (changed: Record<string, unknown>) => () => ({ claims: changed });
const header = (changed: Record<string, unknown>) => () => ({ header: changed });
const refusedLogouts: readonly { name: string; change: () => AssertionChange; reason: string }[] = [
  { name: "no typ", change: header({ typ: undefined }), reason: "type" },
  { name: "the typ of an ID token", change: header({ typ: "JWT" }), reason: "type" },
  { name: "the typ of a security event token", change: header({ typ: "secevent+jwt" }), reason: "type" },
  { name: "a key in the header", change: header({ jwk: {} }), reason: "key_header" },
  { name: "the address of keys", change: header({ jku: "https://keys.example" }), reason: "key_header" },
  { name: "no issuer", change: claims({ iss: undefined }), reason: "issuer" },
  { name: "another issuer", change: claims({ iss: "https://other.example" }), reason: "issuer" },
  { name: "no audience", change: claims({ aud: undefined }), reason: "audience" },
  { name: "the audience of another client", change: claims({ aud: "other" }), reason: "audience" },
  { name: "a second audience", change: claims({ aud: ["authz", "other"] }), reason: "audience" },
  { name: "no jti", change: claims({ jti: undefined }), reason: "id" },
  { name: "no iat", change: claims({ iat: undefined }), reason: "dates" },
  {
    name: "an iat in the future",
    change: () => ({ claims: { iat: seconds() + 31, exp: seconds() + 120 } }),
    reason: "not_yet_valid",
  },
  {
    name: "an exp that is over",
    change: () => ({ claims: { iat: seconds() - 120, exp: seconds() } }),
    reason: "expired",
  },
  {
    name: "no exp, an hour after its issue",
    change: () => ({ claims: { iat: seconds() - 3600, exp: undefined } }),
    reason: "expired",
  },
  { name: "an exp that is null", change: claims({ exp: null }), reason: "dates" },
  { name: "an exp that is text", change: claims({ exp: "soon" }), reason: "dates" },
  { name: "an exp after days", change: () => ({ claims: { exp: seconds() + 86_400 } }), reason: "lifetime" },
  { name: "no events", change: claims({ events: undefined }), reason: "events" },
  { name: "another event", change: claims({ events: { "https://other.example": {} } }), reason: "events" },
  {
    name: "a second event",
    change: claims({ events: { [logoutEvent]: {}, "https://other.example": {} } }),
    reason: "events",
  },
  {
    name: "an event that is no object",
    change: claims({ events: { [logoutEvent]: true } }),
    reason: "events",
  },
  { name: "a nonce", change: claims({ nonce: "n" }), reason: "nonce" },
  { name: "a nonce that is null", change: claims({ nonce: null }), reason: "nonce" },
  { name: "neither sub nor sid", change: claims({ sub: undefined, sid: undefined }), reason: "subject" },
  { name: "a sub that is a number", change: claims({ sub: 1 }), reason: "subject" },
  { name: "an empty sid", change: claims({ sid: "" }), reason: "subject" },
];

describe("a logout token", () => {
  test("ends the session that it names, and no other", async () => {
    const person = await world.addPerson();
    await world.openSession(person, "other");
    const { status, headers, body } = await logOut(person);
    expect([status, body, headers["cache-control"]]).toEqual([200, {}, "no-store"]);
    expect(await world.liveSessions(person.user)).toBe(1);
    expect((await world.server.audit("logout.received")).at(-1)?.data).toEqual({
      provider: "idp",
      session: true,
    });
  });

  test("ends every session of its subject without a sid", async () => {
    const person = await world.addPerson();
    const bystander = await world.addPerson();
    await world.openSession(person, null);
    expect((await logOut(person, { claims: { sid: undefined } })).status).toBe(200);
    expect([await world.liveSessions(person.user), await world.liveSessions(bystander.user)]).toEqual([0, 1]);
  });

  test("may come without exp, and then counts for an hour, once", async () => {
    const person = await world.addPerson();
    const form = {
      logout_token: await logoutToken(person, { claims: { iat: seconds() - 3599, exp: undefined } }),
    };
    expect((await post(form)).status).toBe(200);
    expect((await post(form)).status).toBe(400);
    expect(await world.liveSessions(person.user)).toBe(0);
  });

  test("ends the session of a sign-in whose ID token had its sid", async () => {
    const { provider, store, credentials } = world;
    const said = { sub: "lena", email: "lena@acme.example", email_verified: true, sid: "lena-1" };
    const input = {
      browser: { hash: Buffer.alloc(32), session: undefined },
      userAgent: null,
      language: "en",
      requestId: "r",
    };
    const opening = {
      provider,
      claimed: undefined,
      refreshToken: undefined,
      credentials,
      askedAnewAt: null,
      input,
      store,
      now: world.at(),
    };
    const { userId } = await openSession(decideIdentity(said, provider), opening);
    const { userId: other } = await openSession(
      decideIdentity({ ...said, sid: "lena-2" }, provider),
      opening,
    );
    expect([userId, await world.liveSessions({ id: userId })]).toEqual([other, 2]);
    await post({
      logout_token: await world.transmitter.provider.sign(
        { aud: "authz", sid: "lena-2", iat: seconds(), exp: seconds() + 120, events: { [logoutEvent]: {} } },
        { header: { typ: "logout+jwt" } },
      ),
    });
    expect(await world.liveSessions({ id: userId })).toBe(1);
  });

  test("may name the session alone", async () => {
    const person = await world.addPerson();
    expect((await logOut(person, { claims: { sub: undefined } })).status).toBe(200);
    expect(await world.liveSessions(person.user)).toBe(0);
  });

  test.each(refusedLogouts)("is refused with $name", async ({ change, reason }) => {
    const person = await world.addPerson();
    const { status, body } = await logOut(person, change());
    expect([status, body["error"]]).toEqual([400, "invalid_request"]);
    expect(body["error_description"]).toMatch(/\.$/);
    expect(await lastRefusal()).toEqual({ provider: "idp", reason: `signal_${reason}` });
    expect(await world.liveSessions(person.user)).toBe(1);
  });

  test("is refused with a key that the provider does not publish", async () => {
    const person = await world.addPerson();
    await logOut(person, { key: await world.transmitter.newKey() });
    expect(await lastRefusal()).toEqual({ provider: "idp", reason: "signal_signature" });
    expect(await world.liveSessions(person.user)).toBe(1);
  });

  test("is accepted with a key that the provider took meanwhile", async () => {
    const person = await world.addPerson();
    await world.transmitter.rotate();
    world.clock.advance(30);
    expect((await logOut(person)).status).toBe(200);
  });

  test("counts once, also when it comes twice at the same moment", async () => {
    const person = await world.addPerson();
    const form = { logout_token: await logoutToken(person) };
    const answers = await Promise.all([post(form), post(form), post(form)]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(2);
    expect(await lastRefusal()).toEqual({ provider: "idp", reason: "signal_replayed" });
  });

  test("about a session of somebody else ends nothing", async () => {
    const person = await world.addPerson();
    const bystander = await world.addPerson();
    expect((await logOut({ ...person, sid: bystander.sid })).status).toBe(200);
    expect([await world.liveSessions(person.user), await world.liveSessions(bystander.user)]).toEqual([1, 1]);
  });

  test("about an account that never signed in ends nothing, even if it names a session", async () => {
    const person = await world.addPerson();
    expect((await logOut({ ...person, subject: "stranger" })).status).toBe(200);
    expect(await world.liveSessions(person.user)).toBe(1);
  });

  test("ends nothing that began at another provider", async () => {
    const other = await world.addProvider();
    const person = await world.addPerson({ providerId: other.id });
    expect((await logOut(person)).status).toBe(200);
    expect(await world.liveSessions(person.user)).toBe(1);
  });

  test("does not end what began after it, unless it names that session", async () => {
    const person = await world.addPerson();
    const iat = seconds();
    world.clock.advance(60);
    await world.openSession(person, "newer");
    await logOut(person, { claims: { sid: undefined, iat } });
    expect(await world.liveSessions(person.user)).toBe(1);
    await logOut(person, { claims: { sid: "newer", iat } });
    expect(await world.liveSessions(person.user)).toBe(0);
  });

  test("ends nothing of the break-glass administrator", async () => {
    const person = await world.addPerson();
    await world.store.settings.save({ breakGlassEmail: person.email }, world.at());
    expect((await logOut(person)).status).toBe(200);
    await world.store.settings.save({ breakGlassEmail: null }, world.at());
    expect(await world.liveSessions(person.user)).toBe(1);
  });

  test("is not refused while the provider's keys are away", async () => {
    const person = await world.addPerson();
    world.clock.advance(700);
    world.transmitter.provider.failing = 503;
    expect((await logOut(person)).status).toBe(503);
    world.transmitter.provider.failing = undefined;
    world.clock.advance(30);
    expect((await logOut(person)).status).toBe(200);
  });
});

describe("the endpoint of a provider", () => {
  test.each(["nowhere", "a%00b"])("is not there for the provider %s", async (key) => {
    const person = await world.addPerson();
    expect((await logOut(person, {}, key)).status).toBe(400);
  });

  test("refuses for a provider that is disabled", async () => {
    const off = await world.addProvider({ enabled: false });
    const person = await world.addPerson({ providerId: off.id });
    expect((await logOut(person, {}, off.key)).status).toBe(400);
    expect(await world.liveSessions(person.user)).toBe(1);
  });

  test.each([
    { name: "no token", form: "" },
    { name: "two tokens", form: "logout_token=a&logout_token=b" },
    { name: "no JWS", form: "logout_token=a.b" },
    { name: "a body beyond 64 KiB", form: `logout_token=${"x".repeat(64 * 1024)}` },
  ])("refuses $name", async ({ form }) => {
    const { status, body } = await post(form);
    expect([status, body["error"]]).toEqual([400, "invalid_request"]);
  });
});
