import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { watchStreams } from "../../src/signals/watch-streams.js";
import { findFreePort } from "../../../tools/src/network/ports.js";
import { caep, receiver, type SignalWorld, startSignalWorld } from "../support/signals.js";
import { transmitterToken } from "../support/transmitter.js";

let world: SignalWorld;
/** On a real port, with the loops of a real process: the transmitter reaches it as it would in production. */
beforeAll(async () => {
  const port = await findFreePort();
  const issuer = `http://127.0.0.1:${port}`;
  world = await startSignalWorld({
    AUTHZ_ISSUER: issuer,
    AUTHZ_PORT: String(port),
    AUTHZ_RATE_LIMITS: "off",
  });
  await world.server.start();
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.database.query("DELETE FROM signal_streams");
  world.transmitter.streams.clear();
  world.transmitter.lies.clear();
});

const wanted = (change: Record<string, unknown> = {}) => ({
  key: "acme",
  name: "Acme signals",
  provider: "idp",
  transmitter: world.transmitter.issuer,
  token: transmitterToken,
  ...change,
});
const create = async (change: Record<string, unknown> = {}) =>
  await world.server.request("POST", "/signal-streams", { body: wanted(change) });
const read = async () => (await world.server.request("GET", "/signal-streams/acme")).body;
const patch = async (body: Record<string, unknown>) =>
  await world.server.request("PATCH", "/signal-streams/acme", {
    body,
    version: Number((await read())["version"]),
  });
const runTest = async () => await world.server.request("POST", "/signal-streams/acme/tests");
const makeCredential = async () => await world.server.request("POST", "/signal-streams/acme/credentials");
const only = () => [...world.transmitter.streams.values()][0];
const pushUrl = () => `${world.server.context.config.issuer}/signals/acme`;

/** Waits, in real time, until the stream has received the event that was asked for. */
const verified = async () =>
  await vi.waitFor(async () => expect((await read())["verifiedAt"]).not.toBeNull(), {
    timeout: 20_000,
    interval: 100,
  });

