/** How both clients are listened to. @publicApi */
export interface ClientEvents {
  on(event: string, listener: (...details: unknown[]) => void): unknown;
  off(event: string, listener: (...details: unknown[]) => void): unknown;
}

/**
 * As much of a client of `ioredis` (5 or 6) as is used: a `Redis`, or a `Cluster`.
 *
 * @publicApi
 */
export interface IoredisClient extends ClientEvents {
  readonly status: string;
  readonly isCluster?: boolean;
  readonly options?: object;
  connect(): Promise<unknown>;
  disconnect(): void;
  duplicate(...overrides: never[]): unknown;
  eval(script: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>;
  call(command: string, ...parts: string[]): Promise<unknown>;
  subscribe(channel: string): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
}

/**
 * As much of a client of `redis` (node-redis, 5 or 6) as is used: what `createClient()` or `createCluster()` returns.
 *
 * @publicApi
 */
export interface NodeRedisClient extends ClientEvents {
  readonly isOpen: boolean;
  readonly isReady?: boolean;
  readonly options?: unknown;
  connect(): Promise<unknown>;
  destroy(): unknown;
  duplicate(): unknown;
  withCommandOptions(options: never): unknown;
  subscribe(channel: string, listener: (message: unknown) => void): Promise<unknown>;
  unsubscribe(channel: string, listener: (message: unknown) => void): Promise<unknown>;
}

/** A client that is connected, or about to be. @publicApi */
export type RedisClient = IoredisClient | NodeRedisClient;

type Members = Readonly<Record<string, unknown>>;

function has(client: unknown, methods: readonly string[]): client is Members {
  const its = client as Members | null | undefined;
  return typeof its === 'object' && its !== null && methods.every((method) => typeof its[method] === 'function');
}

export function isIoredisClient(client: unknown): client is IoredisClient {
  const methods = ['eval', 'call', 'duplicate', 'connect', 'disconnect', 'subscribe', 'unsubscribe', 'on', 'off'];
  return has(client, methods) && typeof client['status'] === 'string';
}

export function isNodeRedisClient(client: unknown): client is NodeRedisClient {
  const methods = ['withCommandOptions', 'duplicate', 'connect', 'destroy', 'subscribe', 'unsubscribe', 'on', 'off'];
  return has(client, methods) && typeof client['isOpen'] === 'boolean';
}

/** A client of a cluster, which sends each command to where its keys are. */
export function isClusterClient(client: RedisClient): boolean {
  const { isCluster, slots } = client as { isCluster?: unknown; slots?: unknown };
  return isCluster === true || Array.isArray(slots);
}
