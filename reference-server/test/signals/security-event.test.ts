import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AssertionChange } from "../support/assertion-provider.js";
import { caep, receiver, type SignalWorld, startSignalWorld } from "../support/signals.js";
import type { SignalStream } from "../../src/store/signal-streams.js";

let world: SignalWorld;
let stream: SignalStream;
beforeAll(async () => {
  world = await startSignalWorld();
  stream = await world.addStream();
});
afterAll(() => world.close());

const revoked = `${caep}session-revoked`;
type Person = Awaited<ReturnType<SignalWorld["addPerson"]>>;

const subjectOf = ({ subject }: Pick<Person, "subject">) => ({
  format: "iss_sub",
  iss: world.transmitter.issuer,
  sub: subject,
});

/** A valid event: the session of a person was revoked. */
const eventAbout = async (
  person: Person,
  change: AssertionChange & { type?: string; event?: unknown } = {},
) => {
  const { type = revoked, event = {}, claims = {}, ...rest } = change;
  const all = { sub_id: subjectOf(person), ...claims };
  return await world.transmitter.sign(type, event, { ...rest, claims: all });
};
const lastRefusal = async () => (await world.server.audit("signal.refused")).at(-1)?.data["reason"];

interface Refused {
  readonly name: string;
  readonly change: () => AssertionChange & { type?: string; event?: unknown };
  readonly err: string;
  readonly reason: string;
}

const seconds = () => Math.floor(world.clock() / 1000);
const claims = (changed: Record<string, unknown>) => () => ({ claims: changed });
const header = (changed: Record<string, unknown>) => () => ({ header: changed });

