import { delay } from '../../../lib/core/clock.js';
import type { Candidate, Elector, LeadershipTerm } from '../../../lib/core/elector.js';
import { TermEndedError } from '../../../lib/core/errors.js';
import type { ManualClock } from '../../../lib/testing/manual-clock.js';

const LEASE_MS = 8000;
const DEADLINE_MS = 5000;
const POLL_MS = 500;

export type Defect =
  | 'begins a term after the end'
  | 'closes the engine for all'
  | 'ends its campaign on an error'
  | 'ends its campaign on a loss'
  | 'ends its campaign before the work'
  | 'ends the term a turn late'
  | 'has one lease for all elections'
  | 'has terms without a deadline'
  | 'keeps quiet'
  | 'knows itself by its identity'
  | 'lets a term be valid again'
  | 'never stands again'
  | 'releases before the work has settled'
  | 'reports no errors'
  | 'speaks after the end'
  | 'takes what it wants'
  | 'tells nobody who leads'
  | 'uses a token twice';

interface Lease {
  readonly owner: unknown;
  readonly identity: string;
  expiresAt: number;
}

/** An engine of the simplest kind. */
export class Board {
  readonly leases = new Map<string, Lease>();
  readonly cutOff = new Set<Elector>();
  token = 0n;
  isClosed = false;
}

class BoardTerm implements LeadershipTerm {
  deadline: number;
  readonly #control = new AbortController();

  constructor(
    readonly election: string,
    readonly identity: string,
    readonly fencingToken: bigint,
    private readonly clock: ManualClock,
    private readonly defect: Defect | undefined,
  ) {
    this.deadline = clock.now() + DEADLINE_MS;
  }

  get signal(): AbortSignal {
    return this.#control.signal;
  }

  isValid(): boolean {
    if (this.defect === 'has terms without a deadline') return !this.signal.aborted;
    const inTime = this.clock.now() < this.deadline;
    if (this.defect === 'lets a term be valid again') return inTime;
    if (!inTime) this.end();
    return !this.signal.aborted;
  }

  assertValid(): void {
    if (!this.isValid()) throw new TermEndedError(this.election, this.fencingToken, 'it is over');
  }

  end(): void {
    this.deadline = Math.min(this.deadline, this.clock.now());
    this.#control.abort(new Error('ended'));
  }
}

/** An elector with a lease of the simplest kind; right, or with one defect. */
export class BoardElector implements Elector {
  readonly reportsWithinMs = 2 * POLL_MS;

  constructor(
    private readonly board: Board,
    private readonly clock: ManualClock,
    private readonly defect?: Defect,
  ) {}

  async campaign(election: string, candidate: Candidate, signal: AbortSignal): Promise<void> {
    if (signal.aborted && this.#not('begins a term after the end')) return;
    do {
      const led = await this.#round(election, candidate, signal);
      if (led && !this.#not('never stands again'))
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      if (led && !this.#not('ends its campaign on a loss')) return;
      await delay(this.clock, led ? LEASE_MS : POLL_MS, signal);
    } while (!signal.aborted);
    candidate.onLeaderObserved(undefined);
    if (!this.#not('speaks after the end'))
      this.clock.setTimer(() => candidate.onReport({ kind: 'read', latencyMs: 0 }), 1);
  }

  async close(): Promise<void> {
    if (!this.#not('closes the engine for all')) this.board.isClosed = true;
  }

  /** Returns whether it has led. */
  async #round(election: string, candidate: Candidate, signal: AbortSignal): Promise<boolean> {
    const key = this.#not('has one lease for all elections') ? election : 'all';
    try {
      this.#reach();
      const lease = this.board.leases.get(key);
      if (lease === undefined || lease.expiresAt <= this.clock.now() || this.#isMine(lease, candidate)) {
        await this.#lead(key, election, candidate, signal);
        return true;
      }
      if (this.#not('tells nobody who leads')) candidate.onLeaderObserved({ identity: lease.identity, since: 0 });
      if (this.#not('keeps quiet')) candidate.onReport({ kind: 'read', latencyMs: 0 });
    } catch (error) {
      if (!this.#not('ends its campaign on an error')) throw error;
      if (this.#not('reports no errors')) candidate.onReport({ kind: 'error', operation: 'read', error });
    }
    return false;
  }

  async #lead(key: string, election: string, candidate: Candidate, signal: AbortSignal): Promise<void> {
    const { board, clock } = this;
    if (this.#not('uses a token twice') || board.token === 0n) board.token++;
    const lease: Lease = { owner: this, identity: candidate.identity, expiresAt: clock.now() + LEASE_MS };
    board.leases.set(key, lease);
    const term = new BoardTerm(election, candidate.identity, board.token, clock, this.defect);
    const release = () => board.leases.get(key) === lease && !board.cutOff.has(this) && board.leases.delete(key);
    const endTerm = () => {
      if (!this.#not('releases before the work has settled')) release();
      term.end();
    };
    const onEnd = () => (this.#not('ends the term a turn late') ? endTerm() : setImmediate(endTerm));
    signal.addEventListener('abort', onEnd, { once: true });
    if (signal.aborted) endTerm();
    candidate.onLeaderObserved({ identity: candidate.identity, since: 0 });
    const stop = this.#keep(lease, term, candidate);
    const work = candidate.onElected(term).catch(() => undefined);
    const ended = new Promise((resolve) => term.signal.addEventListener('abort', resolve));
    await (this.#not('ends its campaign before the work') ? work : Promise.race([work, ended]));
    stop();
    signal.removeEventListener('abort', onEnd);
    term.end();
    release();
    candidate.onLeaderObserved(undefined);
  }

  /** Renews until it is told to stop. */
  #keep(lease: Lease, term: BoardTerm, candidate: Candidate): () => void {
    let cancel = () => {};
    const renew = () => {
      cancel = this.clock.setTimer(renew, POLL_MS);
      try {
        this.#reach();
        lease.expiresAt = this.clock.now() + LEASE_MS;
        if (term.isValid() || !this.#not('lets a term be valid again')) term.deadline = this.clock.now() + DEADLINE_MS;
        if (this.#not('keeps quiet')) candidate.onReport({ kind: 'renewal', latencyMs: 0, deadlineInMs: DEADLINE_MS });
      } catch (error) {
        if (this.#not('reports no errors')) candidate.onReport({ kind: 'error', operation: 'renew', error });
        term.isValid();
      }
    };
    renew();
    return () => cancel();
  }

  #isMine({ owner, identity }: Lease, candidate: Candidate): boolean {
    if (this.defect === 'takes what it wants') return true;
    return this.defect === 'knows itself by its identity' && identity === candidate.identity && owner !== this;
  }

  #reach(): void {
    if (this.board.isClosed || this.board.cutOff.has(this)) throw new Error('the engine is not reached');
  }

  #not(defect: Defect): boolean {
    return this.defect !== defect;
  }
}
