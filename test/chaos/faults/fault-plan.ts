import { ELECTIONS, SLOTS, type EngineName } from '../records.js';
import type { Random } from '../../fixtures/random.js';
import { LEASE_MS } from '../timing.js';
import { areaOf, faultsFor, type Fault, type FaultKind, type Step } from './fault.js';

const OVERLAP_SHARE = 0.35;
/** Most faults are for leaders: there they can do harm. */
const LEADER_SHARE = 0.75;

/** The faults of a run, one step after the other, without end. Each kind comes before any of them comes again. */
export function* faultPlan(engine: EngineName, random: Random): Generator<Step, never> {
  const kinds = faultsFor(engine);
  for (;;) {
    for (const kind of random.shuffled(kinds)) {
      const second =
        kind !== 'lone-survivor' && random.chance(OVERLAP_SHARE) ? companion(kind, kinds, random) : undefined;
      const faults = [kind, ...(second === undefined ? [] : [second])].map((it) => drawFault(it, random));
      yield { faults, offsetMs: random.int(0, LEASE_MS), quietMs: random.int(1000, 2500) };
    }
  }
}

export function drawFault(kind: FaultKind, random: Random): Fault {
  const leaderOf = random.chance(LEADER_SHARE) ? random.pick(ELECTIONS) : undefined;
  const slot = random.pick(SLOTS);
  return {
    kind,
    target: { slot, ...(leaderOf !== undefined && { leaderOf }) },
    durationMs: drawDuration(kind, random),
    deliversLate: random.chance(0.5),
  };
}

/** Of another area, or for another replica: two of one kind in one place are one. */
function companion(kind: FaultKind, kinds: readonly FaultKind[], random: Random): FaultKind {
  const area = areaOf(kind);
  return random.pick(kinds.filter((it) => areaOf(it) !== 'all' && (areaOf(it) !== area || area === 'process')));
}

/** Shorter than what a leader can bear, or longer than its lease. */
function drawDuration(kind: FaultKind, random: Random): number {
  const isShort = random.chance(0.4);
  switch (kind) {
    case 'step-down':
    case 'reset':
    case 'data-loss':
    case 'kill-connections':
      return 0;
    case 'kill':
    case 'term':
    case 'server-kill':
    case 'restart-empty':
      return random.int(0, LEASE_MS);
    case 'delay':
    case 'half-open':
      return random.int(LEASE_MS, 2 * LEASE_MS);
    case 'late-reply':
      return random.int(LEASE_MS + 500, 2 * LEASE_MS);
    case 'lone-survivor':
      return 0;
    case 'pause':
    case 'block':
    case 'refuse':
    case 'blackhole':
    case 'blackhole-up':
    case 'blackhole-down':
    case 'server-pause':
      return isShort ? random.int(150, 1300) : random.int(LEASE_MS + 200, 2 * LEASE_MS + 500);
  }
}