const refusedEvents: readonly Refused[] = [
  { name: "no typ", change: header({ typ: undefined }), err: "invalid_request", reason: "type" },
  { name: "the typ of an ID token", change: header({ typ: "JWT" }), err: "invalid_request", reason: "type" },
  {
    name: "the typ of a logout token",
    change: header({ typ: "logout+jwt" }),
    err: "invalid_request",
    reason: "type",
  },
  {
    name: "a key in the header",
    change: header({ jwk: { kty: "EC" } }),
    err: "invalid_key",
    reason: "key_header",
  },
  {
    name: "the address of keys",
    change: header({ jku: "https://keys.example" }),
    err: "invalid_key",
    reason: "key_header",
  },
  { name: "a certificate", change: header({ x5c: ["MII"] }), err: "invalid_key", reason: "key_header" },
  {
    name: "the address of a certificate",
    change: header({ x5u: "https://keys.example" }),
    err: "invalid_key",
    reason: "key_header",
  },
  { name: "no issuer", change: claims({ iss: undefined }), err: "invalid_issuer", reason: "issuer" },
  {
    name: "another issuer",
    change: claims({ iss: "https://other.example" }),
    err: "invalid_issuer",
    reason: "issuer",
  },
  { name: "no audience", change: claims({ aud: undefined }), err: "invalid_audience", reason: "audience" },
  {
    name: "another audience",
    change: claims({ aud: "https://other.example" }),
    err: "invalid_audience",
    reason: "audience",
  },
  {
    name: "other audiences",
    change: claims({ aud: ["a", "b"] }),
    err: "invalid_audience",
    reason: "audience",
  },
  { name: "no jti", change: claims({ jti: undefined }), err: "invalid_request", reason: "id" },
  { name: "an empty jti", change: claims({ jti: "" }), err: "invalid_request", reason: "id" },
  {
    name: "a jti without end",
    change: claims({ jti: "x".repeat(257) }),
    err: "invalid_request",
    reason: "id",
  },
  { name: "a jti that is a number", change: claims({ jti: 1 }), err: "invalid_request", reason: "id" },
  { name: "no iat", change: claims({ iat: undefined }), err: "invalid_request", reason: "dates" },
  { name: "an iat that is text", change: claims({ iat: "1" }), err: "invalid_request", reason: "dates" },
  {
    name: "an iat in the future",
    change: () => ({ claims: { iat: seconds() + 31 } }),
    err: "invalid_request",
    reason: "not_yet_valid",
  },
  {
    name: "an exp",
    change: () => ({ claims: { exp: seconds() + 300 } }),
    err: "invalid_request",
    reason: "subject_claim",
  },
  { name: "a sub", change: claims({ sub: "ada" }), err: "invalid_request", reason: "subject_claim" },
  {
    name: "a txn that is a number",
    change: claims({ txn: 1 }),
    err: "invalid_request",
    reason: "transaction",
  },
  { name: "no events", change: claims({ events: undefined }), err: "invalid_request", reason: "events" },
  {
    name: "events that are a list",
    change: claims({ events: [revoked] }),
    err: "invalid_request",
    reason: "events",
  },
  { name: "an empty events", change: claims({ events: {} }), err: "invalid_request", reason: "events" },
  {
    name: "two events",
    change: claims({ events: { [revoked]: {}, [`${caep}credential-change`]: {} } }),
    err: "invalid_request",
    reason: "events",
  },
  {
    name: "an event that is text",
    change: () => ({ event: "revoked" }),
    err: "invalid_request",
    reason: "events",
  },
  {
    name: "an event_timestamp that is text",
    change: () => ({ event: { event_timestamp: "now" } }),
    err: "invalid_request",
    reason: "event",
  },
  {
    name: "an event_timestamp before 1970",
    change: () => ({ event: { event_timestamp: -1 } }),
    err: "invalid_request",
    reason: "event",
  },
  {
    name: "a credential-change without a change",
    change: () => ({ type: `${caep}credential-change` }),
    err: "invalid_request",
    reason: "event",
  },
  {
    name: "a credential-change of no known kind",
    change: () => ({ type: `${caep}credential-change`, event: { change_type: "revoked" } }),
    err: "invalid_request",
    reason: "event",
  },
  { name: "no sub_id", change: claims({ sub_id: undefined }), err: "invalid_request", reason: "subject" },
  {
    name: "a sub_id that is text",
    change: claims({ sub_id: "ada" }),
    err: "invalid_request",
    reason: "subject",
  },
  {
    name: "a sub_id without a format",
    change: claims({ sub_id: { email: "ada@acme.example" } }),
    err: "invalid_request",
    reason: "subject",
  },
  {
    name: "an email without one",
    change: claims({ sub_id: { format: "email" } }),
    err: "invalid_request",
    reason: "subject",
  },
  {
    name: "an iss_sub without iss",
    change: claims({ sub_id: { format: "iss_sub", sub: "ada" } }),
    err: "invalid_request",
    reason: "subject",
  },
  {
    name: "an iss_sub without sub",
    change: claims({ sub_id: { format: "iss_sub", iss: "https://a.example" } }),
    err: "invalid_request",
    reason: "subject",
  },
  {
    name: "an opaque without id",
    change: claims({ sub_id: { format: "opaque" } }),
    err: "invalid_request",
    reason: "subject",
  },
  {
    name: "an empty complex subject",
    change: claims({ sub_id: { format: "complex" } }),
    err: "invalid_request",
    reason: "subject",
  },
  {
    name: "a complex subject whose session is an email",
    change: claims({ sub_id: { format: "complex", session: { format: "email", email: "a@acme.example" } } }),
    err: "invalid_request",
    reason: "subject",
  },
];

