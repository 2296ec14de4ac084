import { onAbort, sharedAbortController } from '../abort.js';
import { settlesWithin, type Clock } from '../clock.js';
import { Slots } from '../slots.js';
import type { BorrowedConnection, ConnectionHome } from './borrowed-connection.js';
import type { Connections } from './connections.js';

/** A server that does not answer does not keep the process. */
const GOODBYE_MS = 500;

/** A connection that is about to be opened. */
export interface Opening<Connection> {
  readonly connection: Connection;
  /** Resolves when it can be used. @throws what keeps it from that, and the signal's reason; it has been destroyed then */
  ready(signal: AbortSignal): Promise<void>;
}

/** Makes a connection. @param home what it calls when it is given back, ended or destroyed */
export type Open<Connection> = (
  home: (client: Goodbye) => ConnectionHome,
  signal: AbortSignal,
) => Promise<Opening<Connection>>;

/** How a connection is ended. */
export interface Goodbye {
  /** In an orderly way. */
  end(): Promise<unknown>;
  /** At once, in whatever state it is; nothing that waits to be sent is sent. */
  reset(): void;
}

/** Connections of our own: opened when they are needed, the last one used is the first one used again. */
export class ConnectionStock<Connection extends BorrowedConnection> implements Connections<Connection> {
  readonly #slots: Slots;
  readonly #idle: Connection[] = [];
  readonly #open = new Set<Connection>();
  readonly #goodbyes = new Set<Promise<unknown>>();
  readonly #closing = sharedAbortController();

  /** @param mostAtATime however many elections there are: so many statements at a time, and not a connection for each */
  constructor(
    private readonly open: Open<Connection>,
    private readonly clock: Clock,
    mostAtATime: number,
  ) {
    this.#slots = new Slots(mostAtATime);
  }

  async take(signal: AbortSignal): Promise<Connection> {
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

  #takeIdle(): Connection | undefined {
    for (;;) {
      const connection = this.#idle.pop();
      if (connection?.ended.aborted !== true) return connection;
    }
  }

  async #openOne(signal: AbortSignal): Promise<Connection> {
    const home = (client: Goodbye): ConnectionHome => ({
      giveBack: () => void this.#idle.push(connection),
      end: () => this.#sayGoodbye(client),
      destroy: () => client.reset(),
    });
    const opening = await this.open(home, signal);
    const { connection } = opening;
    onAbort(connection.ended, () => this.#open.delete(connection));
    const closing = this.#closing.signal;
    const unlisten = onAbort(closing, () => connection.destroy(closing.reason));
    try {
      // A socket that was destroyed before it connects would connect all the same.
      connection.ended.throwIfAborted();
      await opening.ready(signal);
      this.#open.add(connection);
    } finally {
      unlisten();
    }
    return connection;
  }

  #sayGoodbye(client: Goodbye): void {
    const goodbye = settlesWithin(this.clock, client.end(), GOODBYE_MS).then(() => client.reset());
    this.#goodbyes.add(goodbye);
    void goodbye.finally(() => this.#goodbyes.delete(goodbye));
  }
}
