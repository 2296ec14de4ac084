export { RedisElector } from './redis-elector.js';
export type { RedisElectorOptions } from './redis-elector-options.js';
export type { ClientEvents, IoredisClient, NodeRedisClient, RedisClient } from './redis-client.js';
export type { ReplicaWait } from './replica-wait.js';
