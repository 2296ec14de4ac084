import { ChaosChecker, type Verdict } from '../../chaos/checker/chaos-checker.js';
import { ELECTIONS, SLOTS, type HarnessRecord, type ReplicaRecord } from '../../chaos/records.js';

type WithMs<T> = T extends { readonly t: string } ? Omit<T, 't' | 'until' | 'begun'> & Times<T> : never;
type Times<T> = { readonly ms: number } & (T extends { readonly until: string }
  ? { readonly untilMs: number }
  : object) &
  (T extends { readonly begun: string } ? { readonly begunMs: number } : object);

const nanos = (ms: number) => String(BigInt(Math.round(ms * 1e6)));

function timed(record: object): never {
  const { ms, untilMs, begunMs, ...rest } = record as { ms: number; untilMs?: number; begunMs?: number };
  return {
    ...rest,
    t: nanos(ms),
    ...(untilMs !== undefined && { until: nanos(untilMs) }),
    ...(begunMs !== undefined && { begun: nanos(begunMs) }),
  } as never;
}

/** What the processes of a run have written, told in milliseconds. */
export class RunNotes {
  readonly #checker = new ChaosChecker();

  replica(who: string, ...records: readonly WithMs<ReplicaRecord>[]): this {
    for (const record of records) this.#checker.addReplica(who, timed(record));
    return this;
  }

  harness(...records: readonly WithMs<HarnessRecord>[]): this {
    for (const record of records) this.#checker.addHarness(timed(record));
    return this;
  }

  /** Elected, seen to lead all the time, ended, settled. */
  term(who: string, token: number, [from, until]: readonly [number, number], given: GivenTerm = {}): this {
    const { voluntary = true, settledMs = until + 1, e = 'default' } = given;
    const named = { e, token: String(token) };
    return this.replica(
      who,
      { k: 'elected', ms: from, ...named },
      { k: 'acquired', ms: from, ...named },
      { k: 'working', ms: from, ...named },
      { k: 'led', ms: from, ...named },
      { k: 'effect', ms: (from + until) / 2, ...named },
      { k: 'led', ms: until, ...named },
      { k: 'ended', ms: until + 0.1, ...named },
      { k: 'lost', ms: until + 0.2, ...named, voluntary },
      { k: 'settled', ms: settledMs, ...named },
    );
  }

  get verdict(): Verdict {
    return this.#checker.verdict();
  }

  /** The checks that failed, without those that every short story fails: not everybody has led. */
  get failed(): string[] {
    return [...new Set(this.verdict.violations.map((it) => it.check))].filter((it) => it !== 'never-led');
  }
}

export interface GivenTerm {
  readonly voluntary?: boolean;
  readonly settledMs?: number;
  readonly e?: string;
}

/** Everybody has led everything, one after the other. */
export function everybodyLed(): RunNotes {
  const notes = new RunNotes();
  for (const e of ELECTIONS) {
    for (const slot of SLOTS) notes.term(`replica-${slot}.0`, slot + 1, [slot * 1000, slot * 1000 + 900], { e });
  }
  return notes;
}
