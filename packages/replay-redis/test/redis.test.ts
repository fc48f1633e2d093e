import {
  createProofChecker,
  createProofSigner,
  generateEs256KeyPair,
  ReplayStoreUnavailableError,
  spendProof,
} from "@authz/dpop";
import * as replayRedis from "@authz/replay-redis";
import { type RedisOptions, redis } from "@authz/replay-redis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStore } from "./open-ioredis.js";
import { hasRedis, ifSkipped, startRedis } from "./redis-server.js";

const now = 1_800_000_000;

/** A client that notes what it is asked and answers the same each time. */
function createClient(answer: unknown) {
  const commands: string[][] = [];
  const note = async (words: string[]) => {
    commands.push(words);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return {
    commands,
    ioredis: { call: (command: string, args: string[]) => note([command, ...args]) },
    nodeRedis: { sendCommand: note },
  };
}

test("@authz/replay-redis exports exactly these names", () => {
  expect(Object.keys(replayRedis)).toEqual(["redis"]);
});

test.each(["ioredis", "nodeRedis"] as const)("one script goes out through %s", async (kind) => {
  const client = createClient(1);
  const store = redis({ client: client[kind] });
  expect(await store.consume({ key: "a", expiresAt: now + 65 })).toBe(true);
  const script = expect.stringContaining('"NX"') as string;
  expect(client.commands).toEqual([["EVAL", script, "1", "authz:replay:a", String(now + 65)]]);
});

describe("the clock of Redis decides:", () => {
  const life = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;
  let server: Awaited<ReturnType<typeof startRedis>>;
  let opened: ReturnType<typeof openStore>;
  beforeAll(async () => {
    if (!hasRedis) return;
    server = await startRedis();
    opened = openStore(server.socket, 1);
  });
  afterAll(async () => {
    if (!hasRedis) return;
    await opened.close();
    await server.stop();
  });

  test.skipIf(!hasRedis)(
    `a key that expired a moment ago may be new, and is then known${ifSkipped}`,
    async () => {
      const expiresAt = life(-1);
      expect(await opened.store.consume({ key: "recent", expiresAt })).toBe(true);
      expect(await opened.store.consume({ key: "recent", expiresAt })).toBe(false);
    },
  );

  test.skipIf(!hasRedis).each([31, 360, 3600])(
    `a key that expired %i s ago is not new, although Redis has forgotten it${ifSkipped}`,
    async (age) => {
      expect(await opened.store.consume({ key: `old-${age}`, expiresAt: life(-age) })).toBe(false);
    },
  );
});

describe("nothing is accepted when Redis", () => {
  test.each<[string, unknown]>([
    ["answers an error", new Error("READONLY You can't write against a read only replica.")],
    ["answers with another number", 2],
    ["answers with the queueing of a transaction", "QUEUED"],
    ["answers with undefined", undefined],
  ])("%s", async (_, answer) => {
    const store = redis({ client: createClient(answer).ioredis });
    const consume = store.consume({ key: "a", expiresAt: now });
    await expect(consume).rejects.toBeInstanceOf(ReplayStoreUnavailableError);
  });

  test("does not answer in time", async () => {
    const client = { call: () => new Promise<never>(() => {}) };
    const store = redis({ client, timeoutSeconds: 0.01 });
    await expect(store.consume({ key: "a", expiresAt: now })).rejects.toMatchObject({
      name: "ReplayStoreUnavailableError",
      cause: expect.objectContaining({ message: "No answer in 0.01 s." }),
    });
  });

  test.skipIf(!hasRedis)(`goes away, until it is back${ifSkipped}`, async () => {
    const server = await startRedis();
    const { store, close } = openStore(server.socket, 1);
    const checker = createProofChecker();
    const signer = createProofSigner(await generateEs256KeyPair());
    const request = { method: "GET", url: "https://api.example/" };
    const spend = async () => spendProof(checker.check({ ...request, proof: signer.sign(request) }), store);
    await spend();
    await server.goAway();
    await expect(spend()).rejects.toBeInstanceOf(ReplayStoreUnavailableError);
    await server.comeBack();
    await expect(spend()).resolves.toBeUndefined();
    await close();
    await server.stop();
  });
});

describe("misuse is a TypeError that names the option", () => {
  const client = createClient(1).ioredis;
  test.each<[string, unknown, string]>([
    ["no options", undefined, "options"],
    ["no client", {}, "client"],
    ["an address for a client", { client: "redis://127.0.0.1" }, "client"],
    ["a client of something else", { client: { get: () => {} } }, "client"],
    ["an unknown option", { client, ttl: 60 }, '"ttl"'],
    ["a prefix that is a number", { client, prefix: 1 }, "prefix"],
    ["no time at all", { client, timeoutSeconds: 0 }, "timeoutSeconds"],
  ])("%s", (_, options, message) => {
    const create = () => redis(options as RedisOptions);
    expect(create).toThrow(TypeError);
    expect(create).toThrow(message);
  });
});
