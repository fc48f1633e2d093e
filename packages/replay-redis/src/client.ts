/** What the store needs of an `ioredis` client or cluster. */
export interface IoredisClient {
  call(command: string, args: string[]): Promise<unknown>;
}

/** What the store needs of a client of `redis` (node-redis). */
export interface NodeRedisClient {
  sendCommand(args: string[]): Promise<unknown>;
}

/** A connected client. Anything else works behind an object with one of the two methods. */
export type RedisClient = IoredisClient | NodeRedisClient;

/**
 * Makes one function of the two clients. Their `set` methods take options differently, and each would silently ignore
 * the other's, `NX` included; a raw command means the same in both.
 *
 * @throws {TypeError}
 */
export function commandOf(client: RedisClient): (command: string, args: string[]) => Promise<unknown> {
  if ("call" in client && typeof client.call === "function") {
    return (command, args) => client.call(command, args);
  }
  if ("sendCommand" in client && typeof client.sendCommand === "function") {
    return (command, args) => client.sendCommand([command, ...args]);
  }
  throw new TypeError("redis: client must be an ioredis or node-redis client.");
}
