import { backoffMs } from '../backoff.js';
import { delay, type Clock } from '../clock.js';
import { EngineRefusalError } from '../errors.js';
import { checkedAcquire, checkedRecord } from './lease-answers.js';
import type { LeaseContext } from './lease-context.js';
import { LeaseObserver } from './lease-observer.js';
import { releaseLease } from './lease-release.js';
import { requestInTime } from './lease-requests.js';
import type { LeaseHolder, LeaseRecord, OwnLease, ReleaseNotice } from './lease-store.js';
import type { WonLease } from './lease-tenure.js';
import { sentNow, type SentAt } from './lease-term.js';
import { Wakeup } from './wakeup.js';

/** Polls are spread upwards by this share, so that followers do not ask in step. */
const POLL_JITTER = 0.2;
/** After a lease has run out its followers try within this time of each other. */
const TAKEOVER_SPREAD_MS = 50;

/** As a time on the monotonic clock. */
const NEVER = Number.POSITIVE_INFINITY;

/** The half of the lease loop that does not lead: looks, waits, and tries when the lease can be taken. */
export class LeaseFollower {
  readonly #clock: Clock;
  readonly #wakeup: Wakeup;
  readonly #observer: LeaseObserver;
  readonly #retryLimits: { readonly initialMs: number; readonly maxMs: number };
  #mayHold = false;
  #standBackUntil = Number.NEGATIVE_INFINITY;
  /** Requests in a row that failed. */
  #failures = 0;
  /** Attempts in a row that changed nothing, on a lease that looked free. */
  #defeats = 0;
  /** A release of which nothing was read yet. */
  #released: ReleaseNotice | undefined;
  #hasRehearsed = false;
  /** What was asked of the store last. */
  #operation = '';

  constructor(private readonly context: LeaseContext) {
    const { clock, timing, emptyStoreWaitMs } = context.options;
    this.#clock = clock;
    this.#wakeup = new Wakeup(clock, timing.retryMs);
    this.#observer = new LeaseObserver(timing.leaseMs, emptyStoreWaitMs);
    this.#retryLimits = { initialMs: timing.retryMs, maxMs: timing.leaseMs / 3 };
  }

  /** An acquire was sent whose outcome is unknown: the lease may be ours. */
  get mayHold(): boolean {
    return this.#mayHold;
  }

  /** The lease may have become free. */
  hint(released?: ReleaseNotice): void {
    this.#released = released ?? this.#released;
    this.#wakeup.wake();
  }

  /** Lets others have the lease until then. */
  standBackUntil(time: number): void {
    this.#standBackUntil = time;
  }

  /**
   * A term that was won here is over, and nothing of its work is left.
   *
   * @param asked when the last request was sent that showed the lease to be ours
   */
  noteOwnTerm(lease: OwnLease, asked: SentAt): void {
    this.#observer.noteOwnTerm(lease, asked, this.#clock.now());
  }

  /**
   * Follows until it has won, or the campaign ends. Never rejects.
   *
   * @param me a name that no term has been led under
   */
  async follow(me: LeaseHolder): Promise<WonLease | undefined> {
    const { signal } = this.context;
    this.#observer.me = me.holder;
    while (!signal.aborted) {
      try {
        const won = await this.#tryOnce(me);
        if (won !== undefined) return won;
        this.#failures = 0;
        await this.#rehearse();
        await this.#wakeup.wait(this.#pauseMs(), signal);
      } catch (error) {
        if (!signal.aborted) await this.#pauseAfter(error);
      }
    }
    return undefined;
  }

  async #tryOnce(me: LeaseHolder): Promise<WonLease | undefined> {
    const released = this.#takeNotice();
    // At once: the engine compares what the notice says, so a read would tell nothing more.
    const won = released && (await this.#acquire(me, { kind: 'released', token: released.token }));
    if (won !== undefined) return won;
    await this.#look();
    // Who has just lost an attempt makes a pause before the next one.
    const mayTry = released === undefined && this.#clock.now() >= this.#mayTryAt;
    return mayTry ? this.#acquire(me, this.#observer.record) : undefined;
  }

