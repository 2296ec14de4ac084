import { settlesWithin } from '../core/clock.js';
import { Deferred } from '../core/deferred.js';
import {
  ComponentFailedError,
  RestartLimitError,
  RunEndedError,
  StopTimeoutError,
  UnhealthyError,
} from '../core/errors.js';
import type { RunContext } from '../core/run-context.js';
import type { ComponentDefinition } from './component-definition.js';
import type { ComponentHost } from './component-host.js';
import type { ComponentReporter } from './component-reporter.js';
import type { ComponentState, HealthResult } from './component-state.js';
import type { RestartPlan, RestartPolicy } from './restart-policy.js';
import { Run, type RunListener, type Thrown } from './run.js';
import type { StartRequest } from './start-request.js';

/** What all runs of one component share. */
export interface ComponentParts {
  readonly definition: ComponentDefinition;
  readonly host: ComponentHost;
  readonly state: ComponentState;
  readonly policy: RestartPolicy;
  readonly reporter: ComponentReporter;
  /** Whether the component may start now, as far as its dependencies go. */
  readonly dependenciesReady: () => boolean;
}

const RESTART_REQUESTED = 'a restart was asked for';

/** As soon as can be, at the cost of nobody's restarts. */
const ON_REQUEST: RestartPlan = { delayMs: 1, first: true };

/** What one run does to the component's status, and whether another one follows it. */
export class SupervisedRun implements RunListener {
  readonly #run: Run;
  /** Made for a run that ends without anybody waiting for that. */
  #settling: Deferred<void> | undefined;
  /** What follows the run that broke. */
  #plan: RestartPlan | undefined;
  #isOver = false;
  /** Set while the run is being ended so that another one can begin. */
  #restartCause: UnhealthyError | RunEndedError | undefined;
  #overrun: StopTimeoutError | undefined;
  #failedChecks = 0;

  /** @param onOver called once nothing of the run is left, with when to run again; `undefined`: its request is over */
  constructor(
    private readonly parts: ComponentParts,
    private readonly request: StartRequest,
    private readonly onOver: (plan: RestartPlan | undefined) => void,
  ) {
    this.#run = new Run(parts.definition, parts.host, this, request);
  }

  get context(): RunContext {
    return this.#run.context;
  }

  /** Nothing of it is left. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** It is being ended so that another one can begin. */
  get isRestarting(): boolean {
    return this.#restartCause !== undefined;
  }

  /** Runs the component until it has settled. */
  supervise(isRestart: boolean): void {
    this.parts.state.startRun(this.context, isRestart);
    // A listener of that very event may have ended the request: then `start()` must not be entered any more.
    if (this.request.ending) this.#endWith(() => undefined);
    else this.#run.begin();
  }

  becameReady(): void {
    const { state, policy } = this.parts;
    policy.runIsReady();
    state.to('running');
    this.request.report('ready');
  }

  /** The component is failed from now on, even while the run still settles. */
  broke({ error }: Thrown): void {
    // Told to end already: how that went is known once it has settled.
    if (this.parts.state.status === 'stopping') return;
    this.#watchSettling();
    this.#plan = this.#fail(error, this.request.ending ? undefined : this.parts.policy.runIsOver('failed'));
  }

  settled(thrown: Thrown | undefined): void {
    this.#endWith(() => (this.parts.state.status === 'failed' ? this.#plan : this.#hasEnded(thrown)));
  }

  /** Tells the run to end, in this tick. */
  tellToEnd(why: string, withinMs: number, cause?: unknown): void {
    const { state, policy } = this.parts;
    policy.runIsNotReadyAnyMore();
    if (state.status === 'starting' || state.status === 'running') state.to('stopping');
    this.#run.end(why, { withinMs, cause });
  }

  /**
   * Ends the run, in this tick, so that another one begins: nothing when that is under way already. One that has failed and
   * still settles is followed by another one whatever the policy says.
   */
  restart(): void {
    if (this.parts.state.status === 'failed') {
      this.#plan = ON_REQUEST;
    } else if (this.#restartCause === undefined) {
      const { name, stopTimeoutMs } = this.parts.definition;
      this.#restartCause = new RunEndedError(name, RESTART_REQUESTED);
      this.#watchSettling();
      this.tellToEnd(RESTART_REQUESTED, stopTimeoutMs);
    }
  }

