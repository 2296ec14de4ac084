import type { NatsElectorOptions } from '../../../lib/electors/nats/nats-elector-options.js';
import type { MysqlElectorOptions } from '../../../lib/electors/mysql/mysql-elector-options.js';
import type { PostgresElectorOptions } from '../../../lib/electors/postgres/postgres-elector-options.js';
import type { RedisElectorOptions } from '../../../lib/electors/redis/redis-elector-options.js';

/** A client as a user may have it, with the settings that it has by itself. */
export interface Given<T> {
  readonly client: T;
  close(): Promise<void>;
}

const ignore = () => undefined;

/** Replica 1 has one of ioredis 5, replica 2 one of node-redis; replica 0 leaves it to the elector to make one. */
export async function givenRedisClient(
  slot: number,
  url: string,
): Promise<Given<NonNullable<RedisElectorOptions['client']>> | undefined> {
  if (slot === 1) {
    const { Redis } = await import('ioredis5');
    const client = new Redis(url);
    client.on('error', ignore);
    return { client, close: () => Promise.resolve(client.disconnect()) };
  }
  if (slot === 2) {
    const { createClient } = await import('redis');
    const client = createClient({ url });
    client.on('error', ignore);
    client.connect().catch(ignore);
    return { client, close: () => Promise.resolve(client.isOpen ? client.destroy() : undefined) };
  }
  return undefined;
}

/** Replica 1 has a pool. */
export async function givenPool(
  slot: number,
  url: string,
): Promise<Given<NonNullable<PostgresElectorOptions['pool']>> | undefined> {
  if (slot !== 1) return undefined;
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({ connectionString: url });
  pool.on('error', ignore);
  return { client: pool, close: () => pool.end() };
}

/** Replica 1 has a connection, that it has made before it has an elector. */
export async function givenNatsClient(
  slot: number,
  url: string,
): Promise<Given<NonNullable<NatsElectorOptions['client']>> | undefined> {
  if (slot !== 1) return undefined;
  const { connect } = await import('@nats-io/transport-node');
  const reconnecting = { maxReconnectAttempts: -1, waitOnFirstConnect: true, reconnectTimeWait: 100 };
  // By itself it would notice a dead connection after minutes.
  const client = await connect({ servers: url, ...reconnecting, timeout: 1000, pingInterval: 500 });
  return { client, close: () => client.close() };
}

/** Replica 1 has a pool. */
export async function givenMysqlPool(
  slot: number,
  url: string,
): Promise<Given<NonNullable<MysqlElectorOptions['pool']>> | undefined> {
  if (slot !== 1) return undefined;
  const { createPool } = await import('mysql2/promise');
  const pool = createPool(url);
  return { client: pool, close: () => pool.end() };
}
