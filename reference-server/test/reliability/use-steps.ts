import { expect } from "vitest";
import type { ConnectionsStage } from "./connections-stage.js";
import { begin, connectionId, expectEvents, expectUsable, type Step } from "./connections-step.js";

interface UseMoment {
  readonly key: string;
  readonly moment: string;
  readonly outcome: string;
  readonly hold: (stage: ConnectionsStage, id: string) => Promise<void>;
  /** How many requests reached the third party, and how many events there are at last. */
  readonly sent: number;
  readonly recorded: number;
}

function using({ key, moment, outcome, hold, sent, recorded }: UseMoment): Step {
  return {
    key,
    moment,
    outcome,
    isConnected: true,
    async reach(stage) {
      const held = hold(stage, await connectionId(stage, key));
      begin(stage.person.use(key));
      await held;
    },
    async atOnce(stage) {
      expect(stage.gate.used(key)).toBe(sent);
      await expectUsable(stage, key);
    },
    async afterwards(stage) {
      const used = Array.from({ length: recorded + 1 }, () => "used");
      await expectEvents(stage, key, ["created", ...used]);
      await expectUsable(stage, key);
      expect(stage.gate.used(key)).toBe(sent + 2);
    },
  };
}

/** What a process does beside other things. */
export const useSteps: readonly Step[] = [
  using({
    key: "use-sent",
    moment: "while the third party is at it",
    outcome: "the request has one event",
    hold: ({ gate }) => gate.hold("use-sent", "api", "before"),
    sent: 1,
    recorded: 1,
  }),
  using({
    key: "use-answering",
    moment: "in the middle of the answer",
    outcome: "the request has one event",
    hold: ({ gate }) => gate.hold("use-answering", "api", "amid"),
    sent: 1,
    recorded: 1,
  }),
  using({
    key: "use-ending",
    moment: "before the event is stored",
    outcome: "the request has one event",
    hold: ({ proxy }, id) => proxy.holdNext("forwarded_calls_end", "before", id),
    sent: 1,
    recorded: 1,
  }),
];

/** What a process does alone: requests that begin or end at the same time share the statement that is held. */
export const useStepsAlone: readonly Step[] = [
  using({
    key: "use-beginning",
    moment: "before the request is noted",
    outcome: "nothing was sent",
    hold: ({ proxy }) => proxy.holdNext("call_through_connection", "before", '"connector":"use-beginning"'),
    sent: 0,
    recorded: 0,
  }),
  using({
    key: "use-begun",
    moment: "when the request is noted, and not sent",
    outcome: "nothing was sent, and an event says that nobody knows",
    hold: ({ proxy }) => proxy.holdNext("call_through_connection", "after", '"connector":"use-begun"'),
    sent: 0,
    recorded: 1,
  }),
  using({
    key: "use-ended",
    moment: "when the event is stored, and nobody knows",
    outcome: "the request has one event",
    hold: ({ proxy }, id) => proxy.holdNext("forwarded_calls_end", "after", id),
    sent: 1,
    recorded: 1,
  }),
];
