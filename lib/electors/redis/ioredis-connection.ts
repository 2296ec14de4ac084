import { untilAbort } from '../../core/abort.js';
import { ChannelListeners, type OnMessage } from './channel-listeners.js';
import { ConnectionState } from './connection-state.js';
import type { IoredisClient } from './redis-client.js';
import type { ClientHabits, RedisConnection } from './redis-connection.js';

/** Longer than a server that answers needs to end a connection. */
const GOODBYE_MS = 200;

/** A connection of ioredis. */
export class IoredisConnection implements RedisConnection {
  readonly #state: ConnectionState;
  readonly #channels: ChannelListeners;

  /** @param isOwn it is ended with `close()` */
  constructor(
    private readonly client: IoredisClient,
    private readonly isOwn: boolean,
  ) {
    this.#state = new ConnectionState(client, () => client.status === 'ready');
    this.#channels = new ChannelListeners(client);
  }

  get epoch(): number {
    return this.#state.epoch;
  }

  get habits(): ClientHabits {
    const { enableOfflineQueue } = (this.client.options ?? {}) as { enableOfflineQueue?: unknown };
    return { queuesOffline: enableOfflineQueue !== false };
  }

  async untilReady(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    // A lazy client connects at its first command, which is this one.
    if (this.client.status === 'wait') this.client.connect().catch(() => undefined);
    if (this.client.status === 'end')
      throw new Error('The client of ioredis was closed. Give the elector one that is open.');
    await this.#state.untilReady(signal);
  }

  async evaluate(
    script: string,
    keys: readonly string[],
    parts: readonly string[],
    signal: AbortSignal,
  ): Promise<unknown> {
    signal.throwIfAborted();
    return untilAbort(this.client.eval(script, keys.length, ...keys, ...parts), signal);
  }

  async command([name, ...parts]: readonly [string, ...string[]], signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted();
    return untilAbort(this.client.call(name, ...parts), signal);
  }

  async subscribe(
    channel: string,
    onMessage: OnMessage,
    onLost: (error: unknown) => void,
    signal: AbortSignal,
  ): Promise<() => void> {
    const { client } = this;
    signal.throwIfAborted();
    const unlistenLoss = this.#state.onLoss(onLost);
    const unlisten = this.#channels.listen(channel, onMessage);
    const end = () => {
      unlistenLoss();
      const wasLast = unlisten();
      if (wasLast && client.status === 'ready') client.unsubscribe(channel).catch(() => undefined);
    };
    try {
      await untilAbort(client.subscribe(channel), signal);
    } catch (error) {
      end();
      throw error;
    }
    return end;
  }

  async close(): Promise<void> {
    this.#state.detach();
    this.#channels.detach();
    if (!this.isOwn) return;
    const { client } = this;
    client.on('error', () => undefined);
    if (client.status === 'end') return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, GOODBYE_MS);
      client.on('end', () => {
        clearTimeout(timer);
        resolve();
      });
      client.disconnect();
    });
  }
}
