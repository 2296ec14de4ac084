import type { Clock } from '../../core/clock.js';
import { revisionOf, versionOf, type LeaseObject } from './lease-object.js';

/** What a holder has written last, and when that was seen here first. */
interface Sight {
  readonly version: string;
  readonly at: number;
}

/** The Leases as they were seen last, in whatever answer or event. */
export class KnownLeases {
  readonly #byName = new Map<string, LeaseObject>();
  readonly #sights = new Map<string, Sight>();

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  /** What a write can be made from. One that is made from an outdated version is refused. */
  get(name: string): LeaseObject | undefined {
    return this.#byName.get(name);
  }

  /** Unless a later one is known: an answer may have been overtaken by an event. */
  note(lease: LeaseObject): void {
    const { name } = lease.metadata;
    const known = this.#byName.get(name);
    if (known !== undefined && revisionOf(known) >= revisionOf(lease)) return;
    this.#byName.set(name, lease);
    const version = versionOf(lease);
    if (this.#sights.get(name)?.version !== version) this.#sights.set(name, { version, at: this.clock.now() });
  }

  /** Nothing is to be written from what is known. */
  forget(name: string): void {
    this.#byName.delete(name);
  }

  /**
   * For how long its holder has not written to that Lease, at least, in milliseconds by the local clock: since an answer or
   * an event has shown what it says now. No holder writes the same version twice.
   */
  unchangedMs(lease: LeaseObject): number {
    const sight = this.#sights.get(lease.metadata.name);
    return sight?.version === versionOf(lease) ? this.clock.now() - sight.at : 0;
  }
}
