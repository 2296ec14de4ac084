import { createServer, type RequestListener, type Server } from 'node:http';
import { once } from 'node:events';
import { settlesWithin, type Clock } from '../core/clock.js';

/** A client that sends its request byte by byte, or never, must not hold what others need. In milliseconds. */
const LIMITS = {
  headersTimeout: 5000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5000,
  connectionsCheckingInterval: 1000,
} as const;

/** Of a connection on which nothing moves in either direction. */
const SILENCE_LIMIT_MS = 30_000;

/** Probes, a scraper and some people need a handful. */
const MAX_CONNECTIONS = 100;

/** Time that answers under way have at the end. */
const CLOSE_LIMIT_MS = 1000;

export interface ListenerOptions {
  readonly serve: RequestListener;
  readonly onDrop: () => void;
  readonly onError: (error: Error) => void;
}

/** An HTTP server with limits, which keeps no process alive: neither does one of its connections. */
export class Listener {
  readonly server: Server;
  readonly #onError: (error: Error) => void;

  constructor({ serve, onDrop, onError }: ListenerOptions) {
    this.server = createServer(LIMITS, serve);
    this.server.timeout = SILENCE_LIMIT_MS;
    this.server.maxConnections = MAX_CONNECTIONS;
    this.server.on('connection', (socket) => socket.unref());
    this.server.on('drop', onDrop);
    this.server.unref();
    this.#onError = onError;
  }

  /** @throws what the system says when it cannot listen there */
  async open(port: number, host: string | undefined): Promise<void> {
    try {
      this.server.listen({ port, ...(host !== undefined && { host }) });
      await once(this.server, 'listening');
    } catch (error) {
      // It has a timer, though it never listened.
      this.server.close(() => undefined);
      throw error;
    }
    this.server.on('error', this.#onError);
  }

  /** Refuses connections from now on, lets answers under way get through, and cuts those that do not in time. */
  async close(clock: Clock): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.server.close(() => resolve());
    });
    this.server.closeIdleConnections();
    if (await settlesWithin(clock, closed, CLOSE_LIMIT_MS)) return;
    this.server.closeAllConnections();
    await closed;
  }
}
