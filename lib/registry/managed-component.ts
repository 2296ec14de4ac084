import { delay, settlesWithin } from '../core/clock.js';
import type { LeadershipTerm } from '../core/elector.js';
import { PreviousRunUnsettledError, type LifecycleError } from '../core/errors.js';
import { soon } from '../core/microtask.js';
import { outsideOfRuns, type RunContext } from '../core/run-context.js';
import type { ComponentDefinition } from './component-definition.js';
import type { ComponentHost } from './component-host.js';
import { ComponentReporter } from './component-reporter.js';
import type { ComponentSnapshot } from './component-snapshot.js';
import { ComponentState, type HealthResult } from './component-state.js';
import { DependencyGate } from './dependency-gate.js';
import { heldBackBy } from './hold-back.js';
import { RestartPolicy, type RestartPlan } from './restart-policy.js';
import { StartRequest, type RestStatus } from './start-request.js';
import { SupervisedRun, type ComponentParts } from './supervised-run.js';

const NONE: readonly ManagedComponent[] = [];

/** What is to be ended, as it was when that was decided: what is begun after that is none of its business. */
export interface Retirement {
  readonly request: StartRequest | undefined;
  readonly run: SupervisedRun | undefined;
  /** Whether a request is being pursued. */
  readonly isPursued: boolean;
}

/**
 * One component and the loop that keeps it running. Requests to run are pursued one after the other, each only after
 * everything of the one before has settled, so that two runs never overlap.
 */
export class ManagedComponent {
  readonly #parts: ComponentParts;
  readonly #state: ComponentState;
  #rest: RestStatus = 'stopped';
  #request: StartRequest | undefined;
  /** Whether a request, the latest or one before it, is being pursued. */
  #isPursued = false;
  #run: SupervisedRun | undefined;
  /** The request that the latest run was begun for. */
  #served: StartRequest | undefined;
  /** Absent where it depends on nothing. */
  #gate: DependencyGate<ManagedComponent> | undefined;
  #blockers: readonly ManagedComponent[] = NONE;
  /** Ends the wait for the next restart. */
  #cutWait: AbortController | undefined;
  #dependents: readonly ManagedComponent[] = NONE;

