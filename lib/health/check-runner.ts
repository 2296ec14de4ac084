import type { Clock } from '../core/clock.js';
import { isHealthChecker, type Component, type HealthChecker } from '../core/component.js';
import { Deferred } from '../core/deferred.js';
import { HealthCheckTimeoutError } from '../core/errors.js';
import type { HealthCheckReport } from '../core/lifecycle-observer.js';
import { checkWithin, type RunContext } from '../core/run-context.js';
import { Status } from '../core/status.js';
import type { HealthResult } from '../registry/component-state.js';
import type { CheckedRegistry } from './checked-registry.js';

interface CheckRunnerOptions {
  readonly registry: CheckedRegistry;
  readonly clock: Clock;
  /** Time that one check may take, in milliseconds. */
  readonly timeoutMs: number;
  /** Called when a check has settled that kept the component's next run from being checked. */
  readonly onUnblocked: () => void;
  /** Called when a check has settled or timed out. */
  readonly onCheck?: ((check: HealthCheckReport) => void) | undefined;
}

/** One call of a health check. */
interface Flight {
  readonly name: string;
  readonly startedAt: number;
  readonly run: RunContext;
  readonly abort: AbortController;
  /** Resolved when the check has settled, or is not waited for any more. */
  readonly over: Deferred<void>;
  /** Set once its time is up; the flight itself stays until the check has settled. */
  timeout?: HealthCheckTimeoutError;
  /** A later run of the component is waiting for its first check. */
  blocksNextRun?: true;
}

/**
 * Calls the health checks of running components: each within its run, with a timeout, and never twice at a time. What
 * one check does wrong touches no other. Results go to the registry.
 */
export class CheckRunner {
  readonly #flights = new Map<string, Flight>();
  readonly #checkedRuns = new WeakSet<RunContext>();

  constructor(private readonly options: CheckRunnerOptions) {}

  /**
   * Checks every running component. One whose check is still under way is not called again; past its timeout that
   * counts as one more failure, so that a check that hangs for ever reaches the threshold of `onUnhealthy`.
   *
   * @returns when each check under way has settled or timed out. Never rejects.
   */
  async checkAll(): Promise<void> {
    this.#pass({ newRunsOnly: false });
    await Promise.all([...this.#flights.values()].map((flight) => flight.over.promise));
  }

  /** Checks runs that have not been checked yet. */
  checkNewRuns(): void {
    this.#pass({ newRunsOnly: true });
  }

  /** Gives up on all checks under way: their signals are aborted, their results not used. */
  abandon(): void {
    const abandoned = [...this.#flights.values()];
    this.#flights.clear();
    for (const { abort, over } of abandoned) {
      abort.abort();
      over.resolve();
    }
  }

  #pass({ newRunsOnly }: { newRunsOnly: boolean }): void {
    const launched: Flight[] = [];
    for (const { info, component, run } of this.options.registry.snapshot()) {
      if (info.status !== Status.Running || run === undefined || !mayBeChecked(component)) continue;
      if (newRunsOnly && this.#checkedRuns.has(run)) continue;
      const flight = this.#flights.get(info.name);
      if (flight === undefined) launched.push(this.#launch(info.name, run, component));
      else this.#passOver(flight, run, newRunsOnly);
    }
    if (launched.length > 0) this.#limit(launched);
  }

  #passOver(flight: Flight, run: RunContext, newRunsOnly: boolean): void {
    if (flight.run !== run) flight.blocksNextRun = true;
    if (flight.timeout === undefined || newRunsOnly) return;
    this.options.registry.recordHealth(flight.name, run, { healthy: false, error: flight.timeout });
  }

  #launch(name: string, run: RunContext, component: Component & HealthChecker): Flight {
    const startedAt = this.options.clock.now();
    const flight: Flight = { name, startedAt, run, abort: new AbortController(), over: new Deferred() };
    this.#flights.set(name, flight);
    this.#checkedRuns.add(run);
    void this.#fly(flight, component);
    return flight;
  }

  async #fly(flight: Flight, component: HealthChecker): Promise<void> {
    const result = await resultOf(component, flight);
    if (this.#flights.get(flight.name) !== flight) return;
    this.#flights.delete(flight.name);
    if (flight.timeout === undefined) this.#record(flight, result);
    flight.over.resolve();
    if (flight.blocksNextRun) this.options.onUnblocked();
  }

  /** One timer for all that were launched together: a thousand checks need no thousand timers. */
  #limit(launched: readonly Flight[]): void {
    const expire = () => launched.forEach((flight) => this.#expire(flight));
    const cancel = this.options.clock.setTimer(expire, this.options.timeoutMs, { background: true });
    void Promise.all(launched.map((flight) => flight.over.promise)).then(cancel);
  }

  #expire(flight: Flight): void {
    if (this.#flights.get(flight.name) !== flight) return;
    flight.timeout = new HealthCheckTimeoutError(flight.name, this.options.timeoutMs);
    flight.abort.abort(flight.timeout);
    this.#record(flight, { healthy: false, error: flight.timeout });
    flight.over.resolve();
  }

  #record({ name, run, startedAt, timeout }: Flight, result: HealthResult): void {
    const { registry, clock, onCheck } = this.options;
    registry.recordHealth(name, run, result);
    if (onCheck === undefined) return;
    const { healthy } = result;
    onCheck({ name, healthy, durationMs: clock.now() - startedAt, timedOut: timeout !== undefined });
  }
}

/** Reading `healthCheck` can throw; then calling it will too, and that is a failed check of this component only. */
function mayBeChecked(component: Component): component is Component & HealthChecker {
  try {
    return isHealthChecker(component);
  } catch {
    return true;
  }
}

async function resultOf(component: HealthChecker, { run, abort }: Flight): Promise<HealthResult> {
  try {
    await checkWithin(run, abort.signal, () => component.healthCheck(abort.signal));
    return { healthy: true };
  } catch (error) {
    return { healthy: false, error };
  }
}
