import type { Elector } from '../../lib/core/elector.js';

/** One engine that nobody else uses. */
export interface ElectorArena {
  /** One more replica's elector. */
  createElector(): Elector;
  /** Lets time pass until the condition holds; rejects when it does not within what the engine may take. */
  until(condition: () => boolean): Promise<void>;
  /** Lets as much time pass as a take-over could need, if one were to happen. */
  pass(): Promise<void>;
  close(): Promise<void>;
}

export interface ElectorFixture {
  readonly name: string;
  /** Every candidate leads: what is about rivals does not apply. */
  readonly standalone?: boolean;
  open(): Promise<ElectorArena>;
}