  constructor(
    readonly definition: ComponentDefinition,
    private readonly host: ComponentHost,
  ) {
    this.#state = new ComponentState(definition, host.clock, host.events, () => this.#tellDependents());
    this.#parts = {
      definition,
      host,
      state: this.#state,
      policy: new RestartPolicy(definition.restart, host.clock, host.random),
      reporter: new ComponentReporter(definition, host),
      dependenciesReady: () => this.#gate === undefined || this.#gate.look().isOpen,
    };
  }

  /** What it waits for before it starts, and what waits for it. */
  link(dependencies: readonly ManagedComponent[], dependents: readonly ManagedComponent[]): void {
    this.#gate = dependencies.length > 0 ? new DependencyGate(dependencies) : undefined;
    this.#dependents = dependents;
    this.#state.wake();
  }

  get dependents(): readonly ManagedComponent[] {
    return this.#dependents;
  }

  get failedForGood(): boolean {
    return this.#state.failedForGood;
  }

  get snapshot(): ComponentSnapshot {
    return this.#state.snapshot;
  }

  /** Resolves when nothing of any run is left. */
  get idle(): Promise<void> {
    return this.#isPursued && this.#request !== undefined ? this.#request.settled.promise : Promise.resolve();
  }

  /** The components that keep it from starting; empty when nothing lasting does. */
  get blockers(): readonly ManagedComponent[] {
    return this.#blockers;
  }

  /** Whether dependents may start: it is running, or has finished its work, as its latest request asked for. */
  get isSatisfied(): boolean {
    if (this.#request === undefined || this.#request !== this.#served || this.#request.ending) return false;
    return this.#state.status === 'running' || this.#state.finished;
  }

  /** Whether waiting for it may last: it failed, is held back itself, or nobody asked it to run. */
  get isNotComing(): boolean {
    return this.#state.isTroubled || this.#request?.active !== true;
  }

  /**
   * Asks the component to run. It starts, not in this tick, once an earlier run has settled and its dependencies are
   * ready.
   *
   * @returns the request, or `undefined` when one is being pursued already.
   */
  begin(term?: LeadershipTerm, isRestart = false): StartRequest | undefined {
    if (this.#request?.active === true) return undefined;
    const request = new StartRequest(term);
    const previous = this.#isPursued ? this.#request : undefined;
    this.#request = request;
    this.#isPursued = true;
    this.#tellDependents();
    // The caller may be a component that registers another one, which is no part of its run.
    outsideOfRuns(() => {
      if (previous === undefined) soon(() => this.#pursue(request, isRestart));
      else void this.#pursueAfter(previous.settled.promise, request);
    });
    return request;
  }

  /**
   * Ends the run that is under way and begins another one, or starts a failed component at once: whatever its restart policy
   * says, which begins anew. Nothing while a start is under way. What depends on it is left alone.
   *
   * @returns why it cannot be
   */
  restart(term: LeadershipTerm | undefined): string | undefined {
    const { status } = this.#state;
    if (status === 'starting' && this.#request?.active === true) return undefined;
    if (status === 'stopping' && this.#run?.isRestarting === true && this.#request?.active === true) return undefined;
    if (status !== 'running' && status !== 'failed') return `it is ${status}, and only what runs or has failed can be`;
    if (this.#request?.ending === true && this.#isPursued) return 'it is being stopped';
    this.#parts.policy.reset();
    if (this.#run !== undefined) this.#run.restart();
    else if (this.#isPursued) this.#cutWait?.abort();
    else this.begin(term, true);
    return undefined;
  }

  /** Leader-only, and this replica does not lead. A component that runs, or is about to, is left alone. */
  standBy(): void {
    if (this.#request?.active === true) return;
    this.#rest = 'standby';
    if (!this.#isPursued) this.#comeToRest();
  }

  /**
   * Takes back the request to run, in this tick: no run begins for it any more. One that is under way goes on until
   * `end()`, which may have to wait for its dependents. Publishes nothing, so no listener can interfere.
   */
  retire(rest: RestStatus): Retirement {
    this.#rest = rest;
    this.#request?.end();
    this.#state.wake();
    this.#tellDependents();
    return { request: this.#request, run: this.#run, isPursued: this.#isPursued };
  }

  /**
   * Ends what was retired, in this tick, and waits until it has settled.
   *
   * @returns why it did not end cleanly within `budgetMs`, if so.
   */
  async end(retired: Retirement, why: string, budgetMs: number): Promise<LifecycleError | undefined> {
    const { request, run, isPursued } = retired;
    if (request === undefined || !isPursued) {
      // It may have been asked to run again while its dependents took their time.
      if (request === this.#request) this.#comeToRest();
      return undefined;
    }
    // At least a tick, also for one whose turn comes after the whole budget is used up.
    const limitMs = Math.max(1, Math.min(budgetMs, this.definition.stopTimeoutMs));
    if (run?.isOver === false) run.tellToEnd(why, limitMs);
    const settled = await settlesWithin(this.host.limits, request.settled.promise, limitMs);
    // Also when it settled a moment after its time was up.
    if (settled || run === undefined || run.isOver) return request.stopError;
    return run.overran(limitMs);
  }

  /** Ignored when `run` is not the run that is under way. */
  recordHealth(run: RunContext, result: HealthResult): void {
    if (this.#run?.context === run) this.#run.recordHealth(result);
  }

  async #pursueAfter(previous: Promise<void>, request: StartRequest): Promise<void> {
    await this.#waitForEarlierRun(previous, request);
    await previous;
    this.#pursue(request, false);
  }

  /** By calls and not as one async function, which costs as much as a run of a component that does nothing. */
  #pursue(request: StartRequest, isRestart: boolean): void {
    if (!request.mayRun) {
      this.#finish(request);
    } else if (this.#dependenciesReady(request)) {
      const run = new SupervisedRun(this.#parts, request, (plan) => this.#runIsOver(request, plan));
      this.#run = run;
      this.#served = request;
      run.supervise(isRestart);
    } else {
      void this.#state.nextChange.then(() => this.#pursue(request, isRestart));
    }
  }

  #runIsOver(request: StartRequest, plan: RestartPlan | undefined): void {
    this.#run = undefined;
    if (plan === undefined) {
      this.#finish(request);
      return;
    }
    const cutWait = new AbortController();
    this.#cutWait = cutWait;
    const signal = AbortSignal.any([request.signal, cutWait.signal]);
    // A request that was taken back meanwhile is finished there.
    void delay(this.host.clock, plan.delayMs, signal).then(() => this.#pursue(request, true));
  }

  #finish(request: StartRequest): void {
    if (request.ending) this.#comeToRest();
    if (this.#request === request) this.#isPursued = false;
    request.finish();
  }

  /** As long as its starter waits. Should the earlier run settle after that, the request is still pursued. */
  async #waitForEarlierRun(previous: Promise<void>, request: StartRequest): Promise<void> {
    const either = Promise.race([previous, request.outcome]);
    if (await settlesWithin(this.host.clock, either, this.definition.startTimeoutMs)) return;
    request.report('failed');
    const error = new PreviousRunUnsettledError(this.definition.name);
    this.#parts.reporter.logAndFailed(error, this.snapshot.info);
  }

  /** Says, when not, what lasting reason there is. */
  #dependenciesReady(request: StartRequest): boolean {
    if (this.#gate === undefined) return true;
    const { isOpen, lasting } = this.#gate.look();
    if (lasting.length > 0) request.report('blocked');
    // What has failed keeps its own error while it waits to be started again.
    if (this.#state.status !== 'failed') {
      const { blockers, error } = heldBackBy(lasting);
      this.#blockers = blockers;
      this.#state.holdBack(error);
    }
    return isOpen;
  }

  #tellDependents(): void {
    if (this.#dependents === NONE) return;
    for (const it of this.#dependents) {
      it.#gate?.noteChange(this);
      it.#state.wake();
    }
  }

  /** No run is under way, and none is wanted. */
  #comeToRest(): void {
    const { status, failedForGood } = this.#state;
    this.#blockers = NONE;
    // What failed for good keeps its error after a shutdown; on standby, the next term tries it anew.
    if (failedForGood && this.#rest === 'stopped') return;
    if (status === 'starting' || status === 'running') this.#state.to('stopping');
    if (this.#state.status === this.#rest) this.#state.holdBack(undefined);
    else this.#state.to(this.#rest);
  }
}
