import { fileURLToPath } from "node:url";
import { describeReplayStore } from "@authz/contract-tests/replay-store";
import { redis } from "@authz/replay-redis";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe } from "vitest";
import { openStore as openIoredis } from "./open-ioredis.js";
import { openStore as openNodeRedis } from "./open-node-redis.js";
import { hasRedis, ifSkipped, startRedis } from "./redis-server.js";

describe.skipIf(!hasRedis)(`with a real Redis${ifSkipped}`, () => {
  let server: Awaited<ReturnType<typeof startRedis>>;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.stop());

  describeClient("redis() with ioredis", openIoredis, "open-ioredis.ts");
  describeClient("redis() with node-redis", openNodeRedis, "open-node-redis.ts");

  function describeClient(
    name: string,
    openStore: typeof openIoredis | typeof openNodeRedis,
    module: string,
  ): void {
    describeReplayStore(
      name,
      async () => {
        const administrator = new Redis({ path: server.socket });
        await administrator.flushall();
        administrator.disconnect();
        return { ...openStore(server.socket), address: server.socket };
      },
      {
        openerModule: fileURLToPath(new URL(module, import.meta.url)),
        openUnreachable: async () => openStore("/nowhere/redis.sock", 0.2),
      },
    );
  }
});

describe.skipIf(!hasRedis)(`with a prefix${ifSkipped}`, () => {
  let server: Awaited<ReturnType<typeof startRedis>>;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.stop());

  describeReplayStore("redis() beside another user of the same Redis", async () => {
    const client = new Redis({ path: server.socket });
    await client.flushall();
    const prefix = "ours:";
    await redis({ client, prefix: "theirs:" }).consume({ key: "a", expiresAt: 4_000_000_000 });
    return {
      store: redis({ client, prefix }),
      close: async () => {
        client.disconnect();
      },
    };
  });
});
