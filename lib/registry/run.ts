import { setImmediate as turnOfTheEventLoop } from 'node:timers/promises';
import { isAbortOf, sharedAbortController } from '../core/abort.js';
import type { Clock } from '../core/clock.js';
import {
  isServiceStyle,
  isSubscriptionReadySignaler,
  type Component,
  type StartContext,
  type SubscriptionReadySignaler,
} from '../core/component.js';
import { Deferred } from '../core/deferred.js';
import { RunEndedError, StartTimeoutError } from '../core/errors.js';
import { runWithin, type RunContext } from '../core/run-context.js';
import type { ComponentDefinition } from './component-definition.js';
import type { StartRequest } from './start-request.js';

/** What was thrown, wrapped: anything can be, also nothing, and a promise would resolve to what a thenable says. */
export interface Thrown {
  readonly error: unknown;
}

/** The share of the stop budget that a pending `start()` has to react to its signal before `stop()` is called anyway. */
const PENDING_START_SHARE = 0.5;

/**
 * One start..stop of a component: both shapes, made one. Knows nothing of statuses, restarts or other components. None
 * of its promises ever rejects.
 */
export class Run {
  readonly context: RunContext;
  /** What the run must end for, once it must. */
  #ending: { readonly why: string; readonly cause: unknown } | undefined;
  /** Made when somebody reads the signal: many services never do, and it costs about as much as the rest of a run. */
  #control: AbortController | undefined;
  /** Of a service that must end while `start()` is pending: that is over, or has had its time to react to the signal. */
  #mayStop: Deferred<void> | undefined;
  #startIsLateAt = Infinity;
  #cancelStartIsLate: (() => void) | undefined;
  readonly #startOver = new Deferred<void>();
  readonly #ready = new Deferred<boolean>();
  readonly #broken = new Deferred<Thrown | undefined>();
  readonly #settled = new Deferred<Thrown | undefined>();
  #cancelTimeout: (() => void) | undefined;
  #thrown: Thrown | undefined;
  #isService = false;
  #isStarting = true;
  #signalsReady = false;
  #waitingFor = 'start()';

  constructor(
    private readonly definition: ComponentDefinition,
    private readonly clock: Clock,
    /** Under its term, and told by its signal that the end is near: a component that ends before its turn does so cleanly. */
    private readonly request: Pick<StartRequest, 'term' | 'signal'>,
  ) {
    const { term } = request;
    this.context = { startedAt: clock.now(), ...(term && { term }) };
  }

  /** It was told to end, or is broken. */
  get ending(): boolean {
    return this.#ending !== undefined;
  }

  /** Resolves with what broke the run, at once, while it may still be settling; with nothing if it settled unbroken. */
  get broken(): Promise<Thrown | undefined> {
    return this.#broken.promise;
  }

  /** Resolves when nothing of the run is left, with what broke it first, if anything did. */
  get settled(): Promise<Thrown | undefined> {
    return this.#settled.promise;
  }

  /** The call that keeps the run from settling, for messages. */
  get waitingFor(): string {
    return this.#waitingFor;
  }

