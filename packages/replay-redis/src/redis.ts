import { type Clock, type ReplayRecord, type ReplayStore, ReplayStoreUnavailableError } from "@authz/dpop";
import { commandOf, type RedisClient } from "./client.js";
import { within } from "./within.js";

export interface RedisOptions {
  /** A client of `ioredis` or `redis`. It stays yours: the store never closes it. */
  client: RedisClient;
  /** What the keys start with. `authz:replay:` by default. */
  prefix?: string;
  /** How long to wait for Redis before a use counts as unknown. 2 by default. */
  timeoutSeconds?: number;
  clock?: Clock;
}

// Clocks of servers differ. A key that is kept a minute too long harms nobody, one forgotten too early could be replayed.
const graceSeconds = 60;

/**
 * Remembers uses in Redis or Valkey: one SET … NX PX per use decides, so any number of processes can share it.
 *
 * @throws {TypeError} An option is missing, malformed or unknown.
 */
export function redis(options: RedisOptions): ReplayStore {
  const { command, prefix, timeoutSeconds, clock } = readOptions(options);

  async function set({ key, expiresAt }: ReplayRecord): Promise<boolean> {
    const lifeMilliseconds = Math.max(0, expiresAt * 1000 - clock()) + graceSeconds * 1000;
    const answer = await command("SET", [prefix + key, "1", "NX", "PX", String(Math.ceil(lifeMilliseconds))]);
    if (answer === "OK") return true;
    if (answer === null) return false;
    throw new TypeError("Redis answered SET with neither OK nor nothing.");
  }

  return Object.freeze({
    async consume(record: ReplayRecord) {
      try {
        return await within(
          timeoutSeconds,
          set(record),
          () => new Error(`No answer in ${timeoutSeconds} s.`),
        );
      } catch (error) {
        throw new ReplayStoreUnavailableError("Redis did not record the use of a proof.", { cause: error });
      }
    },
  });
}

const knownOptions = ["client", "prefix", "timeoutSeconds", "clock"];

function readOptions(options: RedisOptions) {
  if (typeof options !== "object" || options === null)
    throw new TypeError("redis: options must be an object.");
  for (const name of Object.keys(options)) {
    if (!knownOptions.includes(name)) {
      throw new TypeError(`redis: unknown option "${name}". Known options: ${knownOptions.join(", ")}.`);
    }
  }
  const { client, prefix = "authz:replay:", timeoutSeconds = 2, clock = Date.now } = options;
  if (typeof client !== "object" || client === null) {
    throw new TypeError("redis: client must be an ioredis or node-redis client.");
  }
  if (typeof prefix !== "string") throw new TypeError("redis: prefix must be a text.");
  if (typeof timeoutSeconds !== "number" || !(timeoutSeconds >= 0.01 && timeoutSeconds <= 60)) {
    throw new TypeError("redis: timeoutSeconds must be a number of seconds from 0.01 to 60.");
  }
  if (typeof clock !== "function") throw new TypeError("redis: clock must be a function.");
  return { command: commandOf(client), prefix, timeoutSeconds, clock };
}
