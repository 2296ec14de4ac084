import { onAbort } from '../abort.js';
import { delay, type Clock } from '../clock.js';
import { EngineAnswerError, LeaseOverrunError } from '../errors.js';
import { checkedRenew } from './lease-answers.js';
import type { LeaseContext } from './lease-context.js';
import { requestInTime } from './lease-requests.js';
import type { HeldRecord, LeaseRecord, OwnLease } from './lease-store.js';
import { LeaseTerm, sentNow, type SentAt } from './lease-term.js';
import type { LeaseTiming } from './lease-timing.js';

/** A lease that was won, and when the request was sent that won it. */
export interface WonLease {
  readonly lease: OwnLease;
  readonly sentAt: SentAt;
}

/** What is left when a tenure is over. */
export interface TenureEnd {
  /** As it was renewed last. */
  readonly lease: OwnLease;
  /** When the request was sent that was acknowledged last. */
  readonly sentAt: SentAt;
  /** Whether it is to be released: it may still be ours, and nothing of its work is left that outlived its time. */
  readonly release: boolean;
  /** Whether it was given up, so that somebody else may lead. */
  readonly givenUp: boolean;
}

/**
 * - `leading`
 * - `given-up`: by the candidate, or with the campaign. The lease is kept until the work has settled.
 * - `lost`: no renewal was acknowledged before the deadline.
 * - `taken`: the engine said that the lease is not ours.
 */
type TenureState = 'leading' | 'given-up' | 'lost' | 'taken';

/**
 * One term from its first moment to the settling of its work: renews while it may, ends the term when it must, and
 * waits for the work. Releasing is up to the caller, who does it only after this.
 */
export class LeaseTenure {
  readonly #term: LeaseTerm;
  readonly #clock: Clock;
  readonly #timing: LeaseTiming;
  readonly #settled = new AbortController();
  #state: TenureState = 'leading';
  /** The work has not settled in its time. */
  #overdue = false;
  #lease: OwnLease;
  /** When the last acknowledged request was sent. */
  #sentAt: SentAt;
  /** When the time began in which the work has to settle. */
  #endedAt = 0;
  #cancelOverdueTimer: () => void = () => undefined;

  constructor(
    { lease, sentAt }: WonLease,
    private readonly context: LeaseContext,
  ) {
    const { options } = context;
    this.#lease = lease;
    this.#sentAt = sentAt;
    this.#clock = options.clock;
    this.#timing = options.timing;
    const details = { election: lease.election, identity: lease.identity, fencingToken: lease.token };
    this.#term = new LeaseTerm(details, sentAt, options.timing.deadlineMs, options.clock);
  }

