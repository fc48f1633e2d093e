import { describe, expect, it } from "vitest";
import { ServerHints } from "../../src/tokens/server-hints.js";

const now = Date.UTC(2030, 0, 1, 12, 0, 0);
const here = "https://contracts.example";
const dateOf = (secondsAhead: number): { date: string } => ({
  date: new Date(now + secondsAhead * 1000).toUTCString(),
});

describe("what a server says about proofs", () => {
  it("counts for all addresses of its origin and for no other", () => {
    const hints = new ServerHints(() => now);
    expect(hints.learnNonce(`${here}/api`, { "dpop-nonce": "one" })).toBe(true);
    expect(hints.learnClock(`${here}/api`, dateOf(-400))).toBe(true);
    expect(hints.forProof(`${here}/oauth/token`)).toEqual({ nonce: "one", clockOffsetSeconds: -400 });
    expect(hints.forProof("https://other.example/api")).toEqual({});
    expect(hints.forProof("https://contracts.example:8443/api")).toEqual({});
  });

  it.each([{}, { date: "" }, { date: "yesterday" }, dateOf(0), dateOf(2), dateOf(-2)])(
    "changes no time with the headers %o",
    (headers) => {
      const hints = new ServerHints(() => now);
      expect(hints.learnClock(here, headers)).toBe(false);
      expect(hints.forProof(here)).toEqual({});
    },
  );

  it("is followed when its time changes, and no more when that time was not what was wrong", () => {
    const hints = new ServerHints(() => now);
    expect(hints.learnClock(here, dateOf(400))).toBe(true);
    expect(hints.learnClock(here, dateOf(500))).toBe(true);
    expect(hints.forProof(here)).toEqual({ clockOffsetSeconds: 500 });
    expect(hints.learnClock(here, dateOf(501))).toBe(false);
    expect(hints.forProof(here)).toEqual({});
  });
});
