import { expect } from "vitest";
import type { ConnectionsStage } from "./connections-stage.js";
import {
  areLive,
  begin,
  connectionId,
  expectEvents,
  expectReconnect,
  expectUsable,
  expireAccessToken,
  issued,
  type Step,
} from "./connections-step.js";

const finished = `"refreshed_at" =`;

/** A request finds an access token that is over. */
async function useExpired(stage: ConnectionsStage, key: string): Promise<void> {
  await expireAccessToken(stage, key);
  begin(stage.person.use(key));
}

function refreshesOf({ gate }: ConnectionsStage, key: string): number {
  return gate.asked(key).filter(({ grantType }) => grantType === "refresh_token").length;
}

/**
 * The next request asks once more, and gets an answer with the tokens that come. The one that was noted when the process
 * was killed, and never sent, has an event that says that nobody knows.
 */
async function expectOneMoreRefresh(stage: ConnectionsStage, key: string): Promise<void> {
  const asked = refreshesOf(stage, key);
  expect(await stage.person.use(key)).toMatchObject({ status: 200, isForeign: true });
  expect(refreshesOf(stage, key)).toBe(asked + 1);
  await expectUsable(stage, key);
  await expectEvents(stage, key, ["created", "used", "refreshed", "used", "used"]);
}

/** The third party takes the old refresh token no more. Asking shows it, once. */
async function expectLost(stage: ConnectionsStage, key: string): Promise<void> {
  const asked = refreshesOf(stage, key);
  expect(await stage.person.use(key)).toMatchObject({ status: 409, body: { error: "reconnect_required" } });
  expect(refreshesOf(stage, key)).toBe(asked + 1);
  await expectEvents(stage, key, ["created", "used", "reconnect_required"]);
  await expectReconnect(stage, key, "rotation_lost");
}

export const refreshSteps: readonly Step[] = [
  {
    key: "refresh-leased",
    moment: "when the refresh is its own, and nothing is sent",
    outcome: "another process refreshes",
    isConnected: true,
    async reach(stage) {
      const id = await connectionId(stage, this.key);
      const held = stage.proxy.holdNext("begin_refresh", "after", id);
      await useExpired(stage, this.key);
      await held;
    },
    async afterwards(stage) {
      await expectOneMoreRefresh(stage, this.key);
    },
  },
  {
    key: "refresh-sent",
    moment: "before the third party has seen the refresh token",
    outcome: "another process refreshes",
    isConnected: true,
    async reach(stage) {
      const held = stage.gate.hold(this.key, "token", "before");
      await useExpired(stage, this.key);
      await held;
    },
    async afterwards(stage) {
      await expectOneMoreRefresh(stage, this.key);
    },
  },
  {
    key: "refresh-rotated",
    moment: "when the third party has rotated the refresh token, and the answer is not here",
    outcome: "the connection says that it must be connected again",
    isConnected: true,
    async reach(stage) {
      const held = stage.gate.hold(this.key, "token", "after");
      await useExpired(stage, this.key);
      await held;
    },
    async afterwards(stage) {
      await expectLost(stage, this.key);
    },
  },
  {
    key: "refresh-storing",
    moment: "before the new tokens are committed",
    outcome: "the connection says that it must be connected again",
    isConnected: true,
    async reach(stage) {
      const id = await connectionId(stage, this.key);
      const held = stage.proxy.holdNext("COMMIT", "before", finished, id);
      await useExpired(stage, this.key);
      await held;
    },
    async afterwards(stage) {
      await expectLost(stage, this.key);
    },
  },
  {
    key: "refresh-stored",
    moment: "when the new tokens are committed, and nobody knows",
    outcome: "the new tokens work",
    isConnected: true,
    async reach(stage) {
      const id = await connectionId(stage, this.key);
      const held = stage.proxy.holdNext("COMMIT", "after", finished, id);
      await useExpired(stage, this.key);
      await held;
    },
    async atOnce(stage) {
      await expectUsable(stage, this.key);
      expect(await areLive(stage, issued(stage, this.key, -1))).toEqual([true, true]);
    },
    async afterwards(stage) {
      await expectUsable(stage, this.key);
      await expectEvents(stage, this.key, ["created", "refreshed", "used", "used", "used"]);
    },
  },
];
