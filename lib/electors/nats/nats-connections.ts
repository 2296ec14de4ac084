import { untilAbort } from '../../core/abort.js';
import { EngineRefusalError } from '../../core/errors.js';
import type { NatsClient } from './nats-client.js';
import { NatsLink } from './nats-link.js';
import { connectOwn } from './own-connection.js';

/** Where the connection comes from: exactly one of the two. */
export interface NatsSource {
  readonly options?: object;
  readonly client?: NatsClient;
}

/** The connection of an elector, opened when it is first needed, and anew when it was closed. */
export class NatsConnections {
  #link: Promise<NatsLink> | undefined;
  #isClosed = false;

  constructor(
    private readonly source: NatsSource,
    private readonly requestTimeoutMs: number,
  ) {}

  /** @throws EngineRefusalError without the client's package; what keeps it from connecting; the signal's reason */
  async link(signal: AbortSignal): Promise<NatsLink> {
    signal.throwIfAborted();
    if (this.#isClosed) throw new Error('The elector was closed: it makes no connections any more.');
    const opening = (this.#link ??= this.#open());
    try {
      const link = await untilAbort(opening, signal);
      if (!link.isClosed) return link;
      await link.close();
      throw new Error('The connection to NATS was closed.');
    } catch (error) {
      // The next one tries anew. An attempt that is still under way may succeed.
      if (this.#link === opening && !signal.aborted) this.#link = undefined;
      throw error;
    }
  }

  /** Ends what was opened here, and stops listening to what was given. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const [opened] = await Promise.allSettled([this.#link]);
    if (opened.status === 'fulfilled') await opened.value?.close();
  }

  async #open(): Promise<NatsLink> {
    const { client, options = {} } = this.source;
    if (client !== undefined) return this.#given(client);
    try {
      return new NatsLink(await connectOwn(options, this.requestTimeoutMs), true, this.requestTimeoutMs);
    } catch (error) {
      // Nobody may be waiting for it any more.
      this.#link = undefined;
      throw error;
    }
  }

  #given(client: NatsClient): NatsLink {
    if (!client.isClosed() && !client.isDraining()) return new NatsLink(client, false, this.requestTimeoutMs);
    throw new EngineRefusalError(
      'The connection to NATS that was given as "client" is closed. Connect with maxReconnectAttempts: -1 so that it never ' +
        'gives up, close it after the app, or pass "servers" instead.',
    );
  }
}
