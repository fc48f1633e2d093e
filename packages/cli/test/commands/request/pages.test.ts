import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { forEachTest } from "../../../../client/test/support/for-each-test.js";
import type { SeenRequest, TestAnswer } from "../../../../client/test/support/test-http.js";
import { startSignedInWorld } from "../../support/cli-world.js";

const world = forEachTest(startSignedInWorld);

const all = Array.from({ length: 25 }, (_, index) => ({ id: index }));
const number = (request: SeenRequest, name: string): number =>
  Number(request.url.searchParams.get(name) ?? "0");

/** The same list, handed out in three ways. */
const styles: { style: string; handle: (request: SeenRequest) => TestAnswer }[] = [
  {
    style: "link",
    handle: (request) => {
      const page = number(request, "page");
      const next = `<${request.path}?page=${String(page + 1)}>; rel="next"`;
      const link = page < 2 ? `</other>; rel="prev", ${next}; title="more"` : "";
      return { status: 200, headers: { link }, body: all.slice(page * 10, page * 10 + 10) };
    },
  },
  {
    style: "cursor",
    handle: (request) => {
      const from = number(request, "cursor");
      const limit = number(request, "limit");
      const nextCursor = from + limit < all.length ? String(from + limit) : null;
      return { status: 200, body: { items: all.slice(from, from + limit), nextCursor } };
    },
  },
  {
    style: "offset",
    handle: (request) => {
      const from = number(request, "offset");
      return { status: 200, body: all.slice(from, from + number(request, "limit")) };
    },
  },
];

describe("--paginate", () => {
  for (const { style, handle } of styles) {
    it(`collects all items by ${style}, in order`, async () => {
      world.service.handle = async (request) => handle(request);
      const result = await world.run([
        "request",
        "--paginate",
        style,
        "--page-size",
        "10",
        `${world.api}?q=a`,
      ]);
      expect([result.code, JSON.parse(result.stdout)]).toEqual([0, all]);
      const json = await world.run([
        "request",
        "--json",
        "--paginate",
        style,
        "--page-size",
        "10",
        world.api,
      ]);
      expect(JSON.parse(json.stdout)).toEqual({ pages: 3, items: all });
    });
  }

  it("keeps the items as they are written: large numbers, repeated members, any depth", async () => {
    const items = ["1146789012345678901", '{"a":1,"a":1.0}', `${"[".repeat(20_000)}${"]".repeat(20_000)}`];
    world.service.handle = async (_, response) => {
      const page = `{"items": [\n${items.join(" ,\t")}], "nextCursor": null}`;
      response.writeHead(200, { "content-type": "application/json" }).end(page);
      return undefined;
    };
    const args = ["request", "--paginate", "cursor", world.api];
    const list = `[${items.join(",")}]`;
    expect((await world.run(args)).stdout).toBe(`${list}\n`);
    expect((await world.run([...args, "--json"])).stdout).toBe(`{"pages":1,"items":${list}}\n`);
    const shown = await world.run(args, { terminal: true });
    expect(shown.stdout).toContain('  {\n    "a": 1,\n    "a": 1.0\n  },\n');
  });

  for (const style of ["link", "offset"]) {
    it(`prints the answer that stopped it by ${style}, and exits like a single request`, async () => {
      const no = { status: 403, body: { error: "no" } };
      world.service.fail("/api/contracts", no, no, no, no);
      const args = ["request", "--paginate", style, world.api];
      const result = await world.run(args);
      expect([result.code, result.stdout]).toEqual([4, '{"error":"no"}']);
      expect(result.stderr).toContain("did not allow the request (403).");
    });
  }

  it("saves the list with -o", async () => {
    world.service.handle = async () => ({ status: 200, body: [1, 2] });
    const file = join(world.home, "list.json");
    const args = ["request", "--paginate", "link", "-o", file, world.api];
    const plain = await world.run(args);
    expect([plain.code, plain.stdout, plain.stderr]).toEqual([0, "", `Saved 2 items as ${file}.\n`]);
    expect(await readFile(file, "utf8")).toBe("[1,2]\n");
    const json = await world.run([...args, "--json"]);
    expect(JSON.parse(json.stdout)).toEqual({ pages: 1, file, bytes: 6 });
  });

  it("reads at most four pages at the same time", async () => {
    let underway = 0;
    let most = 0;
    world.service.handle = async (request) => {
      underway += 1;
      most = Math.max(most, underway);
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      underway -= 1;
      return styles[2]?.handle(request);
    };
    await world.run(["request", "--paginate", "offset", "--page-size", "2", world.api]);
    expect(most).toBeLessThanOrEqual(4);
  });

  const refusals: {
    name: string;
    args?: string[];
    handle: (request: SeenRequest) => TestAnswer;
    words: string;
  }[] = [
    {
      name: "more pages than allowed",
      args: ["--max-pages", "2"],
      handle: (request) => styles[0]?.handle(request) ?? { status: 500 },
      words: "more than 2 pages",
    },
    {
      name: "pages that go round in circles",
      handle: () => ({ status: 200, headers: { link: '<?page=1>; rel="next"' }, body: [] }),
      words: "point back",
    },
    {
      name: "a next page elsewhere",
      handle: () => ({ status: 200, headers: { link: '<https://evil.example/>; rel="next"' }, body: [] }),
      words: 'on another server: "https://evil.example/"',
    },
    {
      name: "pages that are no lists",
      handle: () => ({ status: 200, body: { data: [] } }),
      words: '"items"',
    },
    { name: "a page that fails", handle: () => ({ status: 500 }), words: "answered 500" },
  ];
  for (const { name, args, handle, words } of refusals) {
    it(`stops at ${name}`, async () => {
      world.service.handle = async (request) => handle(request);
      const result = await world.run(["request", "--paginate", "link", ...(args ?? []), world.api]);
      expect([result.code, result.stdout]).toEqual([1, ""]);
      expect(result.stderr).toContain(words);
    });
  }
});
