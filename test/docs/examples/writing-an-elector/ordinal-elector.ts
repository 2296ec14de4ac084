// ordinal-elector.ts
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { ElectionTerm, untilAborted, type Candidate, type Elector } from 'nestjs-lifecycle';

/**
 * The first pod of a Kubernetes StatefulSet leads. At most one pod of a set has a given name at a time, unless somebody
 * deletes it by force while its node cannot be reached.
 */
export class OrdinalElector implements Elector {
  /** Nobody else could lead, so stepping down would help nobody. */
  readonly standalone = true;

  constructor(private readonly host = hostname()) {}

  async campaign(election: string, candidate: Candidate, signal: AbortSignal): Promise<void> {
    if (!this.host.endsWith('-0')) {
      await untilAborted(signal);
      return;
    }
    while (!signal.aborted) {
      await this.#lead(election, candidate, signal);
      await sleep(1000, undefined, { signal }).catch(() => undefined);
    }
  }

  async #lead(election: string, candidate: Candidate, signal: AbortSignal): Promise<void> {
    const { identity } = candidate;
    const fencingToken = BigInt(Date.now()) * 1000n;
    const term = new ElectionTerm({ election, identity, fencingToken });
    const end = () => term.end('the campaign has ended', { cause: signal.reason });
    signal.addEventListener('abort', end, { once: true });
    candidate.onLeaderObserved({ identity, fencingToken, since: Date.now() });
    try {
      await candidate.onElected(term);
    } finally {
      signal.removeEventListener('abort', end);
      term.end('the candidate resigned');
      candidate.onLeaderObserved(undefined);
    }
  }
}
