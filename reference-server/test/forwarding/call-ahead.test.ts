import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createCallAhead } from "../../src/forwarding/call-ahead.js";

const shown = { id: "g", now: new Date(), proof: undefined };

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

/** A call that is noted, unless it may not be. */
async function note(noted = true) {
  const canceled: string[] = [];
  const ahead = createCallAhead({
    id: "c",
    startedAt: new Date(0),
    name: "GET https://api.example/",
    begin: async () => ({ active: undefined, begun: { noted } }),
    isNoted: (begun) => begun.noted,
    calls: { cancel: async (id) => void canceled.push(id) },
  });
  await ahead.act(shown);
  return { ahead, canceled };
}

test("a call that is noted ahead is handed over once, and then nobody else's to forget", async () => {
  const { ahead, canceled } = await note();
  const taken = { id: "c", startedAt: new Date(0), begun: { noted: true } };
  expect(await ahead.take("GET https://api.example/")).toEqual(taken);
  expect(await ahead.take("GET https://api.example/")).toBeUndefined();
  await ahead.dispose();
  expect(canceled).toEqual([]);
});

test("a call that nobody goes on with is forgotten, once", async () => {
  const { ahead, canceled } = await note();
  await ahead.dispose();
  await ahead.dispose();
  expect(canceled).toEqual(["c"]);
});

test("another call than the one that was noted is none of it", async () => {
  const { ahead, canceled } = await note();
  expect(await ahead.take("POST https://api.example/")).toBeUndefined();
  expect(canceled).toEqual(["c"]);
});

test("a call that was noted before somebody was waited for is noted anew", async () => {
  const { ahead, canceled } = await note();
  vi.advanceTimersByTime(101);
  expect(await ahead.take("GET https://api.example/")).toBeUndefined();
  expect(canceled).toEqual(["c"]);
});

test("what was never noted needs no forgetting", async () => {
  const { ahead, canceled } = await note(false);
  await ahead.dispose();
  expect(canceled).toEqual([]);
});
