import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { randomUUID } from "node:crypto";
import { skillDigest } from "@authz/skills";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { ServerContext } from "../../src/context.js";
import { catalogState } from "../../src/skills/catalog-state.js";
import { refreshCatalogs } from "../../src/skills/refresh-catalogs.js";
import { createTestServer, type TestServer } from "../support/server.js";
import { resourceRecord } from "../support/records.js";

const skill = {
  id: "list-contracts",
  title: "List contracts",
  requiredScopes: ["contracts:read"],
  visibility: "DEFAULT",
  content: "Run `authz request`.",
};

let server: TestServer;
let context: ServerContext;
let service: Server;
let authorizationServer: string;
let entries: readonly object[] = [];
let contents: readonly (string | Uint8Array)[] = [];
let asked: string[] = [];
const assertions = new Set<string>();
const resourceId = randomUUID();

/** What the service says of this content. */
const entryOf = (path: string, content: string | Uint8Array) => ({
  path,
  size: Buffer.from(content).length,
  digest: skillDigest(content),
});

const honest: RequestListener = (request, response) => {
  const { url = "" } = request;
  assertions.add(request.headers.authorization ?? "");
  if (url === "/.well-known/skills") {
    const skills = [entries.length === 0 ? skill : { ...skill, files: entries }];
    response.setHeader("content-type", "application/json").end(JSON.stringify({ skills }));
    return;
  }
  asked.push(url);
  const content = contents.find((given) => url.endsWith(skillDigest(given).slice(7)));
  if (content === undefined) response.writeHead(404).end();
  else response.end(content);
};
let answer = honest;

beforeAll(async () => {
  server = await createTestServer();
  context = server.context;
  service = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  authorizationServer = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  await context.store.resources.save(
    resourceRecord({ id: resourceId, authorizationServer, skillDiscovery: true }),
    now(),
  );
});
afterEach(() => {
  asked = [];
  answer = honest;
  server.clock.advance(24 * 3600);
});
afterAll(async () => {
  service.closeAllConnections();
  service.close();
  await server.close();
});

function now(): Date {
  return new Date(server.clock());
}

async function publish(
  files: readonly object[],
  given: readonly (string | Uint8Array)[] = [],
): Promise<void> {
  entries = files;
  contents = given;
  await refreshCatalogs(context, now());
}

async function find() {
  const catalog = await context.store.skillCatalogs.find(resourceId);
  return { catalog, state: catalogState(catalog, now()) };
}

const stored = async (): Promise<readonly string[]> =>
  [...(await context.store.skillCatalogs.listFiles(resourceId)).keys()].toSorted();

describe("the files of a catalog", () => {
  const picture = Uint8Array.of(0x89, 0, 0xff);

  test("are fetched once, each with an assertion of its own, and again only when they are others", async () => {
    const files = [
      entryOf("a.md", "a"),
      entryOf("b/copy.md", "a"),
      entryOf("logo.png", picture),
      entryOf("e", ""),
    ];
    assertions.clear();
    await publish(files, ["a", picture, ""]);
    expect((await find()).catalog?.items).toEqual([{ ...skill, files }]);
    expect(asked).toHaveLength(3);
    expect(assertions.size).toBe(4);
    expect(await stored()).toEqual(["a", picture, ""].map(skillDigest).toSorted());

    asked = [];
    server.clock.advance(24 * 3600);
    await publish([entryOf("renamed.md", "a"), entryOf("new.md", "new")], ["new"]);
    expect(asked).toEqual([`/.well-known/skills/files/${skillDigest("new").slice(7)}`]);
    expect(await stored()).toEqual(["a", "new"].map(skillDigest).toSorted());

    server.clock.advance(24 * 3600);
    await publish([]);
    expect((await find()).catalog?.items).toEqual([skill]);
    expect(await stored()).toEqual([]);
  });

  const promised = entryOf("a.md", "promised");
  test.each<[name: string, failure: string, files: readonly object[], change?: RequestListener]>([
    ["is not there", "answered with status 404", [promised]],
    [
      "is another one than its digest says",
      "did not serve what the catalog says about a.md",
      [promised],
      (_request, response) => response.end("PROMISED"),
    ],
    [
      "is shorter than promised",
      "did not serve what the catalog says about a.md",
      [promised],
      (_request, response) => response.end("promise"),
    ],
    [
      "is longer than promised",
      "answered with more than 8 bytes",
      [promised],
      (_request, response) => response.end("x".repeat(100_000)),
    ],
    [
      "redirects",
      "redirect",
      [promised],
      (_request, response) => response.writeHead(302, { location: "/elsewhere" }).end(),
    ],
    ["breaks off", "cannot be reached", [promised], (_request, response) => void response.socket?.destroy()],
    [
      "has two sizes",
      "did not serve what the catalog says about b.md",
      [entryOf("a.md", "a"), { ...entryOf("b.md", "a"), size: 2 }],
    ],
    ["climbs", "skills[0].files[0].path must be a relative path", [entryOf("../a", "a")]],
    ["has a NUL in its path", "skills[0].files[0].path", [entryOf("a\0", "a")]],
    ["would be the text of the skill", "files[0].path", [entryOf("SKILL.md", "a")]],
    ["is too large", "files[0].size", [{ ...promised, size: 2_000_000 }]],
    [
      "is one of too many",
      "at most 50 items",
      Array.from({ length: 51 }, (_, index) => entryOf(`f${index}`, "a")),
    ],
  ])("keep the last good copy as it is when one %s", async (_name, failure, files, change?) => {
    await publish([entryOf("good.md", "good")], ["good"]);
    const before = (await find()).catalog?.items;
    server.clock.advance(24 * 3600);
    if (change !== undefined)
      answer = (request, response) =>
        (request.url === "/.well-known/skills" ? honest : change)(request, response);

    await publish(files, ["a"]);

    const { catalog, state } = await find();
    expect(state).toBe("stale");
    expect(catalog?.failure).toContain(failure);
    expect(catalog?.items).toEqual(before);
    expect(await stored()).toEqual([skillDigest("good")]);
  });

  test("are refused when one is text that hides something", async () => {
    const sly = "Read this.\u202E";
    await publish([entryOf("a.md", sly)], [sly]);
    expect((await find()).catalog?.failure).toContain("invisible characters (a.md)");
  });

  test("of another service are not given for their digest alone", async () => {
    const other = randomUUID();
    const secret = "secret of another service";
    await context.store.resources.save(
      {
        ...resourceRecord({ id: other, skillDiscovery: true }),
        key: "other",
        resource: "https://other.example",
      },
      now(),
    );
    await context.store.skillCatalogs.saveSuccess({
      resourceId: other,
      items: [{ ...skill, visibility: "DEFAULT", files: [entryOf("a", secret)] }],
      files: new Map([[skillDigest(secret), Buffer.from(secret)]]),
      at: now(),
      refreshAt: new Date(now().getTime() + 1e12),
    });
    await publish([entryOf("mine.md", secret)]);
    expect((await find()).catalog?.failure).toContain("status 404");
  });
});
