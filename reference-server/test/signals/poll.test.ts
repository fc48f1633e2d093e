import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createOutboundClient } from "../../src/platform/outbound/outbound-fetch.js";
import { pollDueStreams } from "../../src/signals/poll-streams.js";
import type { SignalStream } from "../../src/store/signal-streams.js";
import { caep, type SignalWorld, startSignalWorld } from "../support/signals.js";
import { jtiOf } from "../support/transmitter.js";

let world: SignalWorld;
beforeAll(async () => {
  world = await startSignalWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  const { queue, polls, lies, provider } = world.transmitter;
  queue.clear();
  polls.length = 0;
  lies.clear();
  provider.failing = undefined;
  await world.database.query("DELETE FROM signal_streams");
});

type Person = Awaited<ReturnType<SignalWorld["addPerson"]>>;

const revoked = async ({ subject }: Person, change: Record<string, unknown> = {}) => {
  const claims = { sub_id: { format: "iss_sub", iss: world.transmitter.issuer, sub: subject }, ...change };
  return await world.transmitter.sign(`${caep}session-revoked`, {}, { claims });
};
/** Holds events ready to be polled. */
const hold = (...tokens: readonly string[]) => {
  for (const token of tokens) world.transmitter.queue.set(jtiOf(token), token);
};
const stateOf = async ({ key }: SignalStream) => await world.store.signalStreams.describe(key);
const dueIn = async ({ id }: SignalStream) => {
  const [row] = await world.database.query<{ poll_due_at: Date }>(
    "SELECT poll_due_at FROM signal_streams WHERE id = $1",
    [id],
  );
  return ((row?.poll_due_at.getTime() ?? 0) - world.clock()) / 1000;
};
const makeDue = async () => await world.database.query("UPDATE signal_streams SET poll_due_at = '-infinity'");

