import { expect, vi } from "vitest";
import type { ConnectionsStage } from "./connections-stage.js";
import {
  areLive,
  begin,
  connectionId,
  expectEvents,
  expireAccessToken,
  expectConnectable,
  inBackground,
  issued,
  type Step,
} from "./connections-step.js";

/** It says what is going on, and nothing is sent for it any more. */
async function expectBlocked(stage: ConnectionsStage, key: string): Promise<void> {
  const { person, gate } = stage;
  expect(await person.show(key)).toMatchObject({ state: "disconnecting" });
  const used = gate.used(key);
  expect(await person.use(key)).toMatchObject({ status: 409, body: { error: "disconnecting" } });
  expect(gate.used(key)).toBe(used);
}

/** It is gone here and there, one event says so, and an account can be connected again. */
async function expectGone(
  stage: ConnectionsStage,
  key: string,
  others: readonly string[] = [],
): Promise<void> {
  await expect.poll(() => stage.person.show(key), inBackground).toMatchObject({ state: "not_connected" });
  expect(await areLive(stage, issued(stage, key, -1))).toEqual([false, false]);
  await expectEvents(stage, key, ["created", ...others, "removed"]);
  await expectConnectable(stage, key);
}

/** Statements have the row's id; so have no other ones of these. */
const blocks = `"disconnecting_at" =`;
const removes = `delete from "connections"`;

/** A refresh has begun, its answer is not here, and disconnecting waits for it. */
async function disconnectDuringRefresh(stage: ConnectionsStage, key: string): Promise<void> {
  const refreshed = stage.gate.hold(key, "token", "after");
  await expireAccessToken(stage, key);
  begin(stage.person.use(key));
  await refreshed;
  begin(stage.person.disconnect(key));
  await vi.waitUntil(async () => (await stage.person.show(key)).state === "disconnecting", inBackground);
}

function disconnecting(
  key: string,
  {
    moment,
    hold,
  }: { readonly moment: string; readonly hold: (stage: ConnectionsStage, id: string) => Promise<void> },
): Step {
  return {
    key,
    moment,
    outcome: "nothing is sent any more, and another process ends it",
    isConnected: true,
    async reach(stage) {
      const held = hold(stage, await connectionId(stage, key));
      begin(stage.person.disconnect(key));
      await held;
    },
    atOnce: (stage) => expectBlocked(stage, key),
    afterwards: (stage) => expectGone(stage, key),
  };
}

export const disconnectSteps: readonly Step[] = [
  disconnecting("disconnect-blocked", {
    moment: "when the connection is blocked",
    hold: ({ proxy }, id) => proxy.holdNext(blocks, "after", id),
  }),
  disconnecting("disconnect-revoking", {
    moment: "before the third party has revoked",
    hold: ({ gate }) => gate.hold("disconnect-revoking", "revocation", "before"),
  }),
  disconnecting("disconnect-revoked", {
    moment: "when the third party has revoked, and its answer is not here",
    hold: ({ gate }) => gate.hold("disconnect-revoked", "revocation", "after"),
  }),
  disconnecting("disconnect-removing", {
    moment: "before the removal is committed",
    hold: ({ proxy }, id) => proxy.holdNext("COMMIT", "before", removes, id),
  }),
  {
    ...disconnecting("disconnect-removed", {
      moment: "when the removal is committed, and nobody knows",
      hold: ({ proxy }, id) => proxy.holdNext("COMMIT", "after", removes, id),
    }),
    outcome: "it is gone",
    atOnce: async ({ person }) => {
      expect(await person.show("disconnect-removed")).toMatchObject({ state: "not_connected" });
    },
  },
];

/** It waits for a refresh for some seconds only, so no other step may come between it and the kill. */
export const disconnectStepsAlone: readonly Step[] = [
  {
    ...disconnecting("disconnect-refreshing", {
      moment: "while it waits for a refresh, whose answer is not here",
      hold: async () => undefined,
    }),
    reach: (stage) => disconnectDuringRefresh(stage, "disconnect-refreshing"),
    // The request that needed the refresh is recorded as one whose outcome is unknown.
    afterwards: (stage) => expectGone(stage, "disconnect-refreshing", ["used"]),
  },
];
