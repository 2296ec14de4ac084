import { isAbortOf, onAbort } from '../core/abort.js';
import { backoffMs } from '../core/backoff.js';
import { delay, settlesWithin } from '../core/clock.js';
import type { ElectorReport, LeaderInfo, LeadershipTerm } from '../core/elector.js';
import { errorFields } from '../core/error-fields.js';
import { errorText } from '../core/error-text.js';
import { SteppedDownError } from '../core/errors.js';
import { LifecycleEvent } from '../core/lifecycle-events.js';
import { RateLimitedLog } from '../core/rate-limited-log.js';
import { outsideOfRuns, runsUnder } from '../core/run-context.js';
import type { LeaderTrouble } from '../registry/component-host.js';
import { Campaign, type CampaignListener } from './campaign.js';
import type { ElectionSnapshot } from './election-snapshot.js';
import type { LeadershipOptions } from './leadership-options.js';
import { LoopWatch } from './loop-watch.js';
import { ServedTerm } from './served-term.js';
import { Tenure } from './tenure.js';
import type { TermCalls } from './term-calls.js';
import { Waiters } from './waiters.js';

/** Pause after a campaign that ended without having been told to. */
const CAMPAIGN_BACKOFF = { initialMs: 1000, maxMs: 30_000 };
/** How long a replica does not stand after a term in which a critical component failed for good. */
const FAILED_TERM_COOLDOWN = { initialMs: 5000, maxMs: 300_000 };
/** Time that an elector has to release once the work has settled, before somebody is told. */
const RELEASE_LIMIT_MS = 10_000;

interface SnapshotParts {
  readonly term: LeadershipTerm | undefined;
  readonly wedged: string | undefined;
  readonly leader: LeaderInfo | undefined;
  readonly error: { readonly value: unknown } | undefined;
}

/**
 * Turns the terms of one election into starts and stops of its leader-only components. Campaigns for ever: only
 * `stop()` ends it. Gained and lost strictly alternate, and a term's work begins only when that of the term before has
 * settled.
 */
export class ElectionCoordinator implements CampaignListener {
  readonly #stopped = new AbortController();
  readonly #waiters = new Waiters<LeadershipTerm>();
  readonly #errorLog: RateLimitedLog;
  readonly #watch: LoopWatch;
  #loop: Promise<void> | undefined;
  #campaign: Campaign | undefined;
  /** The term that is under way here, until its work has settled. */
  #tenure: Tenure | undefined;
  /** Resolves when the work of all terms so far has settled. Never rejects. */
  #work: Promise<void> = Promise.resolve();
  #leader: LeaderInfo | undefined;
  #error: { readonly value: unknown } | undefined;
  /** How long not to stand after the campaign that is being ended. */
  #cooldownMs: number | undefined;
  #failedTerms = 0;
  /** What was asked for last, and what it was made of. */
  #seen: (SnapshotParts & { readonly snapshot: ElectionSnapshot }) | undefined;

  constructor(
    private readonly election: string,
    private readonly options: LeadershipOptions,
  ) {
    this.#errorLog = new RateLimitedLog(options.logger, options.clock);
    this.#watch = new LoopWatch(options.clock, options.elector.reportsWithinMs);
  }

  /** To ask may end it: whoever is the first to find the deadline passed publishes the loss and stops the work. */
  get term(): LeadershipTerm | undefined {
    const term = this.#tenure?.term;
    return term?.isValid() === true ? term : undefined;
  }

  /** Where calls run under the term, while there is one. */
  get calls(): TermCalls | undefined {
    return this.term && this.#tenure?.calls;
  }

  get leader(): LeaderInfo | undefined {
    return this.#leader;
  }

  /** The same object for as long as nothing changes: probes ask often. */
  get snapshot(): ElectionSnapshot {
    const { term } = this;
    const wedged = this.#watch.problem ?? this.#tenure?.overrun?.message;
    const leader = this.#leader;
    const error = this.#error;
    const seen = this.#seen;
    if (seen !== undefined && seen.term === term && seen.wedged === wedged) {
      if (seen.leader === leader && seen.error === error) return seen.snapshot;
    }
    const parts = { term, wedged, leader, error };
    const snapshot = describe(this.election, parts);
    this.#seen = { ...parts, snapshot };
    return snapshot;
  }