describe("polling", () => {
  test("acts on what waits, and acknowledges it with a later request: after its commit", async () => {
    const stream = await world.addPolled();
    const [one, two] = [await world.addPerson(), await world.addPerson()];
    const tokens = [await revoked(one), await revoked(two)];
    hold(...tokens);
    const context = world.pollContext();
    await pollDueStreams(context);
    expect([await world.liveSessions(one.user), await world.liveSessions(two.user)]).toEqual([0, 0]);
    expect(world.transmitter.polls).toEqual([
      { ack: [], setErrs: {}, maxEvents: 50, returnImmediately: true },
      { ack: tokens.map(jtiOf), setErrs: {}, maxEvents: 0, returnImmediately: true },
    ]);
    expect(world.transmitter.queue.size).toBe(0);
    await context.flush();
    expect(await stateOf(stream)).toMatchObject({
      counts: { acted: 2 },
      failure: null,
      lastReceivedAt: world.at(),
    });
    expect(await dueIn(stream)).toBe(5);
  });

  test("takes more than fits into one answer, and acknowledges each part with the next request", async () => {
    await world.addPolled();
    const person = await world.addPerson();
    hold(...(await Promise.all(Array.from({ length: 120 }, () => revoked(person)))));
    await pollDueStreams(world.pollContext());
    expect(world.transmitter.queue.size).toBe(0);
    expect(world.transmitter.polls.map(({ ack }) => (ack as unknown[]).length)).toEqual([0, 50, 50, 20]);
  });

  test("refuses each token for itself, with the reason, and takes the others", async () => {
    const stream = await world.addPolled();
    const person = await world.addPerson();
    const [bad, misnamed, good] = [
      await revoked(person, { aud: "https://other.example" }),
      await revoked(person),
      await revoked(person),
    ];
    hold(bad, good);
    world.transmitter.queue.set("another-jti", misnamed);
    world.transmitter.queue.set("no-token", 1 as unknown as string);
    const context = world.pollContext();
    await pollDueStreams(context);
    expect(world.transmitter.refusals).toEqual({
      [jtiOf(bad)]: { err: "invalid_audience", description: expect.stringContaining("aud") as unknown },
      "another-jti": { err: "invalid_request", description: expect.stringContaining("jti") as unknown },
      "no-token": { err: "invalid_request", description: expect.stringContaining("JWS") as unknown },
    });
    await context.flush();
    expect(await stateOf(stream)).toMatchObject({ counts: { acted: 1, refused: 3 }, failure: null });
    expect(await world.liveSessions(person.user)).toBe(0);
  });

  test("acknowledges no event whose transaction failed, and those before it", async () => {
    await world.addPolled();
    const [one, two] = [await world.addPerson(), await world.addPerson()];
    const tokens = [await revoked(one), await revoked(two, { txn: "fails" })];
    hold(...tokens);
    let calls = 0;
    const { store, ...context } = world.pollContext();
    const failing = {
      ...store,
      transaction: ((...work: Parameters<typeof store.transaction>) => {
        calls += 1;
        if (calls > 1) throw new Error("The database is away.");
        return store.transaction(...work);
      }) as typeof store.transaction,
    };
    await expect(pollDueStreams({ ...context, store: failing })).rejects.toThrow("away");
    expect(world.transmitter.polls.at(-1)?.["ack"]).toEqual([jtiOf(tokens[0] ?? "")]);
    expect([...world.transmitter.queue.keys()]).toEqual([jtiOf(tokens[1] ?? "")]);
    expect([await world.liveSessions(one.user), await world.liveSessions(two.user)]).toEqual([0, 1]);

    world.clock.advance(120);
    await pollDueStreams(world.pollContext());
    expect(await world.liveSessions(two.user)).toBe(0);
  });

  test("is done by one process at a time, and by another one after the lease", async () => {
    const stream = await world.addPolled();
    await Promise.all([pollDueStreams(world.pollContext()), pollDueStreams(world.pollContext())]);
    expect(world.transmitter.polls).toHaveLength(1);
    await makeDue();
    const due = { now: world.at(), leaseUntil: new Date(world.clock() + 120_000), limit: 8 };
    const [killed] = await world.store.signalStreams.claimDue(due);
    await pollDueStreams(world.pollContext());
    expect(world.transmitter.polls).toHaveLength(1);
    world.clock.advance(120);
    await pollDueStreams(world.pollContext());
    expect(world.transmitter.polls).toHaveLength(2);
    // The process that came back late changes nothing any more.
    if (killed !== undefined)
      await world.store.signalStreams.release(killed, {
        dueAt: new Date(0),
        failure: "late",
        failingSince: new Date(0),
      });
    expect(await stateOf(stream)).toMatchObject({ failure: null });
  });

  test.each([
    { name: "paused", change: { enabled: false } },
    { name: "pushed", change: { delivery: "push", pollUrl: null } as const },
  ])("leaves a stream alone that is $name", async ({ change }) => {
    await world.addPolled(change);
    await pollDueStreams(world.pollContext());
    expect(world.transmitter.polls).toEqual([]);
  });

  test("acts once on an event that is polled twice", async () => {
    const stream = await world.addPolled();
    const person = await world.addPerson();
    const token = await revoked(person);
    hold(token);
    await pollDueStreams(world.pollContext());
    await world.openSession(person, "new");
    hold(token);
    await makeDue();
    const context = world.pollContext();
    await pollDueStreams(context);
    await context.flush();
    expect(await world.liveSessions(person.user)).toBe(1);
    expect(await stateOf(stream)).toMatchObject({ counts: { repeated: 1 } });
  });
});

