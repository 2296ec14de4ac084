import { onAbort, sharedAbortController } from '../../core/abort.js';
import { settlesWithin, type Clock } from '../../core/clock.js';
import type { Connections } from './connections.js';
import { createClient, type ClientSource, type OwnClient } from './postgres-client.js';
import { PostgresConnection } from './postgres-connection.js';
import { Slots } from '../../core/slots.js';

/** However many elections there are: so many statements at a time, and not a connection for each of them. */
const MOST_AT_A_TIME = 4;
/** A server that does not answer does not keep the process. */
const GOODBYE_MS = 500;

/** Connections of our own: opened when they are needed, the last one used is the first one used again. */
export class OwnConnections implements Connections {
  readonly #slots = new Slots(MOST_AT_A_TIME);
  readonly #idle: PostgresConnection[] = [];
  readonly #open = new Set<PostgresConnection>();
  readonly #goodbyes = new Set<Promise<unknown>>();
  readonly #closing = sharedAbortController();

  constructor(
    private readonly source: ClientSource,
    private readonly clock: Clock,
  ) {}

  async take(signal: AbortSignal): Promise<PostgresConnection> {
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

  #takeIdle(): PostgresConnection | undefined {
    for (;;) {
      const connection = this.#idle.pop();
      if (connection?.ended.aborted !== true) return connection;
    }
  }

  async #openOne(signal: AbortSignal): Promise<PostgresConnection> {
    const [client, reset] = await createClient(this.source);
    signal.throwIfAborted();
    const connection = new PostgresConnection(client, {
      giveBack: (it) => void this.#idle.push(it),
      end: () => this.#sayGoodbye(client, reset),
      destroy: reset,
    });
    onAbort(connection.ended, () => this.#open.delete(connection));
    const closing = this.#closing.signal;
    const unlisten = onAbort(closing, () => connection.destroy(closing.reason));
    try {
      await connect(client, connection, signal);
      this.#open.add(connection);
    } finally {
      unlisten();
    }
    return connection;
  }

  #sayGoodbye(client: OwnClient, reset: () => void): void {
    const goodbye = settlesWithin(this.clock, client.end(), GOODBYE_MS).then(reset);
    this.#goodbyes.add(goodbye);
    void goodbye.finally(() => this.#goodbyes.delete(goodbye));
  }
}

/** @throws what the signal was aborted with; the connection has been destroyed then */
function connect(client: OwnClient, connection: PostgresConnection, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const unlisten = onAbort(signal, () => {
      reject(signal.reason);
      connection.destroy(signal.reason);
    });
    const onConnected = () => (connection.ended.aborted ? reject(connection.ended.reason) : resolve());
    const onFailed = (error: unknown) => {
      connection.destroy(error);
      reject(error);
    };
    client.connect().finally(unlisten).then(onConnected, onFailed);
  });
}
