import { onAbort, sharedAbortController, untilAborted } from '../../../lib/core/abort.js';
import { systemClock } from '../../../lib/core/clock.js';
import type { Candidate, Elector, LeadershipTerm } from '../../../lib/core/elector.js';
import { TermEndedError } from '../../../lib/core/errors.js';
import { LeaseObserver } from '../../../lib/core/lease/lease-observer.js';
import { LeaseTerm, sentNow } from '../../../lib/core/lease/lease-term.js';
import type { ControlName } from '../faults/control-plan.js';

/** Makes a mistake on purpose, in this process only; the checker has to find it. */
export function makeMistake(control: ControlName, elector: Elector): Elector {
  switch (control) {
    case 'deadline-from-reply':
      countDeadlineFromReply();
      return elector;
    case 'no-wait-after-data-loss':
      takeEmptyStoreAtOnce();
      return elector;
    case 'sticky-flag':
      return withCandidate(elector, (candidate) => ({
        ...forwarded(candidate),
        onElected: (term) => candidate.onElected(new StickyTerm(term)),
      }));
    case 'early-release':
      return withCandidate(elector, (candidate) => ({
        ...forwarded(candidate),
        onElected: (term) => Promise.race([candidate.onElected(term), untilAborted(term.signal)]),
      }));
  }
}

/** Options of a lease elector that go with a mistake. */
export function settingsOfMistake(control: ControlName | undefined): { emptyStoreWaitMs?: number } {
  return control === 'no-wait-after-data-loss' ? { emptyStoreWaitMs: 0 } : {};
}

function countDeadlineFromReply(): void {
  const extend = LeaseTerm.prototype.extend;
  LeaseTerm.prototype.extend = function (this: LeaseTerm) {
    extend.call(this, sentNow(systemClock));
  };
}

function takeEmptyStoreAtOnce(): void {
  const { get } = Object.getOwnPropertyDescriptor(LeaseObserver.prototype, 'eligibleAt') ?? {};
  if (get === undefined) throw new Error('LeaseObserver has no "eligibleAt" any more: this control changes nothing.');
  Object.defineProperty(LeaseObserver.prototype, 'eligibleAt', {
    get(this: LeaseObserver): number {
      return this.record.kind === 'absent' ? Number.NEGATIVE_INFINITY : (get.call(this) as number);
    },
  });
}

/** Valid until somebody has handled its end, some time later. */
class StickyTerm implements LeadershipTerm {
  readonly election: string;
  readonly identity: string;
  readonly fencingToken: bigint;
  readonly #ending = sharedAbortController();

  constructor(granted: LeadershipTerm) {
    this.election = granted.election;
    this.identity = granted.identity;
    this.fencingToken = granted.fencingToken;
    onAbort(granted.signal, () => setTimeout(() => this.#ending.abort(granted.signal.reason), 20));
  }

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  isValid(): boolean {
    return !this.signal.aborted;
  }

  assertValid(): void {
    if (!this.isValid())
      throw new TermEndedError(this.election, this.fencingToken, 'no side effect may begin any more');
  }
}

function withCandidate(elector: Elector, change: (candidate: Candidate) => Candidate): Elector {
  return {
    ...(elector.reportsWithinMs !== undefined && { reportsWithinMs: elector.reportsWithinMs }),
    campaign: (election, candidate, signal) => elector.campaign(election, change(candidate), signal),
    close: async () => elector.close?.(),
  };
}

function forwarded(candidate: Candidate): Candidate {
  return {
    identity: candidate.identity,
    onElected: (term) => candidate.onElected(term),
    onLeaderObserved: (leader) => candidate.onLeaderObserved(leader),
    onReport: (report) => candidate.onReport(report),
  };
}
