/**
 * A replay store in Redis or Valkey, shared by any number of processes.
 *
 * @module
 */
export {
  type IoredisClient,
  type NodeRedisClient,
  type RedisClient,
  type RedisOptions,
  redis,
} from "./redis.js";
