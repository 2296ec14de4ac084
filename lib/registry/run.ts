import { setImmediate as turnOfTheEventLoop } from 'node:timers/promises';
import { isAbortOf, sharedAbortController } from '../core/abort.js';
import { isServiceStyle, isSubscriptionReadySignaler, type StartContext } from '../core/component.js';
import { Deferred } from '../core/deferred.js';
import { RunEndedError, StartTimeoutError } from '../core/errors.js';
import { soon } from '../core/microtask.js';
import { readProperty } from '../core/property.js';
import { runWithin, type RunContext } from '../core/run-context.js';
import type { ComponentDefinition } from './component-definition.js';
import type { ComponentHost } from './component-host.js';
import type { StartRequest } from './start-request.js';

/** What was thrown, wrapped: anything can be, also nothing, and a promise would resolve to what a thenable says. */
export interface Thrown {
  readonly error: unknown;
}

/** The share of the stop budget that a pending `start()` has to react to its signal before `stop()` is called anyway. */
const PENDING_START_SHARE = 0.5;

/** What a run tells of: at most once each, and never from within the call of user code that brought it about. */
export interface RunListener {
  /** The component is ready. Not called when it failed, finished, timed out or was told to end before. */
  becameReady(): void;
  /** It is broken; it may still be settling. */
  broke(thrown: Thrown): void;
  /** Nothing of the run is left. */
  settled(thrown: Thrown | undefined): void;
}

/**
 * One start..stop of a component: both shapes, made one. Knows nothing of statuses, restarts or other components. Tells
 * by calls and not by promises, which cost more than all the rest where thousands of components start at once.
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
  /** Of a service whose `stop()` has settled before its `start()`. */
  #startOver: Deferred<void> | undefined;
  #readyDecided = false;
  #cancelTimeout: (() => void) | undefined;
  #thrown: Thrown | undefined;
  #toldBroken = false;
  #hasSettled = false;
  #isService = false;
  #isStarting = true;
  #signalsReady = false;
  #waitingFor = 'start()';

  constructor(
    private readonly definition: ComponentDefinition,
    private readonly host: Pick<ComponentHost, 'clock' | 'limits'>,
    private readonly listener: RunListener,
    /** Under its term, and told by its signal that the end is near: a component that ends before its turn does so cleanly. */
    private readonly request: Pick<StartRequest, 'term' | 'signal'>,
  ) {
    const { term } = request;
    this.context = { startedAt: host.clock.now(), ...(term && { term }) };
  }

  /** The call that keeps the run from settling, for messages. */
  get waitingFor(): string {
    return this.#waitingFor;
  }

  /** Enters `start()`. */
  begin(): void {
    const { name, startTimeoutMs } = this.definition;
    // Before start is entered, which may say at once that it is broken.
    this.#cancelTimeout = this.host.limits.setTimer(() => {
      const waitingFor = this.#signalsReady ? 'subscriptionReady()' : 'start()';
      this.#fail(new StartTimeoutError(name, startTimeoutMs, waitingFor));
    }, startTimeoutMs);
    void this.#enter().then(
      () => this.#startIsOver(),
      (error: unknown) => this.#startIsOver({ error }),
    );
    this.#watchReadiness();
  }

  /**
   * Tells the run to end, in this tick; `settled()` is called once it has. Called again, it can only shorten the time.
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
    this.#decideReady(false);
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
    try {
      this.#isService = isServiceStyle(component);
      this.#signalsReady = isSubscriptionReadySignaler(component);
      return Promise.resolve(this.#call('start', this.#startContext()));
    } catch (error) {
      this.#signalsReady = false;
      return Promise.reject(error);
    }
  }

  #call(method: 'start' | 'stop' | 'subscriptionReady', ...args: readonly unknown[]): Promise<void> | void {
    const { component } = this.definition;
    const entry = readProperty(component, method) as (...given: readonly unknown[]) => Promise<void> | void;
    return runWithin(this.context, () => Reflect.apply(entry, component, args));
  }

  #startContext(): StartContext {
    const { term } = this.request;
    const signal = () => this.#signal;
    const context = {
      get signal() {
        return signal();
      },
      fail: (error: unknown) => this.#fail(error),
    };
    return term === undefined ? context : Object.assign(context, { term });
  }

  #startIsOver(thrown?: Thrown): void {
    this.#isStarting = false;
    this.#cancelStartIsLate?.();
    if (thrown !== undefined) this.#record(thrown.error);
    if (this.#isService && !this.#signalsReady) this.#decideReady(thrown === undefined);
    this.#startOver?.resolve();
    this.#mayStop?.resolve();
    if (!this.#isService) this.#settle();
  }

  #watchReadiness(): void {
    // What it said or did in `start()` may have ended the run.
    if (this.#readyDecided) return;
    if (this.#signalsReady) void this.#watchSubscription();
    // A run-style start is ready once entered; one that rejects before its first real wait never was.
    else if (!this.#isService) void turnOfTheEventLoop().then(() => this.#decideReady(this.#thrown === undefined));
  }

  async #watchSubscription(): Promise<void> {
    try {
      await this.#call('subscriptionReady');
      this.#decideReady(true);
    } catch (error) {
      this.#record(error);
      this.#decideReady(false);
    }
  }

  /** The first call decides. */
  #decideReady(ready: boolean): void {
    if (this.#readyDecided) return;
    this.#readyDecided = true;
    this.#cancelTimeout?.();
    if (ready) this.listener.becameReady();
  }

  #settle(): void {
    this.#hasSettled = true;
    this.#decideReady(false);
    this.#tellBroken();
    this.listener.settled(this.#thrown);
  }

  #tellBroken(): void {
    if (this.#thrown === undefined || this.#toldBroken) return;
    this.#toldBroken = true;
    this.listener.broke(this.#thrown);
  }

  /** A service runs from its start until it is told to end or breaks, and gets its `stop()` either way. */
  async #stopService(): Promise<void> {
    await this.#mayStop?.promise;
    this.#waitingFor = 'stop()';
    try {
      await this.#call('stop');
    } catch (error) {
      this.#record(error);
    }
    this.#waitingFor = 'start()';
    if (this.#isStarting) await (this.#startOver = new Deferred()).promise;
    this.#settle();
  }

  #giveStart(graceMs: number): void {
    const lateAt = this.host.clock.now() + graceMs;
    if (lateAt >= this.#startIsLateAt) return;
    this.#startIsLateAt = lateAt;
    this.#cancelStartIsLate?.();
    const mayStop = (this.#mayStop ??= new Deferred<void>());
    this.#cancelStartIsLate = this.host.clock.setTimer(() => mayStop.resolve(), graceMs);
  }

  /** The run is broken, says somebody who may come too late: a run that must end anyway cannot break any more. */
  #fail(error: unknown): void {
    if (this.#ending === undefined) this.#record(error);
  }

  #record(error: unknown): void {
    if (this.#hasSettled || isAbortOf(error, this.#signal, this.request.signal, this.request.term?.signal)) return;
    this.#thrown ??= { error };
    // User code may be on the stack: `fail()` must have returned before anybody hears of it.
    soon(() => this.#tellBroken());
    this.end('it has failed', { cause: error });
  }
}