describe("a stream that is pushed", () => {
  test("is created at its transmitter, with a credential that nobody sees", async () => {
    const { status, body, text } = await create();
    expect(status).toBe(201);
    expect(body).toMatchObject({
      streamId: "stream-1",
      audience: receiver,
      hasToken: true,
      hasCredential: true,
      health: "waiting",
      pushUrl: pushUrl(),
    });
    expect(only()).toMatchObject({
      events_requested: expect.arrayContaining([`${caep}session-revoked`]) as unknown,
      delivery: {
        method: "urn:ietf:rfc:8935",
        endpoint_url: pushUrl(),
        authorization_header: expect.stringMatching(/^Bearer .{20,}$/) as unknown,
      },
    });
    const credential = only()?.delivery.authorization_header?.slice("Bearer ".length) ?? "";
    const everything = text + JSON.stringify([await read(), await world.server.audit(), world.server.log]);
    for (const secret of [credential, transmitterToken]) expect(everything).not.toContain(secret);
    const stored = await world.database.query(
      "SELECT token::text, credential_hash::text FROM signal_streams",
    );
    expect(JSON.stringify(stored)).not.toContain(Buffer.from(transmitterToken).toString("hex"));
  });

  test("shows that it works by an event that was asked for, and by no other", async () => {
    await create();
    const { status, body } = await runTest();
    expect([status, body["requestedAt"]]).toEqual([202, world.at().toISOString()]);
    await verified();
    expect(await read()).toMatchObject({ verifiedAt: world.at().toISOString(), failure: null });
    expect((await world.server.audit("signal_stream.tested")).at(-1)?.data).toEqual({ key: "acme" });

    const stream = only();
    if (stream === undefined) throw new Error("No stream.");
    const again = await world.transmitter.send(
      await world.transmitter.verification("stream-1", "guess"),
      stream,
    );
    expect([again?.status, await again?.json()]).toMatchObject([400, { err: "invalid_state" }]);
    const unasked = await world.transmitter.send(
      await world.transmitter.verification("stream-1", undefined),
      stream,
    );
    expect(unasked?.status).toBe(202);
  });

  test("ends sessions over a real connection", async () => {
    await create();
    const person = await world.addPerson();
    const claims = { sub_id: { format: "iss_sub", iss: world.transmitter.issuer, sub: person.subject } };
    const token = await world.transmitter.sign(`${caep}session-revoked`, {}, { claims });
    const stream = only();
    if (stream === undefined) throw new Error("No stream.");
    const answers = await Promise.all([
      world.transmitter.send(token, stream),
      world.transmitter.send(token, stream),
    ]);
    expect(answers.map((answer) => answer?.status)).toEqual([202, 202]);
    expect(await world.liveSessions(person.user)).toBe(0);
    const received = await world.server.audit("signal.received");
    expect(received.filter(({ data }) => data["stream"] === "acme")).toHaveLength(1);
  });

  test("gives its transmitter another credential, and refuses the former one", async () => {
    await create();
    const old = { ...only(), delivery: { ...only()?.delivery } } as NonNullable<ReturnType<typeof only>>;
    const { status, body } = await makeCredential();
    expect([status, body["atTransmitter"], body["pushUrl"]]).toEqual([201, true, pushUrl()]);
    expect(only()?.delivery.authorization_header).toBe(body["authorizationHeader"]);
    const answer = await world.transmitter.send(
      await world.transmitter.verification("stream-1", undefined),
      old,
    );
    expect(await answer?.json()).toMatchObject({ err: "authentication_failed" });
    await runTest();
    await verified();
  });

  test("shows the credential to enter when its transmitter is away", async () => {
    await create();
    world.transmitter.lies.set("PATCH /ssf/stream", () => ({ status: 503, body: {} }));
    const { status, body } = await makeCredential();
    expect([status, body["atTransmitter"]]).toEqual([201, false]);
    expect(only()?.delivery.authorization_header).not.toBe(body["authorizationHeader"]);
  });

  test("that exists at its transmitter is taken over with its id", async () => {
    world.transmitter.streams.set("theirs", {
      stream_id: "theirs",
      iss: world.transmitter.issuer,
      aud: ["https://theirs.example"],
      delivery: { method: "urn:ietf:rfc:8935" },
      status: "enabled",
    });
    const { status, body } = await create({ streamId: "theirs" });
    expect([status, body["audience"], body["hasCredential"]]).toEqual([201, "https://theirs.example", false]);
    expect((await makeCredential()).body["atTransmitter"]).toBe(true);
  });

  test("of a transmitter without an API is entered by hand", async () => {
    const { status } = await create({ token: undefined, streamId: "theirs", audience: receiver });
    expect([status, world.transmitter.streams.size]).toEqual([201, 0]);
    const { body } = await makeCredential();
    expect(body["atTransmitter"]).toBe(false);
    const stream = {
      stream_id: "theirs",
      status: "enabled",
      delivery: {
        method: "urn:ietf:rfc:8935",
        endpoint_url: pushUrl(),
        authorization_header: String(body["authorizationHeader"]),
      },
    };
    expect(
      (await world.transmitter.send(await world.transmitter.verification("theirs", undefined), stream))
        ?.status,
    ).toBe(202);
    const tested = await runTest();
    expect([tested.status, JSON.stringify(tested.body)]).toEqual([
      400,
      expect.stringContaining("without a token"),
    ]);
  });

  test("says what its transmitter says of it", async () => {
    await create();
    const stream = only();
    if (stream === undefined) throw new Error("No stream.");
    const claims = { sub_id: { format: "opaque", id: "stream-1" } };
    const type = "https://schemas.openid.net/secevent/ssf/event-type/stream-updated";
    await world.transmitter.send(
      await world.transmitter.sign(type, { status: "disabled" }, { claims }),
      stream,
    );
    expect(await read()).toMatchObject({ transmitterStatus: "disabled", health: "paused" });
    const odd = await world.transmitter.send(
      await world.transmitter.sign(type, { status: "odd" }, { claims }),
      stream,
    );
    expect(await odd?.json()).toMatchObject({ err: "invalid_request" });
  });
});

