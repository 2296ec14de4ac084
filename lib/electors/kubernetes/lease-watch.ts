import type { IncomingMessage } from 'node:http';
import { onAbort } from '../../core/abort.js';
import type { Clock } from '../../core/clock.js';
import type { OnHint } from '../../core/lease/lease-watch.js';
import { linesOf } from '../../core/lines.js';
import { ApiStatusError } from './api-errors.js';
import type { KnownLeases } from './known-leases.js';
import type { LeaseApi } from './lease-api.js';
import { revisionOf, type LeaseObject } from './lease-object.js';
import { recordOf } from './lease-records.js';
import { Silence } from './silence.js';
import { watchEventOf, type WatchEvent } from './watch-event.js';

export interface LeaseWatchOptions {
  readonly api: LeaseApi;
  readonly known: KnownLeases;
  readonly name: string;
  readonly clock: Clock;
  readonly renewMs: number;
  readonly onHint: OnHint;
}

/** The server ends a watch after it, and it is opened again: between five and ten minutes, as client-go has it. */
const SHORTEST_WATCH_S = 300;
const GONE = 410;

/**
 * The events of one Lease. Those that say that it may have become free are hints; all of them tell the version that the
 * next write has to replace.
 */
export class LeaseWatch {
  /** Up to which version everything was heard. */
  #resourceVersion: string | undefined;

  constructor(private readonly options: LeaseWatchOptions) {}

  /** Until the signal aborts, over the server's own ends of the stream. @throws when it breaks */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, renewMs } = this.options;
    while (!signal.aborted) {
      const openedAt = clock.now();
      try {
        await this.#runOnce(signal);
      } catch (error) {
        if (!signal.aborted) throw error;
      }
      // Whoever ends it right away does so again: our caller opens it after a pause.
      if (clock.now() - openedAt < renewMs) return;
    }
  }

  async #runOnce(signal: AbortSignal): Promise<void> {
    const { api, name, clock, renewMs, onHint } = this.options;
    const control = new AbortController();
    const unlisten = onAbort(signal, () => control.abort(signal.reason));
    // It proves nothing that a watch is silent: it may be dead.
    const silence = new Silence({ clock, periodMs: renewMs, onSilent: () => onHint(), onDead: () => control.abort() });
    try {
      const timeoutSeconds = Math.ceil(SHORTEST_WATCH_S * (1 + Math.random()));
      const from = { resourceVersion: this.#resourceVersion, timeoutSeconds };
      const stream = await api.watch(name, from, control.signal);
      // Before this was open the Lease may have been released, or deleted.
      if (this.#resourceVersion === undefined) onHint();
      await this.#listen(stream, () => silence.broken());
    } catch (error) {
      if (!silence.isDead) throw error;
    } finally {
      silence.end();
      unlisten();
      control.abort();
    }
  }

  async #listen(stream: IncomingMessage, onLine: () => void): Promise<void> {
    for await (const line of linesOf(stream)) {
      onLine();
      const event = watchEventOf(line);
      if (event.type === 'error') return this.#onError(event);
      this.#onEvent(event);
    }
  }

  #onEvent(event: Exclude<WatchEvent, { type: 'error' }>): void {
    switch (event.type) {
      case 'written':
        this.#resourceVersion = event.lease.metadata.resourceVersion;
        this.#onWritten(event.lease);
        break;
      case 'deleted':
        this.#resourceVersion = event.lease.metadata.resourceVersion;
        this.options.known.forget(this.options.name);
        this.options.onHint();
        break;
      case 'bookmark':
        this.#resourceVersion = event.resourceVersion || this.#resourceVersion;
        break;
      case 'unknown':
        break;
    }
  }

  #onWritten(lease: LeaseObject): void {
    const { known, onHint } = this.options;
    const before = known.get(lease.metadata.name);
    known.note(lease);
    const record = recordOf(lease, 0);
    if (record.kind !== 'released') return;
    // It was taken, or read, since: the next events tell.
    if (before !== undefined && revisionOf(before) > revisionOf(lease)) return;
    onHint(record.token === undefined ? undefined : { token: record.token });
  }

  /** What is too old to go on from is read anew. */
  #onError({ status, message }: WatchEvent & { type: 'error' }): void {
    this.#resourceVersion = undefined;
    if (status === GONE) return;
    throw new ApiStatusError(status, { verb: 'watch', expected: [] }, message);
  }
}