describe("a transmitter", () => {
  const lie = (status: number, body: unknown) =>
    world.transmitter.lies.set("POST /ssf/poll", () => ({ status, body }));
  test.each([
    { name: "does not take the token", lies: () => lie(401, {}), failure: "unauthorized" },
    { name: "forbids", lies: () => lie(403, {}), failure: "unauthorized" },
    { name: "fails", lies: () => lie(500, {}), failure: "status" },
    { name: "redirects", lies: () => lie(302, {}), failure: "unreachable" },
    { name: "answers no JSON", lies: () => lie(200, "<html>"), failure: "malformed" },
    { name: "answers a list", lies: () => lie(200, []), failure: "malformed" },
    { name: "answers a member twice", lies: () => lie(200, '{"sets":{},"sets":{}}'), failure: "malformed" },
    { name: "answers a list of sets", lies: () => lie(200, { sets: [] }), failure: "malformed" },
    {
      name: "answers text for moreAvailable",
      lies: () => lie(200, { sets: {}, moreAvailable: "no" }),
      failure: "malformed",
    },
    {
      name: "answers without end",
      lies: () => lie(200, { sets: { a: "x".repeat(5 * 1024 * 1024) } }),
      failure: "unreachable",
    },
    {
      name: "never answers",
      lies: () => world.transmitter.lies.set("POST /ssf/poll", undefined),
      failure: "unreachable",
    },
  ])("that $name is noted as failing, and asked again", async ({ lies, failure }) => {
    const stream = await world.addPolled();
    const person = await world.addPerson();
    hold(await revoked(person));
    lies();
    await pollDueStreams(world.pollContext());
    expect(await stateOf(stream)).toMatchObject({ failure, failingSince: world.at() });
    expect(await dueIn(stream)).toBe(5);
    world.transmitter.lies.clear();
    world.clock.advance(5);
    await pollDueStreams(world.pollContext());
    expect(await stateOf(stream)).toMatchObject({ failure: null, failingSince: null });
    expect(await world.liveSessions(person.user)).toBe(0);
  });

  test("that is away is asked less and less often, every five minutes at last", async () => {
    const stream = await world.addPolled();
    lie(503, {});
    const waits: number[] = [];
    for (let round = 0; round < 9; round += 1) {
      await pollDueStreams(world.pollContext());
      waits.push(await dueIn(stream));
      world.clock.advance(waits.at(-1) ?? 0);
    }
    expect(waits).toEqual([5, 5, 10, 20, 40, 80, 160, 300, 300]);
    const logged = world.server.log.filter(
      ({ code, stream: key }) => code === "SIGNAL_STREAM_FAILING" && key === stream.key,
    );
    expect(logged).toHaveLength(1);
  });

  test("that keeps its events although they were acknowledged is asked a bounded number of times", async () => {
    await world.addPolled();
    const person = await world.addPerson();
    const token = await revoked(person);
    world.transmitter.lies.set("POST /ssf/poll", () => ({
      status: 200,
      body: { sets: { [jtiOf(token)]: token }, moreAvailable: true },
    }));
    const before = (await world.server.audit("signal.received")).length;
    await pollDueStreams(world.pollContext());
    expect(world.transmitter.polls.length).toBeLessThanOrEqual(21);
    expect((await world.server.audit("signal.received")).length - before).toBe(1);
  });

  test("that sends more events than were asked for gets those acknowledged that were read", async () => {
    await world.addPolled();
    const person = await world.addPerson();
    const tokens = await Promise.all(Array.from({ length: 60 }, () => revoked(person)));
    const sets = Object.fromEntries(tokens.map((token) => [jtiOf(token), token]));
    world.transmitter.lies.set("POST /ssf/poll", () => ({ status: 200, body: { sets } }));
    await pollDueStreams(world.pollContext());
    expect(world.transmitter.polls.at(-1)?.["ack"]).toHaveLength(50);
  });

  test("whose keys are away loses nothing", async () => {
    const stream = await world.addPolled();
    const person = await world.addPerson();
    hold(await revoked(person));
    await world.transmitter.rotate();
    hold(await revoked(person));
    world.clock.advance(700);
    world.transmitter.lies.set("GET /.well-known/ssf-configuration", () => ({ status: 503, body: {} }));
    await pollDueStreams(world.pollContext());
    expect(await stateOf(stream)).toMatchObject({ failure: "keys" });
    expect(world.transmitter.queue.size).toBe(2);
    world.transmitter.lies.clear();
    world.clock.advance(30);
    await pollDueStreams(world.pollContext());
    expect(await world.liveSessions(person.user)).toBe(0);
    expect(world.transmitter.queue.size).toBe(0);
  });

  test("that hangs does not keep another stream from being polled", async () => {
    const hanging = await world.addPolled({ pollUrl: `${world.transmitter.issuer}/ssf/hang` });
    world.transmitter.lies.set("POST /ssf/hang", undefined);
    const stream = await world.addPolled();
    const person = await world.addPerson();
    hold(await revoked(person));
    const slow = createOutboundClient({ allowInsecureLoopback: true, timeoutSeconds: 2 });
    await pollDueStreams(
      world.pollContext({ client: { outboundFetch: slow.fetch, allowInsecureLoopback: true } }),
    );
    await slow.close();
    expect(await world.liveSessions(person.user)).toBe(0);
    expect(await stateOf(hanging)).toMatchObject({ failure: "unreachable" });
    expect(await stateOf(stream)).toMatchObject({ failure: null });
  });

  test("whose token cannot be opened here is noted as failing", async () => {
    const stream = await world.addPolled({ token: Buffer.from("other") });
    await pollDueStreams(world.pollContext());
    expect(await stateOf(stream)).toMatchObject({ failure: "token_unreadable" });
  });
});
