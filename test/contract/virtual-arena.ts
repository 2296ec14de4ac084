import { ManualClock, virtualTime, type ElectorArena } from 'nestjs-lifecycle/testing';

/** Electors that take a clock, on virtual time. Nothing may be left behind that waits for time. */
export function virtualArena(
  create: (clock: ManualClock) => Omit<ElectorArena, 'until' | 'pass' | 'close'>,
): ElectorArena {
  const clock = new ManualClock();
  const time = virtualTime(clock);
  return {
    ...time,
    ...create(clock),
    async close() {
      // Campaigns of electors that have crashed end without anybody waiting for them.
      await clock.advance(60_000);
      if (clock.pending > 0) throw new Error(`${clock.pending} timers are left behind`);
    },
  };
}
