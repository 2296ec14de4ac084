import type { Clock } from '../core/clock.js';
import { DEFAULT_ELECTION } from '../core/elector.js';
import { ElectionTerm } from '../core/election-term.js';
import { isHealthChecker, type Component, type ComponentInfo, type ComponentOptions } from '../core/component.js';
import { Deferred } from '../core/deferred.js';
import { errorText } from '../core/error-text.js';
import { InvalidComponentError } from '../core/errors.js';
import type { ComponentStatusEvent } from '../core/lifecycle-events.js';
import { checkWithin } from '../core/run-context.js';
import type { Status } from '../core/status.js';
import { readComponentOptions } from '../decorators/lifecycle-component.decorator.js';
import type { ComponentSnapshot } from '../registry/component-snapshot.js';
import { Registry } from '../registry/registry.js';
import { within } from './within.js';

/** Options of a component harness: how the component is managed, and whose time it is. @publicApi */
export interface ComponentHarnessOptions extends ComponentOptions {
  /** @default the system's time */
  readonly clock?: Clock;
}

/**
 * One component under a registry of its own, without Nest and without other components: start it, lead, lose, stop,
 * and await its states.
 *
 * Options are those of the component's `@LifecycleComponent()`, where the ones given here differ, these. `dependsOn` and
 * `enabled` are left out: what it depends on is not here, and it is here to be run.
 *
 * @publicApi
 */
export class ComponentHarness {
  /** Every status that the component went to, oldest first. */
  readonly transitions: Status[] = [];
  /** What the component failed with, oldest first, as it was thrown. */
  readonly failures: unknown[] = [];
  readonly #registry: Registry;
  readonly #lifetime = new AbortController();
  readonly #watchers = new Set<() => void>();
  #term: ElectionTerm | undefined;
  #lastToken = 0n;

  /** @throws InvalidComponentError, InvalidOptionError */
  constructor(component: Component, options: ComponentHarnessOptions = {}) {
    const { clock, ...managed } = options;
    this.#registry = new Registry({
      ...(clock && { clock }),
      events: { publish: (name, payload) => this.#onEvent(name, payload as ComponentStatusEvent) },
    });
    const { enabled: _, ...marked } = readComponentOptions(component.constructor) ?? {};
    this.#registry.register(component, { ...marked, ...managed, dependsOn: [] });
  }

  /** What `registry.status()` tells about it. */
  get info(): ComponentInfo {
    return this.#snapshot.info;
  }

  get status(): Status {
    return this.info.status;
  }

  /**
   * Starts it, again too once it has stopped or failed; a leader-only component stands by.
   *
   * @returns once it is ready, has failed or has ended
   */
  async start(): Promise<void> {
    await this.#registry.startAll(this.#lifetime.signal, false);
  }

  /**
   * Begins a term, with a fencing token that is one more than the last; ends the one before, if there is one.
   *
   * @returns once the component is ready, has failed or has ended
   * @throws InvalidComponentError when it is not leader-only; StopFailedError
   */
  async elect(): Promise<void> {
    const { name, leaderOnly, election = DEFAULT_ELECTION } = this.info;
    if (leaderOnly !== true) {
      throw new InvalidComponentError(
        `"${name}" is not leader-only, so no term would start it. Mark it so, or give the harness leaderOnly: true.`,
      );
    }
    await this.depose();
    const fencingToken = ++this.#lastToken;
    this.#term = new ElectionTerm({ election, identity: 'component-harness', fencingToken });
    await this.#registry.startLeaderOnlyComponentsAsync(this.#term);
  }

  /**
   * Ends the term, as a lost lease does. At once when there is none.
   *
   * @returns once the component has settled
   * @throws StopFailedError when it did not stop cleanly or in time
   */
  async depose(reason = 'deposed by the test'): Promise<void> {
    const term = this.#term;
    if (term === undefined) return;
    this.#term = undefined;
    term.end(reason);
    await this.#registry.stopLeaderOnlyComponents(term.election);
  }

  /**
   * Stops it as a shutdown does: the term ends first, if there is one. Idempotent; leaves nothing behind, also after a
   * failure.
   *
   * @throws StopFailedError when it did not stop cleanly or in time
   */
  async stop(): Promise<void> {
    try {
      await this.depose('stopped by the test');
    } finally {
      await this.#registry.stopAll();
    }
  }

  /**
   * Calls its health check as the health monitor does: within the run, so that a HealthTracker is re-armed. The result
   * is in `info.healthy`, and 3 failures in a row restart a component with `onUnhealthy: 'restart'`. There is no timeout.
   *
   * @throws what the check throws, when it is unhealthy; Error when it has none, or is not running: then it is not checked
   */
  async checkHealth(): Promise<void> {
    const { component, info, run } = this.#snapshot;
    if (!isHealthChecker(component)) throw new InvalidComponentError(`"${info.name}" has no healthCheck() method.`);
    if (run === undefined) throw new Error(`"${info.name}" is ${info.status}: only what is running is checked.`);
    try {
      const { signal } = new AbortController();
      await checkWithin(run, signal, () => component.healthCheck(signal));
    } catch (error) {
      this.#registry.recordHealth(info.name, run, { healthy: false, error });
      throw error;
    }
    this.#registry.recordHealth(info.name, run, { healthy: true });
  }

  /**
   * Waits for a status, at once when the component is in it already. One that it only passes through counts.
   *
   * @param limitMs real time that it may take, in milliseconds; less than the 5 s of most test runners. @default 3000
   * @returns the component's info in that status; its `error` says why it failed
   * @throws Error when the time is over, with where the component is instead, why, and the way that it went
   */
  until(status: Status, limitMs = 3000): Promise<ComponentInfo> {
    const reached = new Deferred<ComponentInfo>();
    const look = () => this.status === status && reached.resolve(this.info);
    this.#watchers.add(look);
    look();
    const timeoutError = () => this.#notReached(status, limitMs);
    return within(limitMs, reached.promise, timeoutError).finally(() => this.#watchers.delete(look));
  }

  get #snapshot(): ComponentSnapshot {
    const [snapshot] = this.#registry.snapshot();
    if (snapshot === undefined) throw new Error('The component is not registered: a defect of nestjs-lifecycle');
    return snapshot;
  }

  #notReached(status: Status, limitMs: number): Error {
    const { name, status: now, error } = this.info;
    const why = error === undefined ? '' : ` (${error})`;
    const path = this.transitions.join(' -> ') || 'no transition';
    return new Error(`"${name}" is ${now}${why}, not ${status}, after ${limitMs} ms. It went: ${path}`);
  }

  #onEvent(name: string, event: ComponentStatusEvent): void {
    if (name !== 'lifecycle.component.status') return;
    this.transitions.push(event.to);
    if (event.to === 'failed') this.failures.push(event.error);
    for (const watcher of [...this.#watchers]) watcher();
  }
}

/**
 * Starts one component in a harness.
 *
 * @returns the harness, with the component ready, or standing by if it is leader-only, or finished if it was quick
 * @throws Error when it failed to start, after it was stopped; `cause` is what it threw
 */
export async function startComponent(
  component: Component,
  options: ComponentHarnessOptions = {},
): Promise<ComponentHarness> {
  const harness = new ComponentHarness(component, options);
  await harness.start();
  if (harness.status !== 'failed') return harness;
  const cause = harness.failures.at(-1);
  // The restart policy may be about to try again.
  await harness.stop().catch(() => undefined);
  throw new Error(`"${harness.info.name}" failed to start: ${errorText(cause)}`, { cause });
}
