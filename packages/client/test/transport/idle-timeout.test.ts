import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createIdleTimeout } from "../../src/transport/idle-timeout.js";

let reasons: string[];
beforeEach(() => {
  vi.useFakeTimers();
  reasons = [];
});
afterEach(() => {
  vi.useRealTimers();
});

const idle = (): ReturnType<typeof createIdleTimeout> =>
  createIdleTimeout(30, (reason) => reasons.push(reason.message));

async function wait(seconds: number): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, seconds * 1000);
  });
}

/** A stream that yields after each of these waits, in seconds. */
async function* stream(...waits: readonly number[]): AsyncIterable<Uint8Array> {
  for (const seconds of waits) {
    await wait(seconds);
    yield Buffer.from("part");
  }
}

async function drain(body: AsyncIterable<Uint8Array>, readerSeconds = 0): Promise<void> {
  for await (const _ of body) if (readerSeconds > 0) await wait(readerSeconds);
}

describe("the idle with a server", () => {
  it("ends when no answer begins in time", async () => {
    idle();
    await vi.advanceTimersByTimeAsync(29_999);
    expect(reasons).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(reasons).toEqual(["No answer within 30 seconds."]);
  });

  it("lasts as long as an upload makes progress, and 30 seconds more", async () => {
    const limited = idle();
    const sent = drain(limited.whileSending(stream(20, 20, 20, 20)));
    await vi.advanceTimersByTimeAsync(80_000);
    await sent;
    await vi.advanceTimersByTimeAsync(29_000);
    expect(reasons).toEqual([]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(reasons).toEqual(["No answer within 30 seconds."]);
  });

  it("is not begun anew by an upload that goes on after the answer", async () => {
    const limited = idle();
    limited.headArrived();
    const sent = drain(limited.whileSending(stream(1)));
    await vi.advanceTimersByTimeAsync(1000);
    await sent;
    expect(vi.getTimerCount()).toBe(0);
  });

  it("ends when the body of an answer stands still", async () => {
    const limited = idle();
    limited.headArrived();
    const received = drain(limited.whileReceiving(stream(20, 20, 31)));
    await vi.advanceTimersByTimeAsync(70_000);
    expect(reasons).toEqual(["No more of the answer within 30 seconds."]);
    await vi.advanceTimersByTimeAsync(1000);
    await received;
  });

  it("does not end because the reader takes its time", async () => {
    const limited = idle();
    limited.headArrived();
    const received = drain(limited.whileReceiving(stream(1, 1)), 600);
    await vi.advanceTimersByTimeAsync(1_202_000);
    await received;
    expect([reasons, vi.getTimerCount()]).toEqual([[], 0]);
  });
});