  /** Idempotent; nothing after `stop()`. */
  start(): void {
    if (this.#stopped.signal.aborted) return;
    // A component may bring it about, by registering another one; the campaign is no part of that component's run.
    this.#loop ??= outsideOfRuns(() => this.#campaignUntilStopped());
  }

  async stop(): Promise<void> {
    const reason = new SteppedDownError(this.election, 'the application stops');
    this.#stopped.abort(reason);
    this.#campaign?.end(reason);
    this.#waiters.reject(reason);
    await this.#loop;
  }

  /** Called while an earlier one is under way, it waits for the same release, and the longer cooldown counts. */
  async stepDown(reason: string, cooldownMs: number, cause?: unknown): Promise<void> {
    const campaign = this.#campaign;
    if (campaign === undefined || (this.term === undefined && !campaign.signal.aborted)) return;
    this.#cooldownMs = Math.max(this.#cooldownMs ?? 0, cooldownMs);
    // Who hears of it, and how the elector goes on, is no part of the run that may be calling.
    outsideOfRuns(() => campaign.end(new SteppedDownError(this.election, reason, { cause })));
    // The work itself would wait for its own end.
    if (!runsUnder(this.election)) await campaign.over;
  }

  stepDownFailed({ component, error }: LeaderTrouble): void {
    if (this.#tenure === undefined || this.term === undefined) return;
    this.#tenure.failed = true;
    const cooldownMs = backoffMs(this.#failedTerms++, FAILED_TERM_COOLDOWN, 1);
    void this.stepDown(`component "${component}" failed: ${errorText(error)}`, cooldownMs, error);
  }

  async whenLeader(signal?: AbortSignal): Promise<LeadershipTerm> {
    signal?.throwIfAborted();
    this.#stopped.signal.throwIfAborted();
    return this.term ?? this.#waiters.wait(signal);
  }

  onElected(campaign: Campaign, granted: LeadershipTerm): Promise<void> {
    if (campaign.open) this.#watch.signOfLife();
    const work = this.#work.then(() => this.#serve(campaign, granted));
    return (this.#work = work.catch((error: unknown) => this.#noteError('term', error)));
  }

  onLeaderObserved(leader: LeaderInfo | undefined): void {
    this.#watch.signOfLife();
    const before = this.#leader;
    this.#leader = leader;
    if (before?.identity === leader?.identity && before?.fencingToken === leader?.fencingToken) return;
    this.options.events.publish(LifecycleEvent.LeadershipObserved, {
      election: this.election,
      ...(leader && { leader }),
      at: this.options.clock.wallNow(),
    });
  }

  onReport(report: ElectorReport): void {
    this.#watch.signOfLife();
    this.options.observers?.onElectorReport(this.election, report);
    if (report.kind === 'error' || report.kind === 'refusal') this.#noteError(report.operation, report.error);
    else this.#error = undefined;
  }

  async #serve(campaign: Campaign, granted: LeadershipTerm): Promise<void> {
    const term = new ServedTerm(this.election, granted);
    // An earlier term may have taken long to settle.
    if (!campaign.open || !term.isValid()) return;
    const tenure = new Tenure(term, campaign, this.options, (operation, error) => this.#warn(operation, error));
    this.#tenure = tenure;
    this.#error = undefined;
    this.#waiters.resolve(term);
    await tenure.serve();
    this.#tenure = undefined;
    if (!tenure.failed) this.#failedTerms = 0;
  }

  async #campaignUntilStopped(): Promise<void> {
    const { clock, random } = this.options;
    const { signal } = this.#stopped;
    let failures = 0;
    while (!signal.aborted) {
      const startedAt = clock.now();
      await this.#campaignOnce();
      const cooldownMs = this.#cooldownMs;
      this.#cooldownMs = undefined;
      if (cooldownMs !== undefined || clock.now() - startedAt > CAMPAIGN_BACKOFF.maxMs) failures = 0;
      const pauseMs = cooldownMs ?? backoffMs(failures++, CAMPAIGN_BACKOFF, random());
      await delay(clock, pauseMs, signal, { background: true });
    }
  }

  /** One call of the elector, until it returns or throws, and until the work of its terms has settled. */
  async #campaignOnce(): Promise<void> {
    const campaign = (this.#campaign = new Campaign(this.options.identity, this));
    this.#watch.signOfLife();
    onAbort(campaign.signal, () => this.#giveUp(campaign));
    let outcome: unknown;
    try {
      await this.options.elector.campaign(this.election, campaign, campaign.signal);
      outcome = campaign.signal.reason ?? new Error('campaign() resolved before its signal was aborted');
    } catch (error) {
      outcome = error ?? new Error(errorText(error));
    }
    campaign.markReturned();
    if (!isAbortOf(outcome, campaign.signal)) this.#noteError('campaign', outcome);
    // An elector that is gone can neither end the term any more, nor see who leads.
    this.#tenure?.term.end(outcome);
    this.onLeaderObserved(undefined);
    this.#watch.rest();
    await this.#work;
    this.#campaign = undefined;
    campaign.markOver();
  }

  /** Told to end. The elector may take its time to end the term: nobody here waits for that. */
  #giveUp(campaign: Campaign): void {
    this.#tenure?.term.end(campaign.signal.reason);
    void this.#watchRelease(campaign);
  }

  async #watchRelease(campaign: Campaign): Promise<void> {
    await this.#work;
    if (await settlesWithin(this.options.clock, campaign.over, RELEASE_LIMIT_MS, { background: true })) return;
    if (this.#campaign !== campaign) return;
    this.#watch.releaseIsLate();
    const fact = `the elector has not ended its campaign ${RELEASE_LIMIT_MS} ms after it was told to and the work had settled`;
    this.#noteError('release', new Error(`${fact}. Until it does, this replica does not stand again.`));
  }

  #noteError(operation: string, error: unknown): void {
    this.#error = { value: error };
    this.#warn(operation, error);
  }

  #warn(operation: string, error: unknown): void {
    const { election } = this;
    const message = `Election "${election}", ${operation}: ${errorText(error)}`;
    this.#errorLog.warn({ message, event: 'lifecycle.election.error', election, operation, error: errorFields(error) });
  }
}

function describe(election: string, { term, wedged, leader, error }: SnapshotParts): ElectionSnapshot {
  return {
    election,
    leading: term !== undefined,
    ...(term && { fencingToken: term.fencingToken }),
    ...(leader && { leader }),
    ...(wedged !== undefined && { wedged }),
    ...(error && { error: error.value }),
  };
}