  /** The release that was told last, if its lease may be tried for here. */
  #takeNotice(): ReleaseNotice | undefined {
    const released = this.#released;
    this.#released = undefined;
    if (released === undefined) return undefined;
    const now = this.#clock.now();
    return now >= this.#notBefore(this.#observer.eligibleAfterRelease(released, now)) ? released : undefined;
  }

  async #look(): Promise<void> {
    const { election, store, signal, voice } = this.context;
    this.#wakeup.forget();
    this.#released = undefined;
    const sentAt = sentNow(this.#clock);
    const record = checkedRecord('read', await this.#request('read', (ended) => store.read(election, ended), signal));
    const answeredAt = this.#clock.now();
    voice.report({ kind: 'read', latencyMs: answeredAt - sentAt.monotonic });
    this.#observer.observe(record, sentAt, answeredAt);
    this.#tellLeader();
  }

  /** Is not cut short when the campaign ends: what it has won has to be released. */
  async #acquire(me: LeaseHolder, basis: LeaseRecord): Promise<WonLease | undefined> {
    const { store, voice, options } = this.context;
    const claim = { ...me, basis, tokenAbove: this.#observer.highestToken };
    const sentAt = sentNow(this.#clock);
    const leave = options.handicap?.take();
    this.#mayHold = true;
    this.#observer.noteAttempt();
    try {
      const result = checkedAcquire(await this.#request('acquire', (ended) => store.acquire(claim, ended)));
      const answeredAt = this.#clock.now();
      voice.report({ kind: 'attempt', won: result.won, latencyMs: answeredAt - sentAt.monotonic });
      this.#mayHold = false;
      if (result.won) return await this.#accept({ ...me, ...versioned(result), token: result.token }, sentAt);
      this.#defeats++;
      if (result.record !== undefined) this.#observer.observe(result.record, sentAt, answeredAt);
      this.#tellLeader();
      return undefined;
    } finally {
      leave?.();
    }
  }

  /** @throws EngineRefusalError, after a release, when a fenced resource would refuse all that is done under its token */
  async #accept(lease: OwnLease, sentAt: SentAt): Promise<WonLease> {
    const { highestToken } = this.#observer;
    this.#defeats = 0;
    if (lease.token > highestToken) return { lease, sentAt };
    await releaseLease(this.context, lease);
    throw new EngineRefusalError(
      `The engine has given out token ${lease.token} for election "${lease.election}" after ${highestToken}: its data was ` +
        'replaced by older data. Restore it, or use another namespace.',
    );
  }

  /** As things were last seen. */
  get #mayTryAt(): number {
    return this.#notBefore(this.#observer.eligibleAt);
  }

  /** When a lease that may be tried for from then on is tried for here: others may go first. */
  #notBefore(eligibleAt: number): number {
    const handicapMs = this.context.options.handicap?.ms ?? 0;
    return Math.max(eligibleAt + handicapMs, this.#standBackUntil);
  }

  /** While there is nothing else to do: somebody leads, and nobody waits for this. */
  async #rehearse(): Promise<void> {
    const { election, store, signal, voice } = this.context;
    if (this.#hasRehearsed || this.#observer.leaderAt(this.#clock.now()) === undefined) return;
    this.#hasRehearsed = true;
    try {
      await this.#request('rehearse', async (ended) => store.rehearse?.(election, ended), signal);
    } catch (error) {
      if (!signal.aborted) voice.failed('rehearse', error);
    }
  }

  /** Until the next read: a third of the lease, or until there is something to see if that is sooner. */
  #pauseMs(): number {
    const { timing, random } = this.context.options;
    const chance = random();
    const pollMs = (timing.leaseMs / 3) * (1 + POLL_JITTER * chance);
    const now = this.#clock.now();
    if (this.#defeats > 0 && this.#mayTryAt <= now) return backoffMs(this.#defeats - 1, this.#retryLimits, chance);
    this.#defeats = 0;
    const runsOut = this.#observer.runsOut(now);
    if (Math.min(this.#mayTryAt, runsOut?.from ?? NEVER) - now > pollMs) return pollMs;
    const changeInMs = Math.min(this.#mayTryAt, runsOut?.until ?? NEVER) - now;
    // In the time that an answer takes it is not clear whether a lease may be gone: a look would distrust what it sees.
    if (changeInMs > pollMs + timing.requestTimeoutMs) return pollMs;
    return Math.max(1, changeInMs + TAKEOVER_SPREAD_MS * chance);
  }

  async #pauseAfter(error: unknown): Promise<void> {
    const { voice, signal, options } = this.context;
    const refused = voice.failed(this.#operation, error);
    // Long enough without a look, a leader is not known any more.
    this.#tellLeader();
    // A refusal stays until somebody acts on it: asking often helps nobody.
    const pauseMs = refused ? options.timing.leaseMs : backoffMs(this.#failures++, this.#retryLimits, options.random());
    await delay(this.#clock, pauseMs, signal, { background: true });
  }

  #tellLeader(): void {
    this.context.voice.leads(this.#observer.leaderAt(this.#clock.now()));
  }

  #request<T>(operation: string, send: (signal: AbortSignal) => Promise<T>, cut?: AbortSignal): Promise<T> {
    this.#operation = operation;
    const timeoutMs = this.context.options.timing.requestTimeoutMs;
    return requestInTime(this.#clock, { operation, timeoutMs, send, ...(cut && { cut }) });
  }
}

function versioned({ version }: Pick<OwnLease, 'version'>): Pick<OwnLease, 'version'> {
  return version === undefined ? {} : { version };
}