describe("a stream that is polled", () => {
  test("is created at its transmitter, and brings the event that was asked for", async () => {
    const { status, body } = await create({ delivery: "poll" });
    expect([status, body["pushUrl"], body["hasCredential"]]).toEqual([201, null, false]);
    expect(only()?.delivery.method).toBe("urn:ietf:rfc:8936");
    await runTest();
    world.clock.advance(5);
    await verified();
    expect(world.transmitter.queue.size).toBe(0);
  });

  test("has no credential to replace", async () => {
    await create({ delivery: "poll" });
    expect((await makeCredential()).status).toBe(400);
  });

  test("that its transmitter pushes is refused", async () => {
    world.transmitter.lies.set("POST /ssf/stream", (answer) => ({
      body: { ...answer, delivery: { method: "urn:ietf:rfc:8935" } },
    }));
    const { status, text } = await create({ delivery: "poll" });
    expect([status, text]).toEqual([400, expect.stringContaining("pushes")]);
  });
});

describe("creating a stream", () => {
  const answer =
    (place: string, body: unknown, status = 200) =>
    () =>
      world.transmitter.lies.set(place, () => ({ status, body }));
  const metadata = "GET /.well-known/ssf-configuration";
  const stream = "POST /ssf/stream";
  const base = () => ({ issuer: world.transmitter.issuer, jwks_uri: `${world.transmitter.issuer}/keys` });
  test.each([
    { name: "a provider that is not here", change: () => ({ provider: "nobody" }), says: "nobody" },
    { name: "no token to create it with", change: () => ({ token: undefined }), says: "without a token" },
    {
      name: "no token to poll with",
      change: () => ({ token: undefined, delivery: "poll", streamId: "s", audience: "a" }),
      says: "without a token",
    },
    {
      name: "neither a token nor the audience",
      change: () => ({ token: undefined, streamId: "s" }),
      says: "without a token",
    },
    { name: "a token that is not taken", change: () => ({ token: "other" }), says: "401" },
    { name: "an id that is not there", change: () => ({ streamId: "other" }), says: "404" },
    { name: "a transmitter without metadata", lie: answer(metadata, {}, 404), says: "no metadata" },
    {
      name: "metadata of another issuer",
      lie: () => answer(metadata, { ...base(), issuer: "https://other.example" })(),
      says: "calls itself",
    },
    { name: "metadata that is no object", lie: answer(metadata, []), says: "form" },
    {
      name: "metadata without keys",
      lie: () => answer(metadata, { ...base(), jwks_uri: undefined })(),
      says: "form",
    },
    {
      name: "keys at a plain address",
      lie: () => answer(metadata, { ...base(), jwks_uri: "http://keys.example" })(),
      says: "form",
    },
    {
      name: "a transmitter that creates none",
      lie: () => answer(metadata, base())(),
      says: "configuration_endpoint",
    },
    { name: "a transmitter that has one already", lie: answer(stream, {}, 409), says: "already" },
    { name: "a transmitter that fails", lie: answer(stream, {}, 500), says: "500" },
    { name: "an answer that is no JSON", lie: answer(stream, "<html>"), says: "form" },
    { name: "an answer without an id", lie: answer(stream, { aud: "a" }), says: "form" },
    { name: "an answer without an audience", lie: answer(stream, { stream_id: "s" }), says: "form" },
    {
      name: "an answer of another issuer",
      lie: answer(stream, { stream_id: "s", aud: "a", iss: "https://other.example" }),
      says: "calls itself",
    },
  ] as const)("is refused with $name", async ({ says, ...spoilt }) => {
    if ("lie" in spoilt) spoilt.lie();
    const { status, text } = await create("change" in spoilt ? spoilt.change() : {});
    expect([status, text]).toEqual([400, expect.stringContaining(says)]);
    expect(await world.database.query("SELECT FROM signal_streams")).toHaveLength(0);
  });

  test("is refused with a key that is taken, before the transmitter is asked", async () => {
    await create();
    expect((await create()).status).toBe(409);
    expect(world.transmitter.streams.size).toBe(1);
  });
});

