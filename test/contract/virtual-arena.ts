import type { Elector } from '../../lib/core/elector.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import type { ElectorArena } from './elector-fixture.js';

/** Electors that take a clock, on virtual time. */
export function virtualArena(create: (clock: ManualClock) => () => Elector): ElectorArena {
  const clock = new ManualClock();
  const createElector = create(clock);
  return {
    createElector,
    async until(condition) {
      for (let waitedMs = 0; waitedMs <= 60_000; waitedMs += 100) {
        await clock.settle();
        if (condition()) return;
        await clock.advance(100);
      }
      throw new Error('The condition does not hold after 60 s of virtual time');
    },
    pass: () => clock.advance(60_000),
    async close() {
      if (clock.pending > 0) throw new Error(`${clock.pending} timers are left behind`);
    },
  };
}
