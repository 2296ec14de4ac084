import { setTimeout as pause } from 'node:timers/promises';
import type { ManualClock } from '../manual-clock.js';

/** How time passes in an arena: one of `realTime()` and `virtualTime()`, or one of your own. @publicApi */
export interface ArenaTime {
  /**
   * Lets time pass until the condition holds.
   *
   * @throws Error when it does not hold within what the engine may take
   */
  until(condition: () => boolean | Promise<boolean>): Promise<void>;
  /**
   * Lets as much time pass as the take-over of a lease could need, if one were to happen; less than a leader's work may
   * take at shutdown.
   */
  pass(): Promise<void>;
}

/** How long a contract waits on the real clock. @publicApi */
export interface RealTimeOptions {
  /** How long `pass()` takes, in milliseconds: more than a lease and a poll. */
  readonly passMs: number;
  /** After how long a condition that does not hold is given up, in milliseconds. It is for what never comes. @default 30000 */
  readonly limitMs?: number;
}

/** How long a contract waits on a clock of its own. @publicApi */
export interface VirtualTimeOptions {
  /** How long `pass()` takes, in milliseconds of the clock. @default 20000 */
  readonly passMs?: number;
  /** After how long a condition that does not hold is given up, in milliseconds of the clock. @default 60000 */
  readonly limitMs?: number;
}

const POLL_MS = 5;
const STEP_MS = 100;
const REAL_LIMIT_MS = 30_000;
const VIRTUAL_PASS_MS = 20_000;
const VIRTUAL_LIMIT_MS = 60_000;

/** Time as it passes, for electors on real engines. @publicApi */
export function realTime({ passMs, limitMs = REAL_LIMIT_MS }: RealTimeOptions): ArenaTime {
  return {
    async until(condition) {
      const deadline = performance.now() + limitMs;
      while (!(await condition())) {
        if (performance.now() > deadline) throw notWithin(limitMs, condition);
        await pause(POLL_MS);
      }
    },
    pass: () => pause(passMs),
  };
}

/** The time of a clock that stands still until it is told to move, for electors that take one. @publicApi */
export function virtualTime(clock: ManualClock, options: VirtualTimeOptions = {}): ArenaTime {
  const { passMs = VIRTUAL_PASS_MS, limitMs = VIRTUAL_LIMIT_MS } = options;
  return {
    async until(condition) {
      const deadline = clock.now() + limitMs;
      for (;;) {
        await clock.settle();
        if (await condition()) return;
        if (clock.now() >= deadline) throw notWithin(limitMs, condition);
        await clock.advance(STEP_MS);
      }
    },
    pass: () => clock.advance(passMs),
  };
}

function notWithin(limitMs: number, condition: () => unknown): Error {
  return new Error(`This does not hold within ${limitMs} ms: ${condition.toString()}`);
}
