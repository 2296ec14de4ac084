import type { HarnessRecord, ReplicaRecord } from '../records.js';
import { Evidence } from './evidence.js';
import { leaderlessGaps, type LeaderlessGaps } from './leaderless-gaps.js';
import { checkLiveness, starvedQuietPeriods } from './liveness-checks.js';
import { checkSafety } from './safety-checks.js';
import { inMs, isSeen, type Violation } from './term-trace.js';

/** What a run has shown. */
export interface Verdict {
  readonly faults: Record<string, number>;
  /** By election. */
  readonly terms: Record<string, number>;
  readonly longestGapMs: LeaderlessGaps;
  readonly effects: number;
  readonly refusedStaleEffects: number;
  readonly quietPeriods: number;
  /** Of these, how many prove nothing, since the machine was too busy. */
  readonly starvedQuietPeriods: number;
  readonly violations: readonly ReportedViolation[];
}

export interface ReportedViolation {
  readonly check: string;
  readonly detail: string;
  /** Milliseconds since the first record of the run. */
  readonly atMs?: number;
}

/** Judges a run by what its processes have written down, and by nothing else. */
export class ChaosChecker {
  readonly #evidence = new Evidence();
  #startedAt: bigint | undefined;

  addReplica(who: string, record: ReplicaRecord): void {
    this.#noteTime(record.t);
    this.#evidence.addReplica(who, record);
  }

  addHarness(record: HarnessRecord): void {
    this.#noteTime(record.t);
    this.#evidence.addHarness(record);
  }

  verdict(): Verdict {
    const evidence = this.#evidence;
    return {
      faults: countBy(evidence.faults, (it) => it.kind),
      terms: countBy(evidence.terms.filter(isSeen), (it) => it.election),
      longestGapMs: leaderlessGaps(evidence),
      effects: evidence.effects,
      refusedStaleEffects: evidence.refused.length,
      quietPeriods: evidence.quiet.length,
      starvedQuietPeriods: starvedQuietPeriods(evidence),
      violations: [...evidence.violations, ...checkSafety(evidence), ...checkLiveness(evidence)].map((it) =>
        this.#reported(it),
      ),
    };
  }

  #reported({ check, detail, at }: Violation): ReportedViolation {
    return { check, detail, ...(at !== undefined && { atMs: inMs(at - (this.#startedAt ?? at)) }) };
  }

  #noteTime(time: string): void {
    const at = BigInt(time);
    if (this.#startedAt === undefined || at < this.#startedAt) this.#startedAt = at;
  }
}

function countBy<T>(items: readonly T[], keyOf: (item: T) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const item of items) counts[keyOf(item)] = (counts[keyOf(item)] ?? 0) + 1;
  return counts;
}
