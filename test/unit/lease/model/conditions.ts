import { LEASE_TIMINGS, resolveLeaseTiming, type LeaseTiming } from '../../../../lib/core/lease/lease-timing.js';
import type { Random } from '../../../fixtures/random.js';
import type { Weather } from './connection.js';
import type { EngineTraits } from './engine.js';
import type { Temper } from './model-candidate.js';

const TIMINGS = [
  LEASE_TIMINGS.fast,
  LEASE_TIMINGS.default,
  // Answers may take longer than stop budget and margin together.
  { leaseMs: 3000, renewMs: 300, requestTimeoutMs: 1000, stopBudgetMs: 200 },
  { leaseMs: 15_000, renewMs: 2000, requestTimeoutMs: 3500, stopBudgetMs: 3500 },
];

/** How far clocks may be off, against true time. */
export const SLOWEST = 0.95;
export const FASTEST = 1.05;

/** What one run is like, as its seed has it. */
export interface Conditions {
  readonly timing: LeaseTiming;
  readonly shutdownTimeoutMs: number;
  /** When all faults have ended. */
  readonly calmAt: number;
  /** Leases run out by the engine's clock; else there is nothing but versions. */
  readonly isClocked: boolean;
  /**
   * The engine's clock jumps forward. That is survived by those who have just seen a lease with time left, so all can: no
   * other faults that keep them from it.
   */
  readonly engineClockJumps: boolean;
  /** Wall clocks are set back. Then no machine sleeps: both together would need the boot time at every read. */
  readonly wallClocksJumpBack: boolean;
  readonly sameIdentity: boolean;
  /** Some faults come at the worst moment. */
  readonly hasMalice: boolean;
  /** Terms are asked at every moment whether they are valid, which may end them; else the loop has to end them. */
  readonly asks: boolean;
  readonly traits: EngineTraits;
  readonly weather: Weather;
  readonly temper: Temper;
}

export function drawConditions(random: Random): Conditions {
  const timing = resolveLeaseTiming(random.pick(TIMINGS), 'the model');
  const calmAt = timing.leaseMs * random.int(5, 9);
  const isClocked = random.chance(0.6);
  const engineClockJumps = isClocked && random.chance(0.25);
  return {
    timing,
    shutdownTimeoutMs: timing.leaseMs * 1.5,
    calmAt,
    isClocked,
    engineClockJumps,
    wallClocksJumpBack: random.chance(0.5),
    sameIdentity: random.chance(0.3),
    hasMalice: !engineClockJumps && random.chance(0.5),
    asks: random.chance(0.5),
    traits: {
      // Without it a follower cannot tell that the engine's clock has jumped.
      showsVersion: random.chance(0.5) || engineClockJumps,
      keepsToken: random.chance(0.5),
      renewsExpired: random.chance(0.5),
      showsToken: random.chance(0.5),
      showsRival: random.chance(0.5),
    },
    weather: {
      faultRate: random.pick([0, 0.05, 0.2, 0.4]),
      spared: new Set(engineClockJumps ? (['read', 'renew', 'acquire'] as const) : []),
      slowRate: engineClockJumps ? 0 : random.pick([0, 0.1, 0.4]),
      hintLoss: random.pick([0, 0.3, 1]),
      engineIsDown: false,
      requestTimeoutMs: timing.requestTimeoutMs,
      latestAt: calmAt,
    },
    temper: {
      resigns: random.pick([0, 0.2, 0.6]),
      // Who waits for its work does not look either.
      overruns: engineClockJumps ? 0 : random.pick([0, 0.1, 0.5]),
      calmAt,
    },
  };
}

export function drawRate(random: Random): number {
  return random.pick([SLOWEST, FASTEST, 1, SLOWEST + random.next() * (FASTEST - SLOWEST)]);
}
