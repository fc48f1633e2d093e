import { describe, expect, it } from "vitest";
import { answerPage, PAGE_CHARACTERS } from "../src/answer-page.js";
import { toSafeJson } from "../src/clean-text.js";

const page = (body: unknown, offset = 0) =>
  answerPage({ status: 200, problem: undefined, body }, "a service", { offset, isRepeatable: true });

function processorTimeOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  return process.cpuUsage(before).user;
}

describe("an answer for a model", () => {
  it.each([[{ a: 1 }], ["text"], [null], ["x".repeat(PAGE_CHARACTERS - 100)]])(
    "is shown as a whole when it fits: case %#",
    (body) => {
      expect(JSON.parse(page(body))).toEqual({ status: 200, from: "a service", body });
    },
  );

  it.each([
    ["the body is too long", "x".repeat(PAGE_CHARACTERS + 1)],
    ["the body is too long with what is around it", "x".repeat(PAGE_CHARACTERS)],
    ["the body is too long with what cannot be seen written out", "\u200b".repeat(PAGE_CHARACTERS / 2)],
  ])("is shown in parts when %s", (_name, body) => {
    const first = JSON.parse(page(body)) as { characters: string; part: string };
    expect(body.startsWith(first.part)).toBe(true);
    expect(first.characters).toContain(`0 to ${String(first.part.length)} of ${String(body.length)}`);
  });

  it("is not written out as a whole when only a part of it is shown", () => {
    const long = "\u200b".repeat(4_000_000);
    const whole = processorTimeOf(() => toSafeJson({ body: long }));
    expect(processorTimeOf(() => page(long))).toBeLessThan(whole / 4);
  });
});
