import { onAbort } from '../core/abort.js';
import { settlesWithin } from '../core/clock.js';
import { errorFields } from '../core/error-fields.js';
import { LeaderOnlyOverrunError, StopFailedError, StopTimeoutError } from '../core/errors.js';
import { LifecycleEvent } from '../core/lifecycle-events.js';
import type { TermProgress } from '../core/lifecycle-observer.js';
import { guarded } from '../core/logger.js';
import { REGISTRY_DEFAULTS } from '../core/registry-options.js';
import type { Campaign } from './campaign.js';
import type { LeadershipOptions } from './leadership-options.js';
import type { ServedTerm } from './served-term.js';
import { TermCalls } from './term-calls.js';

/** One term served: acquired is published and the work started; once it has ended, lost is published and the work stopped. */
export class Tenure {
  /** A critical component failed for good in it. */
  failed = false;
  /** Calls of marked methods: work of the term like its components. */
  readonly calls: TermCalls;
  /** Set while calls go on that have had their time to settle. */
  overrun: LeaderOnlyOverrunError | undefined;
  readonly #acquiredAt: number;
  readonly #ended: Promise<void>;

  constructor(
    readonly term: ServedTerm,
    private readonly campaign: Campaign,
    private readonly options: LeadershipOptions,
    private readonly warn: (operation: string, error: unknown) => void,
  ) {
    this.#acquiredAt = options.clock.now();
    this.calls = new TermCalls({ startedAt: this.#acquiredAt, term });
    // Before anybody else listens: whoever hears of the loss must hear of it before the work is told to stop.
    this.#ended = new Promise((resolve) => onAbort(term.signal, () => resolve(this.#publishLost())));
  }

  /** Resolves when the term has ended and nothing of its work is left, however long that takes. */
  async serve(): Promise<void> {
    await this.#startWork();
    await this.#ended;
    // What is given up is kept until the work has settled; what was lost is somebody else's soon.
    const budgetMs = this.campaign.signal.aborted ? undefined : this.options.elector.stopBudgetMs;
    await Promise.all([this.#stopWork(budgetMs), this.#awaitCalls(budgetMs)]);
    this.#tell('settled');
  }

  /** Components that subscribe in their own start still hear of the acquisition: it is replayed once they are ready. */
  async #startWork(): Promise<void> {
    const { registry, events } = this.options;
    const { election } = this.term;
    events.pause();
    try {
      this.#publishAcquired();
      // A start that does not react to the end of the term must not hold back the events of the whole app.
      const started = registry.startLeaderOnlyComponentsAsync(this.term, { election });
      await Promise.race([started.then(() => this.#tellStarted()), this.#ended]);
    } catch (error) {
      this.warn('start', error);
    } finally {
      // A deadline that has passed meanwhile ends the term now: what is over must not be announced any more.
      this.term.isValid();
      events.start();
    }
  }

  async #stopWork(budgetMs: number | undefined): Promise<void> {
    const { registry } = this.options;
    try {
      const limit = budgetMs === undefined ? {} : { timeoutMs: budgetMs };
      await registry.stopLeaderOnlyComponents(this.term.election, limit);
    } catch (error) {
      // The registry has logged it; what nobody else knows is what follows from it.
      const late = error instanceof StopFailedError ? error.errors.filter((it) => it instanceof StopTimeoutError) : [];
      const names = late.map(({ component }) => `"${component}"`).join(', ');
      const consequence =
        budgetMs === undefined
          ? `nobody else can lead before ${names} has settled`
          : `another replica may lead although ${names} has not settled, and this one does not stand before it has`;
      if (late.length > 0) this.warn('release', new Error(consequence));
    }
    await registry.whenSettled(this.term.election);
  }

  /** Their signal is aborted; none begins any more. */
  async #awaitCalls(budgetMs = Number.POSITIVE_INFINITY): Promise<void> {
    const { clock, logger, stopTimeoutMs = REGISTRY_DEFAULTS.stopTimeoutMs } = this.options;
    const limitMs = Math.min(stopTimeoutMs, budgetMs);
    const settled = this.calls.whenSettled();
    if (await settlesWithin(clock, settled, limitMs)) return;
    this.overrun = new LeaderOnlyOverrunError(this.term.election, this.calls.pending, limitMs);
    const { message } = this.overrun;
    const { election } = this.term;
    const error = errorFields(this.overrun);
    guarded(logger).error({ message, event: 'lifecycle.leader-only.overrun', election, error });
    await settled;
    this.overrun = undefined;
  }

  /** A start that took longer than the term is no news any more. */
  #tellStarted(): void {
    if (!this.term.signal.aborted) this.#tell('started');
  }

  #tell(stage: TermProgress['stage']): void {
    const { clock, observers } = this.options;
    const { election, identity, fencingToken } = this.term;
    const [at, durationMs] = [clock.wallNow(), clock.now() - this.#acquiredAt];
    observers?.onTermProgress({ stage, election, identity, fencingToken, at, durationMs });
  }

  #publishAcquired(): void {
    const { election, identity, fencingToken } = this.term;
    const at = this.options.clock.wallNow();
    this.options.events.publish(LifecycleEvent.LeadershipAcquired, { election, identity, fencingToken, at });
  }

  /** The moment of loss: `isLeader()` is false, the term's signal aborted, and nobody has heard of it yet. */
  #publishLost(): void {
    const { clock, events } = this.options;
    const { election, identity, fencingToken, signal } = this.term;
    events.publish(LifecycleEvent.LeadershipLost, {
      election,
      identity,
      fencingToken,
      at: clock.wallNow(),
      durationMs: clock.now() - this.#acquiredAt,
      reason: signal.reason,
      voluntary: this.campaign.signal.aborted,
    });
  }
}
