import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startConnectionLoad } from "./connection-load.js";
import { cutCommit, cuts, expectSettled } from "./connection-cuts.js";
import type { SeenAnswer } from "./account-holder.js";
import { findConnectionViolations } from "./connection-violations.js";
import { type ConnectionsStage, setConnectionsStage } from "./connections-stage.js";
import { expireAccessToken, inBackground } from "./connections-step.js";
import { connectSteps, reconnectSteps } from "./connecting-steps.js";
import { disconnectSteps, disconnectStepsAlone } from "./disconnect-steps.js";
import { extent, timeLimit } from "./extent.js";
import { inTurn } from "./in-turn.js";
import type { ServerProcess } from "./installation.js";
import { refreshSteps } from "./refresh-steps.js";
import { noteLeftBehind, passMinutes } from "./time-passing.js";
import { useSteps, useStepsAlone } from "./use-steps.js";

/** The steps at which each process is killed. It needs free connections to the database and the third party for the others. */
const groups = [
  [...connectSteps, ...reconnectSteps, ...refreshSteps],
  [...disconnectSteps, ...useSteps],
  ...[...disconnectStepsAlone, ...useStepsAlone].map((step) => [step]),
];
const steps = groups.flat();

/** Enough for two processors; what is measured is not speed. */
const atOnce = 4;

const races = [{ key: "race" }, { key: "race-sent" }, { key: "race-rotated" }] as const;
const loaded = Array.from({ length: extent({ short: 4, long: 8 }) }, (_, index) => ({
  key: `load-${index}`,
}));

let stage: ConnectionsStage;
/** The one that everything goes to. */
let server: ServerProcess;
beforeAll(async () => {
  const keys = [...steps, ...cuts, ...races, ...loaded].map(({ key }) => key);
  ({ stage, first: server } = await setConnectionsStage(keys));
}, timeLimit);
afterAll(() => stage.close());

/** The statuses of the answers to refreshes. */
function refreshesOf(key: string): readonly number[] {
  return stage.gate
    .asked(key)
    .flatMap(({ grantType, status }) => (grantType === "refresh_token" ? [status] : []));
}

describe("kill -9", () => {
  beforeAll(async () => {
    const others = await Promise.all(groups.map(() => stage.startHeld()));
    await inTurn(steps, atOnce, async ({ key, isConnected }) => {
      if (isConnected) await stage.person.connect(key);
    });
    for (const [index, other] of others.entries()) {
      stage.sendTo(other);
      await inTurn(groups[index] ?? [], atOnce, (step) => step.reach(stage));
      // At once: some limits are not timers, and cannot be stretched.
      await other.kill();
    }
    stage.sendTo(server);
    await inTurn(steps, atOnce, async (step) => await step.atOnce?.(stage));
    await passMinutes(stage, [server]);
  }, timeLimit);

  const titled = steps.map((step) => [`${step.key}: ${step.moment}, ${step.outcome}`, step] as const);
  test.each(titled)("%s", async (_title, step) => {
    await expect(step.afterwards(stage)).resolves.toBeUndefined();
  });

  test("nothing is lost, doubled or half-done", async () => {
    await expect.poll(() => findConnectionViolations(stage), inBackground).toEqual([]);
  });
});

describe("a connection to the database that is lost while something is committed", () => {
  beforeAll(async () => {
    await inTurn(cuts, atOnce, (cut) => cutCommit(stage, cut));
    await passMinutes(stage, [server]);
  }, timeLimit);

  const titled = cuts.map((cut) => [`${cut.work}, lost ${cut.moment}`, cut] as const);
  test.each(titled)("%s: done wholly or not at all", async (_title, cut) => {
    await expect(expectSettled(stage, cut)).resolves.toBeUndefined();
  });
});

