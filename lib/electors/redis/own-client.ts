import { EngineRefusalError } from '../../core/errors.js';
import type { IoredisClient } from './redis-client.js';

interface IoredisPackage {
  readonly Redis?: IoredisConstructor;
  readonly default: IoredisConstructor;
}

/** The options come before the URL: of what is said twice ioredis takes the first, and a URL's query can say anything. */
type IoredisArguments = readonly [options: object] | readonly [options: object, url: string, defaults: object];

interface IoredisConstructor {
  new (...parts: IoredisArguments): IoredisClient;
}

export interface OwnClientTarget {
  readonly url?: string;
  readonly options?: object;
}

const LONGEST_RECONNECT_MS = 1000;
/** A link that is cut without a word is found out by the system's probes, where nothing is sent that could go unanswered. */
const KEEP_ALIVE_MS = 10_000;
const GOODBYE_MS = 100;

/** What makes a client that nothing is sent by too late. With the defaults of ioredis an acquire has won after a heal. */
export function safeSettings(requestTimeoutMs: number): object {
  return {
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    enableAutoPipelining: false,
    commandTimeout: requestTimeoutMs,
    // A connection on which nothing comes back is given up, so that the next attempt has another one.
    socketTimeout: requestTimeoutMs,
    connectTimeout: requestTimeoutMs,
    disconnectTimeout: GOODBYE_MS,
    retryStrategy: (attempt: number) =>
      Math.min(50 * 2 ** Math.min(attempt - 1, 10), requestTimeoutMs, LONGEST_RECONNECT_MS) * (0.5 + Math.random() / 2),
    // A server that has become a replica may be another one by the name that it is reached under.
    reconnectOnError: (error: Error) => error.message.includes('READONLY'),
    // Watches are opened anew by those who need them.
    autoResubscribe: false,
    monitor: false,
    readOnly: false,
  };
}

/** Makes a client of our own. It connects at its first command. @throws EngineRefusalError when ioredis is not installed */
export async function createOwnClient(target: OwnClientTarget, settings: object): Promise<IoredisClient> {
  const Redis = await loadIoredis();
  return new Redis(...ownClientArguments(target, settings));
}

/** What ioredis is given, so that `settings` hold whatever the options or the query of the URL say. */
export function ownClientArguments({ url, options }: OwnClientTarget, settings: object): IoredisArguments {
  const defaults = { connectionName: 'nestjs-lifecycle', keepAlive: KEEP_ALIVE_MS };
  // Without sentinels a ready check only costs: what it waits for is an answer that is retried anyway. With them it
  // tells a primary from what was one.
  const { sentinels } = (options ?? {}) as { readonly sentinels?: unknown };
  const ours = { ...settings, enableReadyCheck: Boolean(sentinels), maxLoadingRetryTime: LONGEST_RECONNECT_MS };
  return url === undefined ? [{ ...defaults, ...options, ...ours }] : [ours, url, defaults];
}

let loaded: Promise<IoredisConstructor> | undefined;

/** Once a process. A failure is not kept. */
async function loadIoredis(): Promise<IoredisConstructor> {
  try {
    loaded ??= import('ioredis').then((it) => {
      const ioredis = it as unknown as IoredisPackage;
      return ioredis.Redis ?? ioredis.default;
    });
    return await loaded;
  } catch (cause) {
    loaded = undefined;
    throw new EngineRefusalError(
      'RedisElector makes its own connections with the package "ioredis", which cannot be loaded. ' +
        'Install it (npm install ioredis), or pass a client of node-redis as "client".',
      { cause },
    );
  }
}
