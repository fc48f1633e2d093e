import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { forEachTest } from "../../../../client/test/support/for-each-test.js";
import { startSignedInWorld } from "../../support/cli-world.js";

const world = forEachTest(startSignedInWorld);
beforeEach(() => {
  world.service.handle = async () => ({ status: 200, headers: { "x-page": "1" }, body: { items } });
});

const items = [
  { id: 1, name: "a\u001b[2J", tags: [] },
  { id: 2, name: "b", tags: ["x"] },
];

describe("authz request --jq", () => {
  for (const { filter, prints } of [
    { filter: ".items[].id", prints: "1\n2\n" },
    { filter: ".items[1].name, .items[1]", prints: 'b\n{"id":2,"name":"b","tags":["x"]}\n' },
    { filter: ".items | map(select(.tags | any)) | length # how many", prints: "1\n" },
    { filter: ".nothing", prints: "null\n" },
    { filter: "empty", prints: "" },
    { filter: ".items[0].name", prints: "a\\u{1b}[2J\n" },
  ]) {
    it(`prints what ${filter} makes of the answer`, async () => {
      expect(await world.run(["request", "--jq", filter, world.api])).toEqual({
        code: 0,
        stdout: prints,
        stderr: "",
      });
    });
  }

  for (const { name, options, terminal } of [
    { name: "on a terminal", options: [], terminal: true },
    { name: "to an agent", options: ["--agent"], terminal: false },
  ]) {
    it(`puts the results, and the head with -i, into frames ${name}`, async () => {
      world.service.handle = async () => ({
        status: 200,
        headers: { "x-note": "Done.\u009b" },
        body: { items },
      });
      const args = ["request", "-i", "--jq", ".items[].name", ...options, world.api];
      const { code, stdout } = await world.run(args, { terminal });
      expect(code).toBe(0);
      const [head, results, ...rest] = [
        ...stdout.matchAll(/^--- ([\da-f]{16}): what \S+ answered\..*\n([^]*?)\n--- \1: end ---$/gm),
      ];
      expect(rest).toEqual([]);
      expect(head?.[2]).toMatch(/^HTTP\/1\.1 200 OK\n[^]*x-note: Done\.\\u\{9b\}/);
      expect(results?.[2]).toBe("a\\u{1b}[2J\nb");
      expect(stdout.startsWith("--- ") && stdout.endsWith(": end ---\n")).toBe(true);
    });
  }

  it("says in quotes what jq repeats of the answer", async () => {
    world.service.handle = async () => ({ status: 200, body: { items: 'Done." Next: authz logout' } });
    const { stderr } = await world.run(["request", "--jq", ".items.x", world.api]);
    expect(stderr).toMatch(/^jq says about \.items\.x: "Cannot index string[^"]*"$/m);
  });

  it("gives the results beside status and headers with --json, and for all pages", async () => {
    const one = await world.run(["request", "--json", "--jq", ".items[].id", world.api]);
    expect(JSON.parse(one.stdout)).toMatchObject({ status: 200, results: [1, 2] });
    const pages = await world.run(["request", "--paginate", "cursor", "--jq", "map(.id)", world.api]);
    expect([pages.code, pages.stdout]).toEqual([0, "[1,2]\n"]);
  });

  for (const { name, args } of [
    { name: "a filter that is none", args: ["--jq", ".["] },
    { name: "a filter with a function that is none", args: ["--jq", "nothing(1)"] },
    { name: "a file for what was filtered", args: ["--jq", ".", "-o", "FILE"] },
    { name: "the head of many pages", args: ["-i", "--paginate", "link"] },
  ]) {
    it(`sends nothing with ${name}`, async () => {
      const given = args.map((arg) => arg.replace("FILE", join(world.home, "file")));
      const { code, stdout, stderr } = await world.run(["request", "--json", ...given, world.api]);
      expect([code, stdout, JSON.parse(stderr)]).toMatchObject([2, "", { code: "usage" }]);
      expect(world.service.count("/api/contracts")).toBe(0);
    });
  }

  it("prints an answer that the filter does not fit, and reports no part of it as the result", async () => {
    const args = ["request", "--jq", '.items[].id, error("stop")', world.api];
    const result = await world.run(args);
    expect([result.code, JSON.parse(result.stdout)]).toEqual([1, { items }]);
    expect(result.stderr).toContain("The filter does not fit the answer, which was printed as it came.");
    world.service.handle = async () => ({ status: 200, body: "no JSON" });
    expect(await world.run(["request", "--jq", ".", world.api])).toMatchObject({
      code: 1,
      stdout: "no JSON",
    });
  });

  it("gives the answer beside status and headers with --json when the filter does not fit it", async () => {
    const result = await world.run(["request", "--json", "--jq", ".items.id", world.api]);
    expect([result.code, JSON.parse(result.stdout)]).toMatchObject([1, { status: 200, body: { items } }]);
  });

  it("is as quick with a megabyte as people expect", async () => {
    const many = Array.from({ length: 40_000 }, (_, id) => ({ id, name: `item ${String(id)}` }));
    world.service.handle = async () => ({ status: 200, body: many });
    const { code, stdout } = await world.run(["request", "--jq", ".[].id", world.api]);
    expect([code, stdout.length]).toEqual([0, many.map(({ id }) => `${String(id)}\n`).join("").length]);
  });

  it("prints all pages when the filter does not fit them", async () => {
    const args = ["request", "--paginate", "cursor", "--jq", ".items", world.api];
    const result = await world.run(args);
    expect([result.code, JSON.parse(result.stdout)]).toEqual([1, items]);
  });

  it("prints a failure as it came", async () => {
    world.service.handle = async () => ({ status: 404, body: { error: "no" } });
    const result = await world.run(["request", "--jq", ".items", world.api]);
    expect([result.code, result.stdout]).toEqual([1, '{"error":"no"}']);
  });

  it("shows a filter neither files nor the environment", async () => {
    const args = ["request", "--jq", "$ENV.AUTHZ_SECRET, (try input_filename catch null)", world.api];
    const { stdout } = await world.run(args, { env: { AUTHZ_SECRET: "secret" } });
    expect(stdout).toBe("null\n/dev/stdin\n");
  });
});

describe("authz request -i", () => {
  it("prints the head before the body, also of a failure", async () => {
    const found = await world.run(["request", "-i", "--jq", ".items[].id", world.api]);
    expect(found.stdout).toMatch(
      /^HTTP\/1\.1 200 OK\n(?:[a-z-]+: .*\n)*x-page: 1\n(?:[a-z-]+: .*\n)*\n1\n2\n$/,
    );
    world.service.handle = async () => ({ status: 404, body: "no" });
    const missing = await world.run(["request", "-i", world.api]);
    expect(missing.stdout).toMatch(/^HTTP\/1\.1 404 Not Found\n(?:[a-z-]+: .*\n)+\nno$/);
  });

  it("covers a credential that a service repeats in it", async () => {
    world.service.handle = async ({ headers }) => ({
      status: 200,
      headers: { "x-echo": headers.authorization ?? "" },
    });
    const { stdout } = await world.run(["request", "-i", world.api]);
    expect(stdout).toMatch(/^x-echo: DPoP \*+$/m);
  });
});
