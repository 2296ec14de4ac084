import type { Elector } from '../../core/elector.js';
import type { ArenaTime } from './arena-time.js';

/**
 * What can be done to an elector from outside, beside asking it:
 *
 * - `crash`: its process vanishes without a word;
 * - `disconnect`: it does not reach its engine for a while.
 *
 * @publicApi
 */
export type ElectorFault = 'crash' | 'disconnect';

/**
 * How the contract suite gets electors of one kind.
 *
 * @publicApi
 */
export interface ElectorFixture {
  /**
   * Every candidate leads: what is about rivals does not apply.
   *
   * @default false
   */
  readonly standalone?: boolean;
  /** What its arenas can do to an elector. The suite has cases for each. @default none */
  readonly faults?: readonly ElectorFault[];
  /** Real time for one case, in milliseconds. @default 60000 */
  readonly timeoutMs?: number;
  /** Opens an engine, or a part of one (a namespace of its own), for one case. */
  open(): Promise<ElectorArena> | ElectorArena;
}

/**
 * One engine, or a part of one, that nobody else uses, and the time that passes there.
 *
 * @publicApi
 */
export interface ElectorArena extends ArenaTime {
  /**
   * One more replica's elector. The suite closes it, once its campaigns have ended; those that have crashed are left to
   * `close()`.
   */
  createElector(): Elector;
  /**
   * Makes the process of an elector vanish without a word, as SIGKILL does: nothing is released, closed or renewed any
   * more. For electors in this process a network that swallows everything from now on is near enough. The suite aborts
   * its campaigns at the end of the case, and does not wait for them.
   */
  crash?(elector: Elector): Promise<void> | void;
  /**
   * From now on this elector does not reach its engine, nor hear from it. What it sent before must not arrive later.
   * Connections may hang or break.
   */
  disconnect?(elector: Elector): Promise<void> | void;
  /** It reaches its engine again. Called for each that was disconnected, at the end of the case at the latest. */
  reconnect?(elector: Elector): Promise<void> | void;
  /** Frees all that is left. Called last, also after a failure. What it throws fails the case. */
  close(): Promise<void> | void;
}
