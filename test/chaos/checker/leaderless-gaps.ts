import { LEADER_WITHIN_MS } from '../timing.js';
import type { Evidence } from './evidence.js';
import { byElection, inMs, isSeen, ms, type Nanos } from './term-trace.js';

interface Span {
  readonly from: Nanos;
  readonly until: Nanos;
}

/** The longest times without a leader of any election, in milliseconds: while something was wrong, or had just been, and else. */
export interface LeaderlessGaps {
  readonly withFaults: number;
  readonly withoutFaults: number;
}

export function leaderlessGaps(evidence: Evidence): LeaderlessGaps {
  const disturbed = disturbances(evidence);
  const isDisturbed = (gap: Span) => disturbed.some((it) => it.from <= gap.until && it.until >= gap.from);
  const gaps = byElection(evidence.terms.filter(isSeen)).flatMap((terms) =>
    gapsBetween(terms.map((it) => ({ from: it.firstSeen, until: it.lastSeen }))),
  );
  return {
    withFaults: longest(gaps.filter(isDisturbed)),
    withoutFaults: longest(gaps.filter((it) => !isDisturbed(it))),
  };
}

function disturbances({ faults, faultsOver }: Evidence): Span[] {
  return faults.map(({ id, t }) => {
    const over = faultsOver.find((it) => it.id === id);
    return { from: BigInt(t), until: BigInt(over?.t ?? t) + ms(LEADER_WITHIN_MS) };
  });
}

function gapsBetween(spans: readonly Span[]): Span[] {
  const gaps: Span[] = [];
  let until: Nanos | undefined;
  for (const span of spans.toSorted((a, b) => (a.from < b.from ? -1 : 1))) {
    if (until !== undefined && span.from > until) gaps.push({ from: until, until: span.from });
    if (until === undefined || span.until > until) until = span.until;
  }
  return gaps;
}

function longest(gaps: readonly Span[]): number {
  return gaps.reduce((max, it) => Math.max(max, inMs(it.until - it.from)), 0);
}