  /** Resolves when nothing of the term is left, however long its work takes. Never rejects. */
  async serve(): Promise<TenureEnd> {
    onAbort(this.#term.signal, () => this.#onEnded());
    const { signal } = this.context;
    const unlisten = onAbort(signal, () => this.#giveUp('the campaign has ended', signal.reason));
    await Promise.all([this.#work(), this.#renewUntilSettled()]);
    unlisten();
    this.#cancelOverdueTimer();
    return {
      lease: this.#lease,
      sentAt: this.#sentAt,
      release: this.#state !== 'taken' && !this.#overdue,
      givenUp: this.#state === 'given-up',
    };
  }

  async #work(): Promise<void> {
    // An answer that took too long has won nothing that could be used.
    if (this.#term.isValid()) {
      this.context.voice.leads(this.#lease);
      await this.context.voice.elected(this.#term);
      this.#giveUp('the candidate resigned');
      this.context.voice.leads(undefined);
    }
    this.#settled.abort();
  }

  #giveUp(why: string, cause?: unknown): void {
    if (!this.#term.isValid()) return;
    this.#state = 'given-up';
    this.#term.end(why, { cause });
  }

  #onEnded(): void {
    if (this.#state === 'leading') this.#state = 'lost';
    this.#endedAt = this.#clock.now();
    this.#watchOverdue();
  }

  /** Also after the term was given up, so that nobody leads while its work settles; not after it was lost. */
  async #renewUntilSettled(): Promise<void> {
    const { renewMs } = this.#timing;
    let pauseMs = this.#renewInMs();
    while (await delay(this.#clock, Math.max(1, pauseMs), this.#settled.signal, { background: true })) {
      if (!this.#mayRenew()) return;
      try {
        await this.#renew();
        pauseMs = this.#renewInMs();
      } catch (error) {
        const refused = this.context.voice.failed('renew', error);
        pauseMs = refused ? renewMs : this.#timing.retryMs * (0.5 + this.context.options.random() / 2);
      }
    }
  }

  #renewInMs(): number {
    return this.#timing.renewMs - (this.#clock.now() - this.#sentAt.monotonic);
  }

  async #renew(versionIsFresh = false): Promise<void> {
    const sentAt = sentNow(this.#clock);
    const answer = await requestInTime(this.#clock, {
      operation: 'renew',
      timeoutMs: this.#timing.requestTimeoutMs,
      send: (signal) => this.context.store.renew(this.#lease, signal),
    });
    const result = checkedRenew(answer);
    if (result.renewed) return this.#onRenewed(sentAt, result.version);
    if (!this.#isOurs(result.record)) return this.#onTaken();
    if (versionIsFresh) throw new EngineAnswerError('renew', 'the lease is ours and was not renewed');
    // An earlier renewal was written, and its answer lost.
    this.#keepVersion(result.record.version);
    return this.#renew(true);
  }

  #onRenewed(sentAt: SentAt, version: OwnLease['version']): void {
    this.#keepVersion(version);
    if (!this.#mayRenew()) return;
    this.#term.extend(sentAt);
    this.#sentAt = sentAt;
    if (this.#state === 'given-up') this.#watchOverdue();
    const latencyMs = this.#clock.now() - sentAt.monotonic;
    const deadlineInMs = this.#timing.deadlineMs - latencyMs;
    this.context.voice.report({ kind: 'renewal', latencyMs, deadlineInMs });
  }

  #onTaken(): void {
    const wasGivenUp = this.#state === 'given-up';
    this.#state = 'taken';
    // A term that was given up has ended before, but only from now on its work is without a lease.
    if (wasGivenUp) this.#onEnded();
    this.#term.end('the engine says that the lease is not ours any more');
  }

  #keepVersion(version: OwnLease['version']): void {
    if (version !== undefined) this.#lease = { ...this.#lease, version };
  }

  #isOurs(record: LeaseRecord | undefined): record is HeldRecord {
    if (record?.kind !== 'held' || record.holder !== this.#lease.holder) return false;
    return record.token === undefined || record.token === this.#lease.token;
  }

  #mayRenew(): boolean {
    // To ask may end the term.
    if (this.#term.isValid()) return true;
    return this.#state === 'given-up' && this.#clock.now() < this.#workDeadline();
  }

  /** When all work must have settled, once the term has ended: before a rival could lead in any case. */
  #workDeadline(): number {
    const { stopBudgetMs, deadlineMs } = this.#timing;
    if (this.#state !== 'given-up') return this.#endedAt + stopBudgetMs;
    const leaseIsSafeUntil = this.#sentAt.monotonic + deadlineMs + stopBudgetMs;
    return Math.min(this.#endedAt + this.context.options.shutdownTimeoutMs, leaseIsSafeUntil);
  }

  /** In the foreground: a process that ended meanwhile would leave its lease behind. */
  #watchOverdue(): void {
    this.#cancelOverdueTimer();
    if (this.#settled.signal.aborted) return;
    const inMs = this.#workDeadline() - this.#clock.now();
    this.#cancelOverdueTimer = this.#clock.setTimer(() => this.#onOverdue(), Math.max(1, inMs));
  }

  /** The lease runs out from here on. This replica does not lead again before nothing of this term is left. */
  #onOverdue(): void {
    if (this.#settled.signal.aborted) return;
    if (this.#clock.now() < this.#workDeadline()) return this.#watchOverdue();
    this.#overdue = true;
    const error = new LeaseOverrunError(this.#lease.election, this.#clock.now() - this.#endedAt);
    this.context.voice.report({ kind: 'error', operation: 'stop', error });
  }
}
