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
      // An example that can be copied stays on its line.
      expect(lines.filter((line) => line.length > 80 && !line.startsWith("  authz "))).toEqual([]);
      expect(stdout.indexOf("Examples")).toBeGreaterThan(0);
      expect(stdout.indexOf("Examples")).toBeLessThan(stdout.indexOf("Usage"));
    });
  }

  for (const { args, like } of [
    { args: ["help"], like: ["--help"] },
    { args: ["help", "request"], like: ["request", "--help"] },
    { args: ["help", "skills", "show"], like: ["skills", "show", "--help"] },
    { args: ["version"], like: ["--version"] },
    { args: ["--json", "version"], like: ["--json", "--version"] },
  ]) {
    it(`is the same with "authz ${args.join(" ")}" as with "authz ${like.join(" ")}"`, async () => {
      const result = await world.run(args);
      expect([result.code, result.stderr]).toEqual([0, ""]);
      expect(result).toEqual(await world.run(like));
    });
  }

  it("goes on below the description when the terminal is narrow", async () => {
    const { stdout } = await world.run(["login", "--help"], { columns: 40 });
    expect(stdout).toContain(
      "  --issuer <url>    address of the\n                    authorization\n                    server; needed once\n",
    );
  });

  for (const { args, words } of [
    { args: ["lgin"], words: "Unknown command 'lgin'.\nDid you mean login?\n|authz" },
    {
      args: ["skills", "zzz"],
      words: "Unknown command 'zzz'.\nAvailable: list, find, show, pull.\n|authz skills",
    },
    { args: ["skills", "shwo"], words: "Unknown command 'shwo'.\nDid you mean show?\n|authz skills" },
    { args: ["help", "requets"], words: "Unknown command 'requets'.\nDid you mean request?\n|authz" },
    {
      args: ["help", "connections", "dis"],
      words: "Unknown command 'dis'.\nDid you mean disconnect?\n|authz connections",
    },
    {
      args: ["request", "--scpoe", "a:b", "https://a.example"],
      words: "Unknown option '--scpoe'.\nDid you mean --scope?\n|authz request",
    },
    { args: ["request"], words: "Missing required argument 'url'.\n|authz request" },
    { args: ["config", "use"], words: "Missing required argument 'name'.\n|authz config use" },
    {
      args: ["request", "--retry", "x", "https://a.example"],
      words:
        "Option '--retry <times>' argument 'x' is invalid. It must be a whole number above 0.\n|authz request",
    },
  ]) {
    it(`of the right command is offered after "authz ${args.join(" ")}"`, async () => {
      const { code, stderr } = await world.run(args);
      const [what, command] = words.split("|");
      expect([code, stderr]).toEqual([2, `${what}See how it is used: ${command} --help\n`]);
    });
  }
});