describe("a security event token", () => {
  test("of this stream ends the sessions of its person, and is acknowledged", async () => {
    const person = await world.addPerson();
    const answer = await world.push(await eventAbout(person), stream);
    expect(answer).toMatchObject({ status: 202, body: {}, headers: { "cache-control": "no-store" } });
    expect(await world.liveSessions(person.user)).toBe(0);
    expect((await world.server.audit("signal.received")).at(-1)?.data).toEqual({
      stream: stream.key,
      event: "session-revoked",
      effect: "sessions_ended",
      issuedAt: world.at().toISOString(),
    });
  });

  test("may be for other receivers, too, and name its transaction", async () => {
    const person = await world.addPerson();
    const change = { claims: { aud: ["https://other.example", receiver], txn: "t-1" } };
    expect((await world.push(await eventAbout(person, change), stream)).status).toBe(202);
    const [received] = (await world.server.audit("signal.received")).slice(-1);
    expect(received?.data["transaction"]).toBe("t-1");
  });

  test.each(refusedEvents)("is refused with $name", async ({ change, err, reason }) => {
    const person = await world.addPerson();
    const { status, body, headers } = await world.push(await eventAbout(person, change()), stream);
    expect([status, body["err"], await lastRefusal()]).toEqual([400, err, `signal_${reason}`]);
    expect(body["description"]).toMatch(/\.$/);
    expect(headers["content-language"]).toBe("en");
    expect(await world.liveSessions(person.user)).toBe(1);
  });

  test.each([
    {
      name: "an unsigned one",
      spoil: (token: string) =>
        `${Buffer.from('{"alg":"none","typ":"secevent+jwt"}').toString("base64url")}.${token.split(".")[1]}.`,
      err: "invalid_request",
      reason: "malformed",
    },
    {
      name: "alg none with a signature",
      spoil: (token: string) =>
        token.replace(/^[^.]+/, Buffer.from('{"alg":"none","typ":"secevent+jwt"}').toString("base64url")),
      err: "invalid_key",
      reason: "algorithm",
    },
    {
      name: "a shared secret",
      spoil: (token: string) =>
        token.replace(/^[^.]+/, Buffer.from('{"alg":"HS256","typ":"secevent+jwt"}').toString("base64url")),
      err: "invalid_key",
      reason: "algorithm",
    },
    {
      name: "a critical extension",
      spoil: (token: string) =>
        token.replace(
          /^[^.]+/,
          Buffer.from('{"alg":"ES256","typ":"secevent+jwt","crit":["x"],"x":1}').toString("base64url"),
        ),
      err: "invalid_request",
      reason: "malformed",
    },
    {
      name: "a member twice",
      spoil: (token: string) =>
        token.replace(
          /^[^.]+/,
          Buffer.from('{"alg":"ES256","alg":"none","typ":"secevent+jwt"}').toString("base64url"),
        ),
      err: "invalid_request",
      reason: "malformed",
    },
    {
      name: "a changed signature",
      spoil: (token: string) => token.replace(/[^.]{4}$/, "AAAA"),
      err: "invalid_key",
      reason: "signature",
    },
    {
      name: "other claims under the signature",
      spoil: (token: string) => {
        const [head, payload = "", signature] = token.split(".");
        const read = JSON.parse(Buffer.from(payload, "base64url").toString()) as object;
        return `${head}.${Buffer.from(JSON.stringify({ ...read, txn: "other" })).toString("base64url")}.${signature}`;
      },
      err: "invalid_key",
      reason: "signature",
    },
    { name: "nothing", spoil: () => "", err: "invalid_request", reason: "malformed" },
    { name: "padding", spoil: (token: string) => `${token}==`, err: "invalid_request", reason: "malformed" },
  ])("is refused as $name", async ({ spoil, err, reason }) => {
    const person = await world.addPerson();
    const { status, body } = await world.push(spoil(await eventAbout(person)), stream);
    expect([status, body["err"], await lastRefusal()]).toEqual([400, err, `signal_${reason}`]);
    expect(await world.liveSessions(person.user)).toBe(1);
  });

  test("is refused with a key of another provider", async () => {
    const person = await world.addPerson();
    const key = await world.transmitter.newKey();
    const { body } = await world.push(await eventAbout(person, { key }), stream);
    expect([body["err"], await lastRefusal()]).toEqual(["invalid_key", "signal_signature"]);
  });

  test("is refused beyond 64 KiB", async () => {
    const { status, body } = await world.push("x".repeat(64 * 1024 + 1), stream);
    expect([status, body["err"]]).toEqual([400, "invalid_request"]);
  });
});

