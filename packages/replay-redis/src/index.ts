/**
 * A replay store in Redis or Valkey, shared by any number of processes.
 *
 * @module
 */
export type { ReplayRecord, ReplayStore } from "@authz/dpop/replay";
export {
  type IoredisClient,
  type NodeRedisClient,
  type RedisClient,
  type RedisOptions,
  redis,
} from "./redis.js";
