import { MARGIN_MS, TIMING } from '../timing.js';
import { HARNESS, type Evidence } from './evidence.js';
import { byElection, inMs, isSeen, labelOf, ms, type SeenTerm, type TermTrace, type Violation } from './term-trace.js';

/** Safety has no tolerance: times are compared as they are. */
export function checkSafety(evidence: Evidence): Violation[] {
  const perElection = byElection(evidence.terms).flatMap((terms) => {
    const seen = terms.filter(isSeen).toSorted((a, b) => compare(a.firstSeen, b.firstSeen));
    return [...twoLeaders(seen), ...tokenOrder(seen), ...settledBeforeRival(terms, evidence)];
  });
  return [...perElection, ...fencing(evidence), ...refusals(evidence)];
}

/** Each has led from the first to the last time at which it was seen to. */
function twoLeaders(seen: readonly SeenTerm[]): Violation[] {
  const violations: Violation[] = [];
  let longest: SeenTerm | undefined;
  for (const term of seen) {
    if (longest !== undefined && term.firstSeen <= longest.lastSeen) {
      const overlap = (term.lastSeen < longest.lastSeen ? term.lastSeen : longest.lastSeen) - term.firstSeen;
      const detail = `${labelOf(longest)} and ${labelOf(term)} both led, for ${inMs(overlap)} ms`;
      violations.push({ check: 'two-leaders', detail, at: term.firstSeen });
    }
    if (longest === undefined || term.lastSeen > longest.lastSeen) longest = term;
  }
  return violations;
}

/** Later terms have higher tokens, in whichever process. */
function tokenOrder(seen: readonly SeenTerm[]): Violation[] {
  return seen.slice(1).flatMap((term, index) => {
    const before = seen[index];
    if (before === undefined || term.token > before.token) return [];
    return [{ check: 'token-order', detail: `${labelOf(before)}, then ${labelOf(term)}`, at: term.firstSeen }];
  });
}

/** Nobody was granted a later term before the work of this one had settled. */
function settledBeforeRival(terms: readonly TermTrace[], evidence: Evidence): Violation[] {
  const byToken = terms.toSorted((a, b) => compare(b.token, a.token));
  const violations: Violation[] = [];
  let rival: TermTrace | undefined;
  for (const term of byToken) {
    const { settled } = term;
    const isEarly = rival?.elected !== undefined && settled !== undefined && rival.elected < settled;
    if (isEarly && rival?.elected !== undefined && settled !== undefined && mustHaveSettled(term, settled, evidence)) {
      const how = term.voluntary === true ? 'was given up' : 'was lost';
      const detail = `${labelOf(term)} ${how} and settled ${inMs(settled - rival.elected)} ms after ${labelOf(rival)} was elected`;
      violations.push({ check: 'released-before-settled', detail, at: rival.elected });
    }
    if (term.elected !== undefined && (rival?.elected === undefined || term.elected < rival.elected)) rival = term;
  }
  return violations;
}

/**
 * Whether a rival had to wait for the work. Not if the process stood still for longer than the lease has to spare, or if
 * the work took longer than its time: then only the fenced resource can judge.
 */
function mustHaveSettled(term: TermTrace, settled: bigint, { lags }: Evidence): boolean {
  if (term.ended === undefined || term.overrun === true) return false;
  if (term.voluntary === true) return lags.longest(term.who, term.ended, settled) < ms(MARGIN_MS);
  const since = term.ended - ms(TIMING.leaseMs);
  const isInTime = settled - term.ended <= ms(TIMING.stopBudgetMs);
  return isInTime && lags.longest(term.who, since, settled) < ms(MARGIN_MS);
}

/** The resource took no effect under an older token than before, and no token from two processes. */
function fencing({ taken }: Evidence): Violation[] {
  const highest = new Map<string, bigint>();
  const owners = new Map<string, string>();
  return taken.flatMap(({ e, token, who, t }) => {
    const found: Violation[] = [];
    const value = BigInt(token);
    const owner = owners.get(`${e} ${token}`) ?? who;
    if (value < (highest.get(e) ?? value)) {
      found.push({ check: 'stale-taken', detail: labelOf({ who, election: e, token: value }), at: BigInt(t) });
    }
    if (owner !== who) {
      const detail = `token ${token} of ${e} was used by ${owner} and by ${who}`;
      found.push({ check: 'token-reused', detail, at: BigInt(t) });
    }
    highest.set(e, value);
    owners.set(`${e} ${token}`, owner);
    return found;
  });
}

/** Only what was sent by a process that stood still, or was killed, may reach the resource after a later leader's. */
function refusals({ refused, signals, lags }: Evidence): Violation[] {
  return refused.flatMap(({ who, e, token, begun, t }) => {
    const [from, at] = [BigInt(begun), BigInt(t)];
    const wasKilled = signals.some((it) => it.who === who && it.signal === 'SIGKILL' && BigInt(it.t) <= at);
    const stoodStill = lags.longest(who, from, at) >= ms(MARGIN_MS) || lags.longest(HARNESS, from, at) >= ms(100);
    if (wasKilled || stoodStill) return [];
    const detail = `an effect of ${labelOf({ who, election: e, token: BigInt(token) })}, begun ${inMs(at - from)} ms before, came after a later leader's`;
    return [{ check: 'late-effect', detail, at }];
  });
}

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);
