import { beforeEach, describe, expect, it } from "vitest";
import { forEachTest } from "../../../../client/test/support/for-each-test.js";
import { startSignedInWorld } from "../../support/cli-world.js";

const world = forEachTest(startSignedInWorld);
beforeEach(async () => {
  await world.run(["request", world.api]);
});

const path = "/api/contracts";

describe("--retry", () => {
  it("waits twice as long each time, or as long as the service says", async () => {
    const waits: number[] = [];
    world.service.fail(path, { status: 503 }, { status: 429, headers: { "retry-after": "7" } }, "drop", {
      status: 502,
    });
    const result = await world.run(["request", "--retry", "4", world.api], { onPause: (s) => waits.push(s) });
    expect([result.code, waits]).toEqual([0, [0.5, 7, 2, 4]]);
    expect(result.stderr).toContain("The service answered 503. Trying again in 0.5 s.");
  });

  it.each([
    { name: "seconds", seconds: 86_400, value: () => "86400" },
    { name: "a moment", seconds: 300, value: () => new Date(Date.now() + 300_000).toUTCString() },
  ])(
    "ends, and says when to come back, where $name ask for more than a minute",
    async ({ value, seconds }) => {
      const waits: number[] = [];
      const before = world.service.count(path);
      world.service.fail(path, { status: 503, headers: { "retry-after": value() }, body: { error: "down" } });
      const from = Date.now() + (seconds - 10) * 1000;
      const result = await world.run(["request", "--retry", "3", world.api], {
        onPause: (s) => waits.push(s),
      });
      expect([result.code, waits, world.service.count(path)]).toEqual([1, [], before + 1]);
      expect(result.stdout).toBe('{"error":"down"}');
      const said = /^The service answered 503\. It asks to wait (\d+) s, .* Try again after (\S+Z)\.$/m.exec(
        result.stderr,
      );
      expect(Number(said?.[1])).toSatisfy((asked: number) => asked > seconds - 10 && asked <= seconds);
      expect(Date.parse(said?.[2] ?? "")).toBeGreaterThan(from);
    },
  );

  it("waits until a moment that is near", async () => {
    const waits: number[] = [];
    const value = new Date(Date.now() + 50_000).toUTCString();
    world.service.fail(path, { status: 503, headers: { "retry-after": value } });
    await world.run(["request", "--retry", "1", world.api], { onPause: (s) => waits.push(s) });
    expect(waits).toEqual([expect.toSatisfy((seconds: number) => seconds > 10 && seconds <= 50)]);
  });

  it("gives up after the last attempt and shows its answer", async () => {
    world.service.fail(path, { status: 503 }, { status: 503, body: { error: "down" } });
    const result = await world.run(["request", "--retry", "1", world.api]);
    expect([result.code, result.stdout]).toEqual([1, '{"error":"down"}']);
  });

  it("does not repeat what the service refused", async () => {
    const before = world.service.count(path);
    world.service.fail(path, { status: 400 });
    await world.run(["request", "--retry", "3", world.api]);
    expect(world.service.count(path)).toBe(before + 1);
  });

  it("is for requests that may arrive twice", async () => {
    for (const args of [
      ["-d", "{}"],
      ["-X", "PATCH"],
      ["-T", "-"],
    ]) {
      const result = await world.run(["request", "--retry", "2", ...args, world.api]);
      expect([result.code, result.stderr.includes("Leave out --retry.")]).toEqual([2, true]);
    }
    for (const times of ["0", "-1", "many"])
      expect((await world.run(["request", "--retry", times, world.api])).code).toBe(2);
  });
});
