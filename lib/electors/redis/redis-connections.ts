import { IoredisConnection } from './ioredis-connection.js';
import { NodeRedisConnection } from './node-redis-connection.js';
import { createOwnClient, safeSettings } from './own-client.js';
import { isClusterClient, isIoredisClient, type RedisClient } from './redis-client.js';
import type { RedisConnection } from './redis-connection.js';

/** Where connections come from: exactly one of `url`, `options`, `client`. */
export interface RedisSource {
  readonly url?: string;
  readonly options?: object;
  readonly client?: RedisClient;
  readonly subscriber?: RedisClient;
}

/** The two connections of an elector, opened when they are first needed: one for commands, one that listens. */
export class RedisConnections {
  #commands: Promise<RedisConnection> | undefined;
  #subscriber: Promise<RedisConnection> | undefined;
  #isClosed = false;

  constructor(
    private readonly source: RedisSource,
    private readonly requestTimeoutMs: number,
  ) {}

  /** Whether the client for commands was given, with settings that are not ours. */
  get isGiven(): boolean {
    return this.source.client !== undefined;
  }

  /** @throws EngineRefusalError without a client package */
  async commands(): Promise<RedisConnection> {
    this.#assertOpen();
    const opening = (this.#commands ??= this.#openCommands());
    try {
      return await opening;
    } catch (error) {
      // The next one tries anew.
      if (this.#commands === opening) this.#commands = undefined;
      throw error;
    }
  }

  /** A connection on which nothing is sent but subscriptions. @throws EngineRefusalError without a client package */
  async subscriber(): Promise<RedisConnection> {
    this.#assertOpen();
    const opening = (this.#subscriber ??= this.#openSubscriber());
    try {
      return await opening;
    } catch (error) {
      // The next one tries anew.
      if (this.#subscriber === opening) this.#subscriber = undefined;
      throw error;
    }
  }

  /** Ends what was opened here, and stops listening to what was given. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const opened = await Promise.allSettled([this.#commands, this.#subscriber]);
    await Promise.all(opened.map(async (it) => (it.status === 'fulfilled' ? it.value?.close() : undefined)));
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new Error('The elector was closed: it makes no connections any more.');
  }

  async #openCommands(): Promise<RedisConnection> {
    const { client } = this.source;
    return client === undefined ? this.#own() : connectionOf(client, false);
  }

  async #openSubscriber(): Promise<RedisConnection> {
    const { client, subscriber } = this.source;
    if (subscriber !== undefined) return connectionOf(subscriber, false);
    if (client === undefined) return this.#own();
    // A client of a cluster keeps a connection of its own for subscriptions.
    if (isClusterClient(client)) return connectionOf(client, false);
    return connectionOf(this.#duplicate(client), true);
  }

  #duplicate(client: RedisClient): RedisClient {
    if (!isIoredisClient(client)) return client.duplicate() as RedisClient;
    return client.duplicate(safeSettings(this.requestTimeoutMs) as never) as RedisClient;
  }

  async #own(): Promise<RedisConnection> {
    return connectionOf(await createOwnClient(this.source, safeSettings(this.requestTimeoutMs)), true);
  }
}

function connectionOf(client: RedisClient, isOwn: boolean): RedisConnection {
  if (isIoredisClient(client)) return new IoredisConnection(client, isOwn);
  return new NodeRedisConnection(client, isOwn);
}
