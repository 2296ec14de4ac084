import { onAbort } from '../../core/abort.js';
import { delay } from '../../core/clock.js';
import { Deferred } from '../../core/deferred.js';
import type { Candidate, Elector } from '../../core/elector.js';
import { serveTerm, type ElectionTerm } from '../../core/election-term.js';
import { InvalidOptionError } from '../../core/errors.js';
import { MemoryElectionHub, tellLeader, type Candidacy } from './memory-election-hub.js';

/** Between a resignation and the next candidacy: a candidate that resigns at once must not be asked in a tight loop. */
const AFTER_RESIGNATION_MS = 1000;

/**
 * Elects among the apps of one process that share a hub, in the order in which they came: for tests and samples. The
 * next one leads only when the work of the one before has settled, and a leader that resigned queues up at the end, after
 * a second.
 *
 * @publicApi
 */
export class MemoryElector implements Elector {
  /** @throws InvalidOptionError without a hub */
  constructor(private readonly hub: MemoryElectionHub) {
    if (hub instanceof MemoryElectionHub) return;
    throw new InvalidOptionError({
      option: 'hub',
      value: hub,
      where: 'MemoryElector',
      expected: 'a MemoryElectionHub',
      remedy: 'Make one with new MemoryElectionHub() and give it to every elector that takes part.',
    });
  }

  async campaign(election: string, candidate: Candidate, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#standOnce(election, candidate, signal);
      tellLeader(candidate, undefined);
      await delay(this.hub.clock, AFTER_RESIGNATION_MS, signal, { background: true });
    }
  }

  /** Until the candidate has resigned, or the campaign has ended. */
  async #standOnce(election: string, candidate: Candidate, signal: AbortSignal): Promise<void> {
    const turn = new Deferred<ElectionTerm | undefined>();
    let elected = false;
    const candidacy: Candidacy = {
      candidate,
      onTurn: (term) => {
        elected = true;
        turn.resolve(term);
      },
    };
    this.hub.join(election, candidacy);
    const stopWaiting = onAbort(signal, () => {
      if (elected) return;
      this.hub.leave(election, candidacy);
      turn.resolve(undefined);
    });
    const term = await turn.promise;
    if (term !== undefined && !signal.aborted) await serveTerm(candidate, term, signal);
    stopWaiting();
    this.hub.leave(election, candidacy);
  }
}
