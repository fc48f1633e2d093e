import { expect } from "vitest";
import type { ConnectionsStage } from "./connections-stage.js";
import {
  areLive,
  begin,
  connectorId,
  expectEvents,
  expectConnectable,
  expectUsable,
  issued,
  type Step,
} from "./connections-step.js";

/** Which attempt a step has begun, by connector. */
type Attempts = Map<string, { readonly id: string; finish(): Promise<number | undefined> }>;

const attempts: Attempts = new Map();

/** Comes back from the third party, and leaves it to the server. */
async function comeBack(stage: ConnectionsStage, key: string): Promise<void> {
  const attempt = await stage.person.beginConnecting(key);
  attempts.set(key, attempt);
  begin(attempt.finish());
}

async function attemptState(stage: ConnectionsStage, key: string): Promise<unknown> {
  const { body } = await stage.person.attempt(key, attempts.get(key)?.id ?? "");
  return body["state"];
}

/** Nothing came of the attempt, and a new one connects. */
async function expectNothing(stage: ConnectionsStage, key: string): Promise<void> {
  expect(await attemptState(stage, key)).toBe("pending");
  await expectEvents(stage, key, []);
  await expectConnectable(stage, key);
  await expectEvents(stage, key, ["created", "used"]);
}

/** Nothing came of the attempt, and what was there before is used on. */
async function expectTheOld(stage: ConnectionsStage, key: string): Promise<void> {
  expect(await attemptState(stage, key)).toBe("pending");
  await expectUsable(stage, key);
  expect(await areLive(stage, issued(stage, key, 0))).toEqual([true, true]);
  await expectEvents(stage, key, ["created", "used"]);
  await stage.person.connect(key);
  await expectUsable(stage, key);
}

async function expectTheNew(stage: ConnectionsStage, key: string): Promise<void> {
  expect(await attemptState(stage, key)).toBe("connected");
  await expectUsable(stage, key);
  expect(await areLive(stage, issued(stage, key, -1))).toEqual([true, true]);
}

const saved = `insert into "connections"`;

/** Every moment of connecting, for somebody who has no account connected, or one. */
function connectingSteps(isConnected: boolean): readonly Step[] {
  const name = isConnected ? "reconnect" : "connect";
  const before = isConnected ? expectTheOld : expectNothing;
  const unchanged = isConnected ? "the old account works" : "nothing is connected, and connecting works";
  return [
    {
      key: `${name}-opened`,
      moment: "while the person is at the third party",
      outcome: "coming back connects",
      isConnected,
      async reach({ person }) {
        attempts.set(this.key, await person.beginConnecting(this.key));
      },
      async afterwards(stage) {
        expect(await attempts.get(this.key)?.finish()).toBe(200);
        await expectTheNew(stage, this.key);
      },
    },
    {
      key: `${name}-redeem`,
      moment: "before the third party has seen the code",
      outcome: unchanged,
      isConnected,
      async reach(stage) {
        const held = stage.gate.hold(this.key, "token", "before");
        await comeBack(stage, this.key);
        await held;
      },
      async afterwards(stage) {
        await before(stage, this.key);
      },
    },
    {
      key: `${name}-issued`,
      moment: "when the third party has issued tokens, and they are not here",
      outcome: unchanged,
      isConnected,
      async reach(stage) {
        const held = stage.gate.hold(this.key, "token", "after");
        await comeBack(stage, this.key);
        await held;
      },
      async afterwards(stage) {
        await before(stage, this.key);
      },
    },
    {
      key: `${name}-saving`,
      moment: "before the tokens are committed",
      outcome: unchanged,
      isConnected,
      async reach(stage) {
        const id = await connectorId(stage, this.key);
        const held = stage.proxy.holdNext("COMMIT", "before", saved, id);
        await comeBack(stage, this.key);
        await held;
      },
      async afterwards(stage) {
        await before(stage, this.key);
      },
    },
    {
      key: `${name}-saved`,
      moment: "when the tokens are committed, and nobody knows",
      outcome: "the new account works",
      isConnected,
      async reach(stage) {
        const id = await connectorId(stage, this.key);
        const held = stage.proxy.holdNext("COMMIT", "after", saved, id);
        await comeBack(stage, this.key);
        await held;
      },
      async afterwards(stage) {
        await expectTheNew(stage, this.key);
        const events = isConnected ? ["created", "reconnected", "used"] : ["created", "used"];
        await expectEvents(stage, this.key, events);
      },
    },
  ];
}

export const connectSteps: readonly Step[] = connectingSteps(false);
export const reconnectSteps: readonly Step[] = connectingSteps(true);
