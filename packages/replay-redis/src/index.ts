/**
 * A replay store in Redis or Valkey, shared by any number of processes.
 *
 * @module
 */
export type { IoredisClient, NodeRedisClient, RedisClient } from "./client.js";
export { type RedisOptions, redis } from "./redis.js";
