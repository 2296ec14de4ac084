import type { Clock } from '../core/clock.js';
import { refusal, streamHeaders } from './answers.js';
import type { StatusAnswer, StatusSink } from './status-answer.js';
import { StatusClient } from './status-client.js';
import type { HistoryListener } from './status-history.js';

/** Some people and their phones; a page that finds no room asks again. */
const MAX_CLIENTS = 20;

/** What happens within it is told together. In milliseconds. */
const COLLECT_MS = 50;

/** How often what no event tells of is shown: a deadline, a verdict. It is the sign of life as well, for proxies that cut silence. */
const REFRESH_MS = 2000;

/** A client that has not read for so long is cut. */
const FULL_LIMIT_MS = 20_000;

/** Then the page connects again, and its guards decide again: whoever has lost their rights does not look on for ever. */
const MAX_AGE_MS = 10 * 60_000;

export interface StreamSource {
  /** A whole event for one who knows nothing, and the part that is new since the last call. */
  all(): string;
  change(): string;
}

/** All open streams of server-sent events. Without any, nothing is made and no timer runs. */
export class StatusStreams implements HistoryListener {
  readonly #clients = new Map<StatusClient, () => void>();
  #cancelCollect: (() => void) | undefined;
  #cancelRefresh: (() => void) | undefined;
  #ended = false;

  constructor(
    private readonly source: StreamSource,
    private readonly clock: Clock,
  ) {}

  get size(): number {
    return this.#clients.size;
  }

  answer(): StatusAnswer {
    if (this.#ended) return refusal(503, 'The application has stopped.');
    if (this.#clients.size >= MAX_CLIENTS) {
      return refusal(503, `There are ${MAX_CLIENTS} streams open already.`, { 'Retry-After': '5' });
    }
    return { status: 200, headers: streamHeaders(), stream: (sink) => this.#open(sink) };
  }

  onEntry(): void {
    if (this.#clients.size === 0 || this.#cancelCollect !== undefined) return;
    this.#cancelCollect = this.clock.setTimer(() => this.#tell(), COLLECT_MS, { background: true });
  }

  onEnd(): void {
    this.#ended = true;
    // The last news of the shutdown have not been told yet.
    if (this.#clients.size > 0) this.#tell();
    for (const [client, forget] of this.#clients) {
      forget();
      client.end('event: end\ndata: {}\n\n');
    }
  }

  #open(sink: StatusSink): () => void {
    if (this.#ended) {
      sink.end();
      return () => undefined;
    }
    // Those who are there already get what the newcomer gets with the rest.
    if (this.#clients.size > 0) this.#tell();
    else this.source.change();
    const client = new StatusClient(
      sink,
      () => this.clock.now(),
      () => this.source.all(),
    );
    const cancelAge = this.clock.setTimer(() => this.#close(client), MAX_AGE_MS, { background: true });
    const forget = () => {
      cancelAge();
      this.#clients.delete(client);
      if (this.#clients.size === 0) this.#rest();
    };
    this.#clients.set(client, forget);
    client.begin();
    this.#cancelRefresh ??= this.#scheduleRefresh();
    return forget;
  }

  #close(client: StatusClient): void {
    this.#clients.get(client)?.();
    client.end('');
  }

  #scheduleRefresh(): () => void {
    return this.clock.setTimer(
      () => {
        this.#dropSilent();
        if (this.#clients.size === 0) return;
        this.#cancelRefresh = this.#scheduleRefresh();
        this.#tell();
      },
      REFRESH_MS,
      { background: true },
    );
  }

  #dropSilent(): void {
    const now = this.clock.now();
    for (const [client, forget] of this.#clients) {
      if (client.fullSince === undefined || now - client.fullSince < FULL_LIMIT_MS) continue;
      forget();
      client.destroy();
    }
  }

  #tell(): void {
    this.#cancelCollect?.();
    this.#cancelCollect = undefined;
    const change = this.source.change();
    for (const client of this.#clients.keys()) client.tell(change);
  }

  #rest(): void {
    this.#cancelCollect?.();
    this.#cancelRefresh?.();
    this.#cancelCollect = this.#cancelRefresh = undefined;
  }
}
