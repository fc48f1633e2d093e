import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { groupProviderSecretRow } from "../../../src/platform/vault/rows.js";
import {
  cacheSeconds,
  createGroupDirectories,
  type GroupDirectories,
  pauseSeconds,
} from "../../../src/permissions/groups/directories.js";
import { createOutboundClient } from "../../../src/platform/outbound/outbound-fetch.js";
import type { DirectoryGroupProvider } from "../../../src/store/group-providers.js";
import { directorySecret, startTestDirectory, type TestDirectory } from "../../support/directory.js";
import { createTestServer, type TestServer } from "../../support/server.js";

const ada = "ada@acme.example";
let server: TestServer;
let directory: TestDirectory;
let provider: DirectoryGroupProvider;
let directories: GroupDirectories;

beforeEach(async () => {
  server = await createTestServer();
  directory = await startTestDirectory();
  directory.groups.set(ada, ["sales", "staff"]);
  const id = randomUUID();
  const secret = await server.context.credentials.seal(directorySecret, groupProviderSecretRow(id));
  provider = { type: "directory", id, key: "hr", name: "HR", enabled: true, url: directory.url, secret };
  await save();
  directories = createGroupDirectories(server.context);
});
afterEach(async () => {
  await directory.close();
  await server.close();
});

const save = (change: Partial<DirectoryGroupProvider> = {}) =>
  server.context.store.groupProviders.save({ ...provider, ...change }, new Date());
const groupsOf = (email = ada) => directories.groupsOf(provider.id, email);
const json = (value: unknown) => (response: ServerResponse) => void response.end(JSON.stringify(value));

test("a directory is asked with its secret, and says who is in which group", async () => {
  expect(await groupsOf()).toEqual(new Set(["sales", "staff"]));
  expect(await groupsOf("nobody+x@acme.example")).toEqual(new Set());
  expect(directory.asked).toEqual([ada, "nobody+x@acme.example"]);
});

describe("an answer", () => {
  test("counts for fifteen seconds, and no longer", async () => {
    await groupsOf();
    directory.groups.set(ada, []);
    server.clock.advance(cacheSeconds - 1);
    expect(await groupsOf()).toEqual(new Set(["sales", "staff"]));
    server.clock.advance(1);
    expect(await groupsOf()).toEqual(new Set());
  });

  test("is shared by those who ask at the same time", async () => {
    await Promise.all(Array.from({ length: 20 }, () => groupsOf()));
    expect(directory.asked).toEqual([ada]);
  });

  test("is none of a directory that is disabled, gone or of another type", async () => {
    await save({ enabled: false });
    expect(await groupsOf()).toEqual(new Set());
    expect(await directories.groupsOf(randomUUID(), ada)).toEqual(new Set());
    expect(directory.asked).toEqual([]);
  });
});

describe("a directory says nothing", () => {
  test.each<[name: string, answer: (response: ServerResponse) => void]>([
    ["when it refuses", (response) => void response.writeHead(403).end()],
    ["when it fails", (response) => void response.writeHead(500).end()],
    ["when it redirects", (response) => void response.writeHead(302, { location: "/elsewhere" }).end()],
    ["when it answers with text", (response) => void response.end("sales")],
    ["when a member is there twice", (response) => void response.end('{"groups":[],"groups":["sales"]}')],
    ["when it answers with a list", json(["sales"])],
    ["without groups", json({})],
    ["with groups that are no names", json({ groups: [{ name: "sales" }] })],
    ["with a name that is empty", json({ groups: ["sales", ""] })],
    ["with too many groups", json({ groups: Array.from({ length: 1001 }, (_, index) => `g${index}`) })],
    ["with too many bytes", (response) => void response.end(" ".repeat(1024 * 1024 + 1))],
    ["when it hangs up", (response) => void response.destroy()],
  ])("%s", async (_name, answer) => {
    directory.answer = answer;
    expect(await groupsOf()).toBeUndefined();
    expect(server.log.at(-1)).toMatchObject({
      level: 40,
      groupProvider: "hr",
      msg: expect.stringContaining("gives no permissions now") as string,
    });
    expect(JSON.stringify(server.log)).not.toContain(directorySecret);
  });

  test("when it does not answer in time", async () => {
    const impatient = createOutboundClient({ allowInsecureLoopback: true, timeoutFactor: 0.01 });
    directories = createGroupDirectories({ ...server.context, outboundFetch: impatient.fetch });
    directory.answer = () => undefined;
    expect(await groupsOf()).toBeUndefined();
    expect(server.log.at(-1)?.["msg"]).toContain("did not answer within");
    await impatient.close();
  });

  test("when its secret was stored with another encryption key", async () => {
    await save({ secret: Buffer.alloc(40, 1) });
    expect(await groupsOf()).toBeUndefined();
    expect(directory.asked).toEqual([]);
  });
});

test("a directory that failed is left alone for a moment, for every address, and then asked again", async () => {
  directory.answer = (response) => void response.writeHead(500).end();
  expect(await groupsOf()).toBeUndefined();
  directory.answer = undefined;
  expect(await groupsOf()).toBeUndefined();
  expect(await groupsOf("bruno@acme.example")).toBeUndefined();
  expect(directory.asked).toEqual([ada]);
  server.clock.advance(pauseSeconds);
  expect(await groupsOf()).toEqual(new Set(["sales", "staff"]));
  const levels = server.log.filter((line) => line["groupProvider"] === "hr").map(({ level }) => level);
  expect(levels).toEqual([40, 30]);
});

test("a database that is away is not a directory that is away", async () => {
  await server.database.refuseConnections();
  await expect(groupsOf()).rejects.toThrow("away");
  await server.database.allowConnections();
  expect(await groupsOf()).toEqual(new Set(["sales", "staff"]));
});

test("ten thousand answers are remembered, the oldest is forgotten first", async () => {
  // Disabled, so that no request goes out; the answer is remembered all the same.
  let lookUps = 0;
  const { groupProviders } = server.context.store;
  const store = {
    ...server.context.store,
    groupProviders: {
      ...groupProviders,
      find: async () => {
        lookUps += 1;
        return { ...provider, enabled: false };
      },
    },
  };
  directories = createGroupDirectories({ ...server.context, store });
  for (let index = 0; index <= 10_000; index += 1) await groupsOf(`${index}@acme.example`);
  expect(lookUps).toBe(10_001);
  await groupsOf("10000@acme.example");
  expect(lookUps).toBe(10_001);
  await groupsOf("0@acme.example");
  expect(lookUps).toBe(10_002);
});
