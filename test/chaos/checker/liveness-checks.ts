import { ELECTIONS, SLOTS, slotOf } from '../records.js';
import { EXIT_WITHIN_MS, TIMING } from '../timing.js';
import type { Evidence } from './evidence.js';
import { inMs, isSeen, ms, type Violation } from './term-trace.js';

/** A process that was not given the processor for this long may have lost its leadership by that. */
const STARVED_MS = 200;
/** A process that stood still for long looks as if it were stuck until it has caught up, within so long. */
const STILL_MS = 500;
const CAUGHT_UP_WITHIN_MS = 2 * TIMING.leaseMs;

export function checkLiveness(evidence: Evidence): Violation[] {
  return [
    ...leaderAfterHeal(evidence),
    ...everySlotLeads(evidence),
    ...nothingChangesInQuiet(evidence),
    ...exits(evidence),
    ...settledAtExit(evidence),
    ...failedProbes(evidence),
  ];
}

/** Quiet periods of which nothing can be said, since the machine was too busy. */
export function starvedQuietPeriods({ quiet, lags }: Evidence): number {
  return quiet.filter(({ t, until }) => isStarved(lags, BigInt(t), BigInt(until))).length;
}

function leaderAfterHeal({ healed, terms, lags }: Evidence): Violation[] {
  const seen = terms.filter(isSeen);
  return healed.flatMap(({ t, withinMs, who }) => {
    const from = BigInt(t);
    const limit = from + ms(withinMs);
    const until = limit + lags.longestWithin(from, limit);
    const isBy = (slot: string) => who === undefined || slotOf(slot) === slotOf(who);
    const missing = ELECTIONS.filter(
      (e) => !seen.some((it) => it.election === e && isBy(it.who) && it.firstSeen <= until && it.lastSeen >= from),
    );
    return missing.map((election) => {
      const detail = `${who ?? 'nobody'} leads ${election} within ${withinMs} ms after all was well`;
      return { check: 'no-leader', detail: who === undefined ? detail : `not: ${detail}`, at: from };
    });
  });
}

function everySlotLeads({ terms }: Evidence): Violation[] {
  const led = new Set(terms.filter(isSeen).map((it) => `${it.election} ${slotOf(it.who)}`));
  return ELECTIONS.flatMap((election) =>
    SLOTS.filter((slot) => !led.has(`${election} ${slot}`)).map((slot) => ({
      check: 'never-led',
      detail: `replica ${slot} never led ${election}`,
    })),
  );
}

function nothingChangesInQuiet({ quiet, transitions, lags }: Evidence): Violation[] {
  return quiet.flatMap(({ t, until }) => {
    const [from, to] = [BigInt(t), BigInt(until)];
    if (isStarved(lags, from, to)) return [];
    const changes = transitions.filter((it) => it.at > from && it.at < to);
    return changes.map(({ who, what, at }) => ({ check: 'change-in-quiet', detail: `${who}: ${what}`, at }));
  });
}

function isStarved(lags: Evidence['lags'], from: bigint, until: bigint): boolean {
  return lags.longestWithin(from - ms(TIMING.leaseMs), until) >= ms(STARVED_MS);
}

/** Ends by itself, with code 0 and in time, when it was asked to; never otherwise. */
function exits({ exits: ended, signals, lags }: Evidence): Violation[] {
  return ended.flatMap(({ who, code, signal, t }): Violation[] => {
    const at = BigInt(t);
    const sent = signals.filter((it) => it.who === who && BigInt(it.t) <= at);
    if (sent.some((it) => it.signal === 'SIGKILL')) return [];
    const [term] = sent;
    if (term === undefined) return [{ check: 'exit', detail: `${who} ended by itself: ${code ?? signal}`, at }];
    const asked = BigInt(term.t);
    const took = at - asked - lags.sumWithin(who, asked, at);
    if (code !== 0) return [{ check: 'exit', detail: `${who} ended with ${code ?? signal} on SIGTERM`, at }];
    if (took > ms(EXIT_WITHIN_MS)) return [{ check: 'exit', detail: `${who} took ${inMs(took)} ms to end`, at }];
    return [];
  });
}

/** Who ended in order has left no work behind. */
function settledAtExit({ terms, exits: ended }: Evidence): Violation[] {
  const clean = new Set(ended.filter((it) => it.code === 0).map((it) => it.who));
  return terms
    .filter((it) => clean.has(it.who) && it.working !== undefined && it.settled === undefined)
    .map((it) => ({
      check: 'never-settled',
      detail: `work of ${it.who} in ${it.election} was cut off by a clean exit`,
    }));
}

/** No fault here is cured by a restart of the process, nor keeps a replica from its part of the work. */
function failedProbes({ probes, lags }: Evidence): Violation[] {
  return probes.flatMap(({ who, probe, reasons, t }) => {
    const at = BigInt(t);
    if (lags.longest(who, at - ms(CAUGHT_UP_WITHIN_MS), at) >= ms(STILL_MS)) return [];
    return [{ check: `not-${probe}`, detail: `${who}: ${reasons.join('; ')}`, at }];
  });
}
