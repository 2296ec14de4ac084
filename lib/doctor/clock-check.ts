import type { Clock } from '../core/clock.js';
import type { Diagnosis } from '../core/elector.js';

/** Clocks are slewed by less than a thousandth; what is set is set by more than that. */
const JUMP_MS = 1000;

/** Notices that the wall clock has been set, or that the host has slept: both at once shift every time that is compared. */
export class ClockCheck {
  #offset: number;
  #isSaid = false;

  constructor(private readonly clock: Clock) {
    this.#offset = this.#read();
  }

  look(): Diagnosis | undefined {
    const offset = this.#read();
    const jumpMs = Math.round(offset - this.#offset);
    this.#offset = offset;
    if (Math.abs(jumpMs) < JUMP_MS || this.#isSaid) return undefined;
    this.#isSaid = true;
    return {
      level: 'warning',
      summary: `The wall clock of this host has jumped by ${jumpMs} ms: it was set, or the host slept.`,
      remedy:
        'Let NTP slew it (chrony or systemd-timesyncd), and do not suspend the host. Terms that this made doubtful have ended by themselves.',
    };
  }

  #read(): number {
    return this.clock.wallNow() - this.clock.now();
  }
}
