import { onAbort, sharedAbortController } from '../../core/abort.js';
import { settlesWithin, type Clock } from '../../core/clock.js';
import type { Connections } from './connections.js';
import { openClient, type ClientSource, type OpeningClient } from './mysql-client.js';
import { MysqlConnection } from './mysql-connection.js';
import { Slots } from '../../core/slots.js';

/** A server that does not answer does not keep the process. */
const GOODBYE_MS = 500;

/** Connections of our own: opened when they are needed, the last one used is the first one used again. */
export class OwnConnections implements Connections {
  readonly #slots: Slots;
  readonly #idle: MysqlConnection[] = [];
  readonly #open = new Set<MysqlConnection>();
  readonly #goodbyes = new Set<Promise<unknown>>();
  readonly #closing = sharedAbortController();

  /** @param mostAtATime however many elections there are, there is not a connection for each of them */
  constructor(
    private readonly source: ClientSource,
    private readonly clock: Clock,
    private readonly requestTimeoutMs: number,
    mostAtATime: number,
  ) {
    this.#slots = new Slots(mostAtATime);
  }

  async take(signal: AbortSignal): Promise<MysqlConnection> {
    const leave = await this.#slots.enter(signal);
    try {
      this.#closing.signal.throwIfAborted();
      const connection = this.#takeIdle() ?? (await this.#openOne(signal));
      return connection.use(leave);
    } catch (error) {
      leave();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('The elector was closed'));
    [...this.#open].forEach((connection) => connection.end());
    await Promise.all(this.#goodbyes);
  }

  #takeIdle(): MysqlConnection | undefined {
    for (;;) {
      const connection = this.#idle.pop();
      if (connection?.ended.aborted !== true) return connection;
    }
  }

  async #openOne(signal: AbortSignal): Promise<MysqlConnection> {
    const opening = await openClient(this.source);
    const connection = new MysqlConnection(opening.client, {
      isShared: false,
      giveBack: (it) => void this.#idle.push(it),
      end: () => this.#sayGoodbye(opening),
      destroy: opening.reset,
    });
    onAbort(connection.ended, () => this.#open.delete(connection));
    const closing = this.#closing.signal;
    const unlisten = onAbort(closing, () => connection.destroy(closing.reason));
    try {
      await connected(opening, connection, signal);
      await connection.write(settings(this.requestTimeoutMs), signal);
      this.#open.add(connection);
    } catch (error) {
      connection.destroy(error);
      throw error;
    } finally {
      unlisten();
    }
    return connection;
  }

  #sayGoodbye({ client, reset }: OpeningClient): void {
    const goodbye = settlesWithin(this.clock, client.end(), GOODBYE_MS).then(reset);
    this.#goodbyes.add(goodbye);
    void goodbye.finally(() => this.#goodbyes.delete(goodbye));
  }
}

/** The server may have other defaults. Nobody waits for a lock for longer than for an answer; a second is the least. */
function settings(requestTimeoutMs: number): string {
  return `SET autocommit = 1, innodb_lock_wait_timeout = ${Math.max(1, Math.floor(requestTimeoutMs / 1000))}`;
}

/** @throws what the signal was aborted with, or why it cannot be opened; the connection has been destroyed then */
function connected(opening: OpeningClient, connection: MysqlConnection, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const unlisten = onAbort(signal, () => connection.destroy(signal.reason));
    onAbort(connection.ended, () => {
      unlisten();
      reject(connection.ended.reason);
    });
    opening.onceConnected(() => {
      unlisten();
      resolve();
    });
  });
}