describe("thirty requests at two processes, with an access token that is over", () => {
  let other: ServerProcess;
  beforeAll(async () => {
    other = await stage.startHeld();
  }, timeLimit);

  /** At both processes, in turn, the other one first. */
  function useAtBoth(key: string, count: number) {
    const uses = Array.from({ length: count }, async (_, index) => {
      const { origin } = index % 2 === 0 ? other : server;
      return await stage.person.use(key, { origin });
    });
    return Promise.all(uses);
  }

  test("one refresh each time, and every request goes through", async () => {
    await stage.person.connect("race");
    for (let round = 1; round <= 3; round += 1) {
      await expireAccessToken(stage, "race");
      const answers = await useAtBoth("race", 30);

      expect(countByStatus(answers)).toEqual({ 200: 30 });
      expect(refreshesOf("race")).toEqual(Array.from({ length: round }, () => 200));
    }
  });

  test("the process that refreshes is killed: one more refresh, by the other one, and never a third", async () => {
    const [sent, rotated] = ["race-sent", "race-rotated"] as const;
    const first = await Promise.all(
      [sent, rotated].map(async (key) => {
        await stage.person.connect(key);
        await expireAccessToken(stage, key);
        const held = stage.gate.hold(key, "token", key === sent ? "before" : "after");
        const use = stage.person.use(key, { origin: other.origin });
        await held;
        return { key, use };
      }),
    );
    // Begun only when both are held: they wait for a refresh no longer than some seconds.
    const [ofSent, ofRotated] = first.map(async ({ key, use }) =>
      (await Promise.all([use, useAtBoth(key, 29)])).flat(),
    );
    await other.kill();
    await passMinutes(stage, []);
    const [answersOfSent, answersOfRotated] = [await ofSent, await ofRotated];

    // Fourteen were at the process that lives.
    expect(countByStatus(answersOfSent)).toEqual({ undefined: 16, 200: 14 });
    expect(refreshesOf(sent)).toEqual([200]);
    expect(countByStatus(answersOfRotated)).toEqual({ undefined: 16, 409: 14 });
    expect(refreshesOf(rotated)).toEqual([200, 400]);
    expect(await stage.person.use(sent)).toMatchObject({ status: 200 });
    expect(await stage.person.use(rotated)).toMatchObject({
      status: 409,
      body: { error: "reconnect_required" },
    });
    expect([refreshesOf(sent), refreshesOf(rotated)]).toEqual([[200], [200, 400]]);
  });
});

/** How many answers there are of each status. */
function countByStatus(answers: readonly SeenAnswer[] = []): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { status } of answers) counts[String(status)] = (counts[String(status)] ?? 0) + 1;
  return counts;
}

test("under load, connections to the database are lost, and one of two processes is killed, over and over", {
  timeout: timeLimit,
}, async () => {
  const kills = extent({ short: 1, long: 30 });
  const step = extent({ short: 20, long: 80 });
  let other = await stage.start();
  const origin = () => (Math.random() < 0.5 ? server : other).origin;
  const load = startConnectionLoad(stage, { keys: loaded.map(({ key }) => key), origin });
  for (let round = 0; round < kills; round += 1) {
    await load.progress(step);
    stage.proxy.cutAll();
    await load.progress(step);
    await server.kill();
    server = other;
    stage.sendTo(server);
    const leftBehind = await noteLeftBehind(stage);
    if (round + 1 < kills) other = await stage.start();
    await load.progress(20);
    await leftBehind.passMinutes();
    server.command.kill("SIGCONT");
  }
  await load.progress(step);
  await load.stop();
  await passMinutes(stage, [server]);
  await expect.poll(() => stage.database.query(leftOver), inBackground).toEqual([]);
  // Whoever has the lease of a process that was killed gives it back, one way or the other.
  const { ledger } = load;
  await Promise.all(loaded.map(({ key }) => load.use(key)));

  expect(ledger.surprises).toEqual([]);
  const refreshes = loaded.map(({ key }) => refreshesOf(key).length - (ledger.expired.get(key) ?? 0));
  expect(refreshes.filter((more) => more > kills)).toEqual([]);
  await expect.poll(() => findConnectionViolations(stage, ledger), inBackground).toEqual([]);
});

/** What has to be made up for. */
const leftOver = `
  SELECT id FROM forwarded_calls UNION ALL SELECT id FROM connections WHERE state = 'disconnecting'`;