  /** It was told to end, and has not within its time. @returns the same error to everybody; it is reported once. */
  overran(limitMs: number): StopTimeoutError {
    if (this.#overrun !== undefined) return this.#overrun;
    const { definition, state, reporter } = this.parts;
    this.#overrun = new StopTimeoutError(definition.name, limitMs, this.#run.waitingFor);
    state.overrun(this.#overrun);
    reporter.logAndFailed(this.#overrun, state.snapshot.info);
    return this.#overrun;
  }

  /** Counts failures in a row, and does what `onUnhealthy` says. */
  recordHealth(result: HealthResult): void {
    const { definition, host, state } = this.parts;
    if (state.status !== 'running') return;
    this.#failedChecks = result.healthy ? 0 : this.#failedChecks + 1;
    state.recordHealth(result);
    if (result.healthy || this.#failedChecks < host.unhealthyThreshold || definition.onUnhealthy === 'report') return;
    const unhealthy = new UnhealthyError(definition.name, this.#failedChecks, result.error);
    this.#failedChecks = 0;
    this.parts.reporter.logAndFailed(unhealthy, state.snapshot.info);
    // Who heard of it, by the event or by `onError`, may have ended it.
    if (!this.request.ending) this.#actOnUnhealthy(unhealthy);
  }

  #endWith(decide: () => RestartPlan | undefined): void {
    this.#isOver = true;
    this.parts.policy.runIsNotReadyAnyMore();
    this.parts.state.endRun();
    this.#settling?.resolve();
    this.onOver(decide());
  }

  #hasEnded(thrown: Thrown | undefined): RestartPlan | undefined {
    if (this.request.ending) return thrown && this.#fail(thrown.error, undefined);
    if (this.#restartCause !== undefined) return this.#restartAfter(this.#restartCause, thrown);
    return this.#finishByItself();
  }

  #restartAfter(cause: UnhealthyError | RunEndedError, thrown: Thrown | undefined): RestartPlan | undefined {
    const { reporter, state, policy, dependenciesReady } = this.parts;
    if (thrown !== undefined) reporter.failed(thrown.error, state.snapshot.info);
    if (this.request.ending) return undefined;
    const plan = cause instanceof UnhealthyError ? policy.runIsOver('unhealthy') : ON_REQUEST;
    // The first restart goes straight from `stopping` to `starting`; one that has to wait says so.
    return plan?.first === true && dependenciesReady() ? { ...plan, delayMs: 0 } : this.#fail(cause, plan);
  }

  #finishByItself(): RestartPlan | undefined {
    const { definition, reporter, state, policy } = this.parts;
    const { name, restart, completes } = definition;
    const plan = policy.runIsOver('finished');
    if (restart.mode === 'always' && plan === undefined) {
      return this.#fail(new RestartLimitError(name, restart.maxRestarts, restart.windowMs), undefined);
    }
    if (!completes && plan === undefined) reporter.finishedByItself();
    state.finish();
    this.request.report('ended');
    return plan;
  }

  #fail(error: unknown, plan: RestartPlan | undefined): RestartPlan | undefined {
    const { definition, reporter, state } = this.parts;
    // Taken down first: a listener of the event, and `onError`, may end the request.
    const whileEnding = this.request.ending;
    const failed = new ComponentFailedError(definition.name, error);
    if (whileEnding) this.request.stopError = failed;
    state.fail({ error, ...(plan && { restartInMs: plan.delayMs }) });
    if (plan === undefined) this.request.failForGood(failed);
    else this.request.report('failed');
    reporter.failed(error, state.snapshot.info);
    if (plan === undefined && !whileEnding && definition.criticality === 'critical') reporter.leaderTrouble(error);
    return plan;
  }

  #actOnUnhealthy(unhealthy: UnhealthyError): void {
    const { onUnhealthy, stopTimeoutMs } = this.parts.definition;
    if (onUnhealthy === 'step-down') {
      this.parts.reporter.leaderTrouble(unhealthy);
      return;
    }
    this.#restartCause = unhealthy;
    this.#watchSettling();
    this.tellToEnd('its health checks failed', stopTimeoutMs, unhealthy);
  }

  /** It ends without anybody waiting for that, so nobody else would notice when it does not. */
  #watchSettling(): void {
    const { clock } = this.parts.host;
    const { stopTimeoutMs } = this.parts.definition;
    void settlesWithin(clock, (this.#settling ??= new Deferred()).promise, stopTimeoutMs, { background: true }).then(
      (settled) => {
        if (!settled && !this.#isOver) this.overran(stopTimeoutMs);
      },
    );
  }
}
