import type { Clock } from '../../core/clock.js';
import type { LeaseRecord } from '../../core/lease/lease-store.js';
import { partsOf } from './lease-value.js';

/**
 * What a watch has told of one key, and when by our own clock. etcd has no clock that judges leases, and tells of each
 * renewal at once: whoever was told of a write, and reads a lease later that it is still the last one, knows that the holder
 * has not renewed for that long. Without it a follower would only know since when it has read it, up to a poll later.
 *
 * What is read decides, never what is told: a watch that is mute makes nobody lead.
 */
export class LeaseSight {
  #told: { readonly version: string; readonly at: number } | undefined;
  /** A write that was read, of which the watch has told nothing yet, and since when it should have. */
  #untold: { readonly revision: bigint; readonly since: number } | undefined;
  /** Of the last write that the watch has told, as long as one is open. */
  #watch: { revision: bigint; readonly onMute: () => void } | undefined;

  /** @param patienceMs how long a watch may take to tell of a write that was read */
  constructor(
    private readonly clock: Clock,
    private readonly patienceMs: number,
  ) {}

  /** A watch is open that tells of all writes after that revision. Returns what ends that. */
  watched(revision: bigint, onMute: () => void): () => void {
    const watch = { revision, onMute };
    this.#watch = watch;
    return () => {
      if (this.#watch === watch) this.#watch = undefined;
    };
  }

  /** The watch tells of a write that was made before now. */
  tell(revision: bigint, version: string | undefined): void {
    if (this.#watch !== undefined) this.#watch.revision = revision;
    if (version !== undefined) this.#told = { version, at: this.clock.now() };
  }

  /** What was read, with what is known of its age. */
  judged(record: LeaseRecord & { readonly version?: string }): LeaseRecord {
    if (record.kind !== 'held' || record.version === undefined || record.version !== this.#told?.version) return record;
    const remainingMs = record.leaseMs - (this.clock.now() - this.#told.at);
    if (remainingMs > 0) return { ...record, remainingMs };
    const { token, version } = record;
    return { kind: 'vacant', version, ...(token !== undefined && { token }) };
  }

  /** Finds out that a watch is mute: it has told nothing of a write that was read long enough ago. */
  noteRead(operation: string, record: LeaseRecord & { readonly version?: string }): void {
    const watch = this.#watch;
    if (watch === undefined || this.#untold === undefined || watch.revision >= this.#untold.revision) {
      this.#untold = undefined;
    } else if (this.clock.now() - this.#untold.since >= this.patienceMs) {
      this.#untold = undefined;
      return watch.onMute();
    }
    const revision = BigInt(partsOf(operation, record.version)?.revision ?? 0);
    if (watch !== undefined && revision > watch.revision) this.#untold ??= { revision, since: this.clock.now() };
  }
}