describe("changing a stream", () => {
  test("pauses and resumes it at its transmitter, too", async () => {
    await create();
    expect((await patch({ enabled: false })).body).toMatchObject({ enabled: false, health: "paused" });
    expect(only()?.status).toBe("paused");
    expect((await patch({ enabled: true })).body).toMatchObject({ enabled: true, health: "waiting" });
    expect(only()?.status).toBe("enabled");
  });

  test("pauses it here when its transmitter is away, and does not pretend to resume it", async () => {
    await create();
    world.transmitter.lies.set("POST /ssf/status", () => ({ status: 503, body: {} }));
    expect((await patch({ enabled: false })).status).toBe(200);
    expect((await patch({ enabled: true })).status).toBe(400);
    expect(await read()).toMatchObject({ enabled: false });
  });

  test("leaves what is the transmitter's", async () => {
    await create();
    for (const member of ["provider", "transmitter", "delivery", "streamId", "audience", "key"])
      expect([member, (await patch({ [member]: "other" })).status]).toEqual([member, 400]);
  });

  test("takes another token, which is stored sealed", async () => {
    await create();
    expect((await patch({ token: "another" })).status).toBe(200);
    expect((await runTest()).status).toBe(400);
    await patch({ token: transmitterToken });
    expect((await runTest()).status).toBe(202);
  });
});

describe("removing a stream", () => {
  const remove = async () =>
    await world.server.request("DELETE", "/signal-streams/acme", {
      version: Number((await read())["version"]),
    });

  test("removes it at its transmitter, and refuses what it still sends", async () => {
    await create();
    const gone = only();
    expect((await remove()).status).toBe(204);
    expect(world.transmitter.streams.size).toBe(0);
    if (gone === undefined) throw new Error("No stream.");
    const answer = await world.transmitter.send(
      await world.transmitter.verification("stream-1", undefined),
      gone,
    );
    expect(await answer?.json()).toMatchObject({ err: "authentication_failed" });
  });

  test("does not wait for a transmitter that is away", async () => {
    await create();
    world.transmitter.lies.set("DELETE /ssf/stream", () => ({ status: 503, body: {} }));
    expect((await remove()).status).toBe(204);
    expect(world.server.log.at(-1)).toBeDefined();
    expect(world.server.log.some(({ code }) => code === "SIGNAL_STREAM_LEFT_AT_TRANSMITTER")).toBe(true);
  });

  test("comes before removing its provider", async () => {
    await create();
    const { body } = await world.server.request("GET", "/identity-providers/idp");
    const refused = await world.server.request("DELETE", "/identity-providers/idp", {
      version: Number(body["version"]),
    });
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining("stream")]);
  });
});

describe("a stream that brings nothing", () => {
  const watch = async () => {
    const { context } = world.server;
    await watchStreams({ ...world.pollContext(), store: context.store });
  };
  const reports = async () =>
    await world.database.query(
      "SELECT FROM notification_events WHERE event->>'type' = 'signal_stream.failing'",
    );

  test("is asked for a verification event every day, and reported once when it does not come", async () => {
    await create();
    world.transmitter.lies.set("POST /ssf/verify", undefined);
    await watch();
    const before = (await reports()).length;
    world.clock.advance(600);
    await watch();
    await watch();
    expect(await read()).toMatchObject({ health: "failing", failure: "verification_missing" });
    expect((await reports()).length - before).toBe(1);
    const overview = await world.server.request("GET", "/overview");
    expect(overview.text).toContain("repair_signal_streams");

    world.transmitter.lies.clear();
    await runTest();
    await verified();
    await vi.waitFor(async () => expect((await read())["health"]).not.toBe("failing"));
    await watch();
    const [row] = await world.database.query<{ reported_at: Date | null }>(
      "SELECT reported_at FROM signal_streams",
    );
    expect(row?.reported_at).toBeNull();
  });

  test("is reported as silent after thirty days without a token", async () => {
    await create({ token: undefined, streamId: "theirs", audience: receiver });
    await world.database.query("UPDATE signal_streams SET created_at = $1", [world.at()]);
    world.clock.advance(30 * 86_400 + 1);
    const before = (await reports()).length;
    await watch();
    expect((await reports()).length - before).toBe(1);
    const [row] = await world.database.query<{ reported_at: Date | null }>(
      "SELECT reported_at FROM signal_streams",
    );
    expect(row?.reported_at).not.toBeNull();
  });
});