  /**
   * Enters `start()`.
   *
   * @returns whether the component became ready; `false` when it failed, finished, timed out or was told to end before.
   */
  begin(): Promise<boolean> {
    const { name, startTimeoutMs } = this.definition;
    // Before start is entered, which may say at once that it is broken.
    this.#cancelTimeout = this.clock.setTimer(() => {
      const waitingFor = this.#signalsReady ? 'subscriptionReady()' : 'start()';
      this.#fail(new StartTimeoutError(name, startTimeoutMs, waitingFor));
    }, startTimeoutMs);
    const startOver = this.#enter().then(
      () => this.#startIsOver(),
      (error: unknown) => this.#startIsOver({ error }),
    );
    if (!this.#isService) void startOver.then(() => this.#settle());
    this.#watchReadiness();
    return this.#ready.promise;
  }

  /**
   * Tells the run to end, in this tick; `settled` resolves once it has. Called again, it can only shorten the time.
   *
   * @param options.withinMs what is left of the stop budget, in milliseconds. @default the component's stopTimeoutMs
   */
  end(why: string, options: { cause?: unknown; withinMs?: number } = {}): void {
    const isFirst = this.#ending === undefined;
    this.#ending ??= { why, cause: options.cause };
    if (isFirst) this.#abort();
    if (this.#isService && this.#isStarting) {
      this.#giveStart((options.withinMs ?? this.definition.stopTimeoutMs) * PENDING_START_SHARE);
    }
    if (!isFirst) return;
    this.#isReady(false);
    if (this.#isService) void this.#stopService();
  }

  get #signal(): AbortSignal {
    if (this.#control === undefined) {
      this.#control = sharedAbortController();
      this.#abort();
    }
    return this.#control.signal;
  }

  #abort(): void {
    if (this.#control === undefined || this.#ending === undefined) return;
    const { why, cause } = this.#ending;
    this.#control.abort(new RunEndedError(this.definition.name, why, { cause }));
  }

  #enter(): Promise<void> {
    const { component } = this.definition;
    const context = this.#startContext();
    try {
      this.#isService = isServiceStyle(component);
      this.#signalsReady = isSubscriptionReadySignaler(component);
      return Promise.resolve(runWithin(this.context, () => component.start(context)));
    } catch (error) {
      this.#signalsReady = false;
      return Promise.reject(error);
    }
  }

  #startContext(): StartContext {
    const { term } = this.request;
    const signal = () => this.#signal;
    return {
      get signal() {
        return signal();
      },
      ...(term && { term }),
      fail: (error: unknown) => this.#fail(error),
    };
  }

  #startIsOver(thrown?: Thrown): void {
    this.#isStarting = false;
    this.#cancelStartIsLate?.();
    if (thrown !== undefined) this.#record(thrown.error);
    if (this.#isService && !this.#signalsReady) this.#isReady(thrown === undefined);
    this.#startOver.resolve();
    this.#mayStop?.resolve();
  }

  #watchReadiness(): void {
    if (this.#signalsReady) void this.#watchSubscription();
    // A run-style start is ready once entered; one that rejects before its first real wait never was.
    else if (!this.#isService) void turnOfTheEventLoop().then(() => this.#isReady(this.#thrown === undefined));
  }

  async #watchSubscription(): Promise<void> {
    const component = this.definition.component as Component & SubscriptionReadySignaler;
    try {
      await runWithin(this.context, () => component.subscriptionReady());
      this.#isReady(true);
    } catch (error) {
      this.#record(error);
      this.#isReady(false);
    }
  }

  /** The first call decides. */
  #isReady(ready: boolean): void {
    this.#cancelTimeout?.();
    this.#ready.resolve(ready);
  }

  #settle(): void {
    this.#settled.resolve(this.#thrown);
    this.#broken.resolve(undefined);
    this.#isReady(false);
  }

  /** A service runs from its start until it is told to end or breaks, and gets its `stop()` either way. */
  async #stopService(): Promise<void> {
    await this.#mayStop?.promise;
    this.#waitingFor = 'stop()';
    try {
      await runWithin(this.context, () => this.definition.component.stop?.());
    } catch (error) {
      this.#record(error);
    }
    this.#waitingFor = 'start()';
    if (this.#isStarting) await this.#startOver.promise;
    this.#settle();
  }

  #giveStart(graceMs: number): void {
    const lateAt = this.clock.now() + graceMs;
    if (lateAt >= this.#startIsLateAt) return;
    this.#startIsLateAt = lateAt;
    this.#cancelStartIsLate?.();
    const mayStop = (this.#mayStop ??= new Deferred<void>());
    this.#cancelStartIsLate = this.clock.setTimer(() => mayStop.resolve(), graceMs);
  }

  /** The run is broken, says somebody who may come too late: a run that must end anyway cannot break any more. */
  #fail(error: unknown): void {
    if (!this.ending) this.#record(error);
  }

  #record(error: unknown): void {
    if (isAbortOf(error, this.#signal, this.request.signal, this.request.term?.signal)) return;
    const thrown = (this.#thrown ??= { error });
    this.#broken.resolve(thrown);
    this.end('it has failed', { cause: error });
  }
}
