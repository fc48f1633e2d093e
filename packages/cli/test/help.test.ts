import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliWorld, startCliWorld } from "./support/cli-world.js";

let world: CliWorld;
beforeAll(async () => {
  world = await startCliWorld();
});
afterAll(async () => await world.close());

describe("help", () => {
  for (const args of [
    [],
    ["--help"],
    ["login", "-h"],
    ["request", "--help"],
    ["skills", "--help"],
    ["logout", "-h"],
  ]) {
    it(`of "authz ${args.join(" ")}" fits a screen and shows examples first`, async () => {
      const { code, stdout, stderr } = await world.run(args);
      expect([code, stderr]).toEqual([0, ""]);
      const lines = stdout.trimEnd().split("\n");
      expect(lines.length).toBeLessThanOrEqual(40);
      expect(lines.filter((line) => line.length > 110)).toEqual([]);
      expect(stdout.indexOf("Examples")).toBeGreaterThan(0);
      expect(stdout.indexOf("Examples")).toBeLessThan(stdout.indexOf("Usage"));
    });
  }

  it("is offered when a command is unknown", async () => {
    const { code, stderr } = await world.run(["lgin"]);
    expect([code, stderr]).toEqual([
      2,
      "Unknown command 'lgin'.\nDid you mean login?\nSee how it is used: authz --help\n",
    ]);
  });
});
