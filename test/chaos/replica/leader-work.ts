import { setTimeout as pause } from 'node:timers/promises';
import type { StartContext } from '../../../lib/core/component.js';
import type { LeadershipTerm } from '../../../lib/core/elector.js';
import { SteppedDownError } from '../../../lib/core/errors.js';
import type { Journal } from '../journal.js';
import { now, type ReplicaRecord } from '../records.js';
import type { ResourceClient } from './resource-client.js';

const PERIOD_MS = 2;
const WAY_MS = 2;
/** Work takes a while to settle: longer where there is time, since nobody leads before it has. */
const LONGEST_SETTLE_MS = { 'given up': 400, lost: 30 };

/** One leader's work: guarded side effects, one after the other, until the term has ended. */
export class LeaderWork {
  constructor(
    private readonly journal: Journal<ReplicaRecord>,
    private readonly resource: ResourceClient,
  ) {}

  async run({ term, signal }: StartContext): Promise<void> {
    if (term === undefined) throw new Error('A leader-only component runs under a term.');
    const named = { e: term.election, token: String(term.fencingToken) };
    this.journal.write({ k: 'working', ...named });
    try {
      while (!signal.aborted && (await this.#effect(term, named))) await pause(PERIOD_MS);
      const isGivenUp = term.signal.reason instanceof SteppedDownError;
      await pause(Math.random() * LONGEST_SETTLE_MS[isGivenUp ? 'given up' : 'lost']);
    } finally {
      this.journal.write({ k: 'settled', ...named });
    }
  }

  /** @returns whether the term was valid when it began */
  async #effect(term: LeadershipTerm, named: { e: string; token: string }): Promise<boolean> {
    const t = now();
    try {
      term.assertValid();
    } catch {
      return false;
    }
    this.journal.write({ k: 'effect', t, ...named });
    // As a request has a way to go: a pause of the process in between makes it arrive late.
    await pause(WAY_MS);
    await this.resource.apply({ ...named, begun: t });
    return true;
  }
}
