import type { LeaseStore } from '../../core/lease/lease-store.js';
import type { ArenaTime } from './arena-time.js';

/**
 * What can be done to a store or its engine from outside, beside asking it:
 *
 * - `disconnect`: a store does not reach its engine for a while;
 * - `data loss`: the engine forgets everything, tokens included.
 *
 * @publicApi
 */
export type LeaseStoreFault = 'disconnect' | 'data loss';

/**
 * How the contract suite gets stores of one kind.
 *
 * @publicApi
 */
export interface LeaseStoreFixture {
  /** What its arenas can do. The suite has cases for each. @default none */
  readonly faults?: readonly LeaseStoreFault[];
  /**
   * Whether the store can give out any token, so that it keeps above `tokenAbove`; false where the engine numbers its
   * writes by itself.
   *
   * @default true
   */
  readonly freeTokens?: boolean;
  /** How long leases last of which a case waits for the end, in milliseconds. @default 1000 */
  readonly leaseMs?: number;
  /** Real time for one case, in milliseconds. @default 60000 */
  readonly timeoutMs?: number;
  /** Opens an engine, or a part of one (a namespace of its own), for one case. */
  open(): Promise<LeaseStoreArena> | LeaseStoreArena;
}

/**
 * One engine, or a part of one, that nobody else uses, and the time that passes there. Its `pass()` takes longer than the
 * fixture's `leaseMs`.
 *
 * @publicApi
 */
export interface LeaseStoreArena extends ArenaTime {
  /** One more replica's store. The suite closes it. */
  createStore(): Promise<LeaseStore> | LeaseStore;
  /**
   * From now on this store does not reach its engine, nor hear from it. What it sent meanwhile must not arrive later.
   * Connections may hang or break.
   */
  disconnect?(store: LeaseStore): Promise<void> | void;
  /** It reaches its engine again. */
  reconnect?(store: LeaseStore): Promise<void> | void;
  /** Makes the engine forget everything, as a restart without its data does. It can be asked again on return. */
  loseData?(): Promise<void> | void;
  /** Frees all that is left. Called last, also after a failure. What it throws fails the case. */
  close(): Promise<void> | void;
}
