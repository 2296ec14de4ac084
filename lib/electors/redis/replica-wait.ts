import type { RedisConnection } from './redis-connection.js';

/**
 * How many replicas must have a write before it counts.
 *
 * @publicApi
 */
export interface ReplicaWait {
  readonly replicas: number;
  /** How long to wait for them, in milliseconds: at most half the request timeout. */
  readonly timeoutMs: number;
}

/** A write that was acknowledged, and the connection as it was when the write was sent. */
export interface Written {
  readonly operation: string;
  readonly connection: RedisConnection;
  readonly epoch: number;
}

/** Why too few replicas are known to have what was written, if so: it must not be built upon. */
export async function replicaShortfall(
  { operation, connection, epoch }: Written,
  wait: ReplicaWait | undefined,
  signal: AbortSignal,
): Promise<Error | undefined> {
  if (wait === undefined) return undefined;
  const parts = ['WAIT', `${wait.replicas}`, `${wait.timeoutMs}`] as const;
  const replicas = Number(await connection.command(parts, signal));
  // On a new connection nothing was written, and all replicas have that.
  if (connection.epoch !== epoch) {
    return new Error(`The connection was lost before the replicas had confirmed "${operation}".`);
  }
  if (replicas >= wait.replicas) return undefined;
  return new Error(
    `"${operation}" has reached ${replicas} of ${wait.replicas} replicas within ${wait.timeoutMs} ms. ` +
      'See to the replicas, or lower wait.replicas.',
  );
}