describe("a push", () => {
  test.each([
    {
      name: "without a credential",
      push: { headers: { authorization: undefined } },
      err: "authentication_failed",
      reason: "credential",
    },
    {
      name: "with another credential",
      push: { credential: "other" },
      err: "authentication_failed",
      reason: "credential",
    },
    {
      name: "with Basic",
      push: { headers: { authorization: "Basic YTpi" } },
      err: "authentication_failed",
      reason: "credential",
    },
    {
      name: "as JSON",
      push: { headers: { "content-type": "application/json" } },
      err: "invalid_request",
      reason: "content_type",
    },
    {
      name: "as application/jwt",
      push: { headers: { "content-type": "application/jwt" } },
      err: "invalid_request",
      reason: "content_type",
    },
  ])("is refused $name", async ({ push, err, reason }) => {
    const person = await world.addPerson();
    const { status, body } = await world.push(await eventAbout(person), stream, push);
    expect([status, body["err"], await lastRefusal()]).toEqual([400, err, `signal_${reason}`]);
    expect(await world.liveSessions(person.user)).toBe(1);
  });

  test.each([
    { name: "paused", change: { enabled: false }, err: "access_denied" },
    { name: "without a credential of ours", change: { credentialHash: null }, err: "authentication_failed" },
  ])("to a stream that is $name is refused", async ({ change, err }) => {
    const other = await world.addStream(change);
    const person = await world.addPerson();
    expect((await world.push(await eventAbout(person), other)).body["err"]).toBe(err);
    expect(await world.liveSessions(person.user)).toBe(1);
  });

  test.each(["nowhere", "a%00b"])("to %s is refused as one with another credential is", async (key) => {
    const { status, body } = await world.push("x", { key });
    expect([status, body["err"]]).toEqual([400, "authentication_failed"]);
  });
});

describe("the keys of a transmitter", () => {
  test("may rotate: the new one is found, and the old one no longer counts", async () => {
    const person = await world.addPerson();
    const old = await eventAbout(person);
    await world.transmitter.rotate();
    world.clock.advance(30);
    expect((await world.push(await eventAbout(person), stream)).status).toBe(202);
    expect((await world.push(old, stream)).body["err"]).toBe("invalid_key");
  });

  test("may be away: the token is not refused, and comes again", async () => {
    const person = await world.addPerson();
    const token = await eventAbout(person);
    world.clock.advance(700);
    world.transmitter.provider.failing = 503;
    expect((await world.push(token, stream)).status).toBe(503);
    expect(await world.liveSessions(person.user)).toBe(1);
    world.transmitter.provider.failing = undefined;
    world.clock.advance(30);
    expect((await world.push(token, stream)).status).toBe(202);
    expect(await world.liveSessions(person.user)).toBe(0);
  });
});

describe("the same event", () => {
  test("is acted upon once, however many requests bring it at the same moment", async () => {
    const person = await world.addPerson();
    const token = await eventAbout(person);
    const before = (await world.server.audit("signal.received")).length;
    const answers = await Promise.all(Array.from({ length: 8 }, () => world.push(token, stream)));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 202));
    expect((await world.server.audit("signal.received")).length - before).toBe(1);
  });

  test("does not end what began after it", async () => {
    const person = await world.addPerson();
    const token = await eventAbout(person);
    await world.push(token, stream);
    await world.openSession(person, "new");
    expect((await world.push(token, stream)).status).toBe(202);
    expect(await world.liveSessions(person.user)).toBe(1);
  });

  test("counts in each stream, even with the same jti", async () => {
    const other = await world.addStream();
    const person = await world.addPerson();
    const token = await eventAbout(person);
    await world.push(token, stream);
    await world.openSession(person, "new");
    await world.push(token, other);
    expect(await world.liveSessions(person.user)).toBe(0);
  });
});
