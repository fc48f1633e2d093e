import { redis } from "@authz/replay-redis";
import { Redis } from "ioredis";

/** Opens the store with ioredis, for the test and for the processes it starts. */
export function openStore(address: string, timeoutSeconds = 2) {
  const client = new Redis({ path: address });
  client.on("error", () => {});
  const store = redis({ client, timeoutSeconds });
  return {
    client,
    store,
    close: async () => {
      client.disconnect();
    },
  };
}
