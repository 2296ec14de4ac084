import { untilAbort } from '../../core/abort.js';
import type { OnMessage } from './channel-listeners.js';
import { ConnectionState } from './connection-state.js';
import type { NodeRedisClient } from './redis-client.js';
import type { ClientHabits, RedisConnection } from './redis-connection.js';

/** The client under options of one command, which its types say in a way of their own. */
interface Commander {
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  sendCommand(parts: string[], options: object): Promise<unknown>;
}

/** A connection of node-redis. */
export class NodeRedisConnection implements RedisConnection {
  readonly #state: ConnectionState;

  /** @param isOwn it is connected by us, and ended with `close()` */
  constructor(
    private readonly client: NodeRedisClient,
    private readonly isOwn: boolean,
  ) {
    // Clients of clusters do not say in all versions whether they are ready.
    this.#state = new ConnectionState(client, () => client.isReady ?? client.isOpen);
  }

  get epoch(): number {
    return this.#state.epoch;
  }

  get habits(): ClientHabits {
    const { disableOfflineQueue } = (this.client.options ?? {}) as { disableOfflineQueue?: unknown };
    return { queuesOffline: disableOfflineQueue !== true };
  }

  async untilReady(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.client.isOpen) {
      if (!this.isOwn) throw new Error('The client of node-redis is not connected. Await its connect() first.');
      this.client.connect().catch(() => undefined);
    }
    await this.#state.untilReady(signal);
  }

  async evaluate(
    script: string,
    keys: readonly string[],
    parts: readonly string[],
    signal: AbortSignal,
  ): Promise<unknown> {
    return this.#send(signal, (commander) => commander.eval(script, { keys: [...keys], arguments: [...parts] }));
  }

  async command(parts: readonly [string, ...string[]], signal: AbortSignal): Promise<unknown> {
    return this.#send(signal, (commander, options) => commander.sendCommand([...parts], options));
  }

  async subscribe(
    channel: string,
    onMessage: OnMessage,
    onLost: (error: unknown) => void,
    signal: AbortSignal,
  ): Promise<() => void> {
    const { client } = this;
    const listener: OnMessage = (message) => onMessage(message);
    signal.throwIfAborted();
    const unlistenLoss = this.#state.onLoss(onLost);
    const end = () => {
      unlistenLoss();
      if (client.isOpen) client.unsubscribe(channel, listener).catch(() => undefined);
    };
    try {
      await untilAbort(client.subscribe(channel, listener), signal);
    } catch (error) {
      end();
      throw error;
    }
    return end;
  }

  async close(): Promise<void> {
    this.#state.detach();
    if (!this.isOwn) return;
    this.client.on('error', () => undefined);
    if (this.client.isOpen) this.client.destroy();
  }

  /** What has not been written when the signal aborts never is. Texts stay texts, whatever the client maps them to. */
  #send(signal: AbortSignal, send: (commander: Commander, options: object) => Promise<unknown>): Promise<unknown> {
    signal.throwIfAborted();
    const control = new AbortController();
    const options = { abortSignal: control.signal, typeMapping: {} };
    const commander = this.client.withCommandOptions(options as never) as Commander;
    return untilAbort(send(commander, options), signal, () => control.abort());
  }
}
