import { redis } from "@authz/replay-redis";
import { createClient } from "@redis/client";

/** Opens the store with node-redis, for the test and for the processes it starts. */
export function openStore(address: string, timeoutSeconds = 2) {
  const client = createClient({ socket: { path: address, tls: false } });
  client.on("error", () => {});
  const connected = client.connect().catch(() => {});
  const store = redis({ client, timeoutSeconds });
  return {
    client,
    store,
    close: async () => {
      client.destroy();
      await connected;
    },
  };
}
