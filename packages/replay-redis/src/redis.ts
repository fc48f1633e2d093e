import { type ReplayRecord, type ReplayStore, ReplayStoreUnavailableError, within } from "@authz/dpop/replay";

/** The used part of an `ioredis` client or cluster. */
export interface IoredisClient {
  call(command: string, args: string[]): Promise<unknown>;
}

/** The used part of a client of `redis` (node-redis). */
export interface NodeRedisClient {
  sendCommand(args: string[]): Promise<unknown>;
}

/** A connected client. For other clients, pass an object with one of the two methods. */
export type RedisClient = IoredisClient | NodeRedisClient;

export interface RedisOptions {
  /** A client of `ioredis` or `redis`. It stays yours: the store never closes it. */
  client: RedisClient;
  /** Prefix of the keys. `authz:replay:` by default. */
  prefix?: string;
  /** Timeout of Redis, after which the use counts as unknown. 2 by default. */
  timeoutSeconds?: number;
}

/**
 * A key may be new until 30 seconds after its expiry, because clocks differ; it is kept for 120 seconds, so that the two
 * periods never meet. Both use the clock of Redis, which also expires keys.
 */
const script = `
local life = tonumber(ARGV[1]) - tonumber(redis.call("TIME")[1])
if life < -30 then return 0 end
if redis.call("SET", KEYS[1], "1", "NX", "EX", string.format("%d", life + 120)) then return 1 end
return 0`;

/**
 * Creates a replay store in Redis or Valkey: one script with SET … NX per use decides, so any number of processes can share it.
 *
 * A use that expired more than 30 seconds ago by the clock of Redis counts as known: its record may be gone, and a process
 * with a slow clock must not accept it.
 *
 * @throws {TypeError} An option is missing, malformed or unknown.
 */
export function redis(options: RedisOptions): ReplayStore {
  const { command, prefix, timeoutSeconds } = readOptions(options);

  async function set({ key, expiresAt }: ReplayRecord): Promise<boolean> {
    const answer = await command("EVAL", [script, "1", prefix + key, String(Math.ceil(expiresAt))]);
    if (answer === 1) return true;
    if (answer === 0) return false;
    throw new TypeError("Redis answered the script with neither 1 nor 0.");
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

const knownOptions = ["client", "prefix", "timeoutSeconds"];

function readOptions(options: RedisOptions) {
  if (typeof options !== "object" || options === null)
    throw new TypeError("redis: options must be an object.");
  for (const name of Object.keys(options)) {
    if (!knownOptions.includes(name)) {
      throw new TypeError(`redis: unknown option "${name}". Known options: ${knownOptions.join(", ")}.`);
    }
  }
  const { client, prefix = "authz:replay:", timeoutSeconds = 2 } = options;
  if (typeof client !== "object" || client === null) {
    throw new TypeError("redis: client must be an ioredis or node-redis client.");
  }
  if (typeof prefix !== "string") throw new TypeError("redis: prefix must be a string.");
  if (typeof timeoutSeconds !== "number" || !(timeoutSeconds >= 0.01 && timeoutSeconds <= 60)) {
    throw new TypeError("redis: timeoutSeconds must be a number of seconds from 0.01 to 60.");
  }
  return { command: commandOf(client), prefix, timeoutSeconds };
}

/**
 * Unifies the two clients. Their `set` methods take options differently, and each silently ignores the other's, `NX`
 * included; a raw command works in both.
 *
 * @throws {TypeError}
 */
function commandOf(client: RedisClient): (command: string, args: string[]) => Promise<unknown> {
  if ("call" in client && typeof client.call === "function") {
    return (command, args) => client.call(command, args);
  }
  if ("sendCommand" in client && typeof client.sendCommand === "function") {
    return (command, args) => client.sendCommand([command, ...args]);
  }
  throw new TypeError("redis: client must be an ioredis or node-redis client.");
}
