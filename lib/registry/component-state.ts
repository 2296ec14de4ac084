import type { Clock } from '../core/clock.js';
import type { ComponentInfo } from '../core/component.js';
import { Deferred } from '../core/deferred.js';
import { errorText } from '../core/error-text.js';
import type { EventSink } from '../core/event-sink.js';
import { LifecycleEvent, type ComponentStatusEvent } from '../core/lifecycle-events.js';
import type { RunContext } from '../core/run-context.js';
import { canTransition, type Status } from '../core/status.js';
import type { ComponentDefinition } from './component-definition.js';
import type { ComponentSnapshot } from './component-snapshot.js';

/** What was observed of a component's health. @publicApi */
export type HealthResult = { readonly healthy: true } | { readonly healthy: false; readonly error: unknown };

/** Why a component is failed. */
export interface Failure {
  readonly error: unknown;
  /** Milliseconds until it is started again; absent when it failed for good. */
  readonly restartInMs?: number;
}

/** What is wrong. The text is taken once: to read an error may run its author's code, and `status()` runs none. */
interface Trouble {
  readonly error: unknown;
  readonly text: string;
}

/**
 * What is known of one component, and the table that its status moves by. Each change is published after it has been
 * made, so that a listener that asks sees the new state.
 */
export class ComponentState {
  #status: Status = 'pending';
  #enteredAt: number;
  #since: number;
  #trouble: Trouble | undefined;
  #failedForGood = false;
  #finished = false;
  #overrunning = false;
  #restarts = 0;
  #health: HealthResult | undefined;
  /** What listeners were told last, over all runs. */
  #announcedHealthy = true;
  #run: RunContext | undefined;
  #change: Deferred<void> | undefined;
  #snapshot: ComponentSnapshot | undefined;

  constructor(
    private readonly definition: ComponentDefinition,
    private readonly clock: Clock,
    private readonly events: EventSink,
    /** Called at each change, before it is published. */
    private readonly onChange: () => void,
  ) {
    this.#enteredAt = clock.now();
    this.#since = clock.wallNow();
  }

  get status(): Status {
    return this.#status;
  }

  /** It is failed, overruns, or is held back. */
  get isTroubled(): boolean {
    return this.#trouble !== undefined;
  }

  get failedForGood(): boolean {
    return this.#failedForGood;
  }

  /** Its last run finished by itself. */
  get finished(): boolean {
    return this.#finished;
  }

  /** Resolves at the next change of any kind, or call of `wake()`. */
  get nextChange(): Promise<void> {
    return (this.#change ??= new Deferred<void>()).promise;
  }

  get snapshot(): ComponentSnapshot {
    return (this.#snapshot ??= {
      info: this.#describe(),
      component: this.definition.component,
      ...(this.#run && this.#status === 'running' && { run: this.#run }),
      error: this.#trouble?.error,
      healthError: this.#health?.healthy === false ? this.#health.error : undefined,
      failedForGood: this.#failedForGood,
      completed: this.#finished && this.definition.completes,
      overrunning: this.#overrunning,
    });
  }

  startRun(run: RunContext, isRestart: boolean): void {
    this.#run = run;
    this.#finished = false;
    if (isRestart) this.#restarts++;
    this.to('starting');
  }

  /** The last run has settled: nothing of it is left. */
  endRun(): void {
    this.#run = undefined;
    this.#overrunning = false;
    this.#announce();
  }

  finish(): void {
    this.#finished = true;
    this.to('stopped');
  }

  fail(failure: Failure): void {
    this.#enter('failed', failure);
  }

  to(status: Exclude<Status, 'failed'>): void {
    this.#enter(status);
  }

  overrun(error: unknown): void {
    this.#overrunning = true;
    if (this.#status === 'stopping') this.#trouble = troubleOf(error);
    this.#announce();
  }

  /** Says, without a change of status, what keeps the component from starting; `undefined`: nothing any more. */
  holdBack(error: Error | undefined): void {
    if (error?.message === this.#trouble?.text) return;
    this.#trouble = error && troubleOf(error);
    this.#announce();
  }

  /** Publishes it only when listeners have been told otherwise, be it of an earlier run. */
  recordHealth(result: HealthResult): void {
    if (result.healthy && this.#health?.healthy === true) return;
    this.#health = result;
    this.#snapshot = undefined;
    if (this.#announcedHealthy === result.healthy) return;
    this.#announcedHealthy = result.healthy;
    this.events.publish(LifecycleEvent.HealthChanged, {
      name: this.definition.name,
      healthy: result.healthy,
      ...(!result.healthy && { error: result.error }),
      at: this.clock.wallNow(),
    });
  }

  /** Lets those who wait for a change look again. */
  wake(): void {
    this.#change?.resolve();
    this.#change = undefined;
  }

  #announce(): void {
    this.#snapshot = undefined;
    this.wake();
    this.onChange();
  }

  #enter(status: Status, failure?: Failure): void {
    const { name, leaderOnly, election, criticality } = this.definition;
    const from = this.#status;
    if (!canTransition(from, status)) {
      throw new Error(`Component "${name}" cannot go from ${from} to ${status}: a defect of nestjs-lifecycle`);
    }
    const now = this.clock.now();
    const durationMs = now - this.#enteredAt;
    this.#status = status;
    this.#enteredAt = now;
    this.#since = this.clock.wallNow();
    this.#trouble = failure && troubleOf(failure.error);
    this.#failedForGood = failure !== undefined && failure.restartInMs === undefined;
    if (status !== 'running') this.#health = undefined;
    this.#announce();
    const restarts = this.#restarts;
    const event = { name, from, to: status, at: this.#since, durationMs, leaderOnly, criticality, restarts };
    this.events.publish(
      LifecycleEvent.ComponentStatus,
      election === undefined && failure === undefined ? event : withDetails(event, election, failure),
    );
  }

  #describe(): ComponentInfo {
    const { name, leaderOnly, election, criticality } = this.definition;
    return Object.freeze({
      name,
      status: this.#status,
      ...(leaderOnly && { leaderOnly }),
      ...(election !== undefined && { election }),
      ...(this.#trouble && { error: this.#trouble.text }),
      ...(this.#health !== undefined && { healthy: this.#health.healthy }),
      since: this.#since,
      restarts: this.#restarts,
      criticality,
    });
  }
}

function withDetails(event: ComponentStatusEvent, election?: string, failure?: Failure): ComponentStatusEvent {
  return { ...event, ...(election !== undefined && { election }), ...failure };
}

function troubleOf(error: unknown): Trouble {
  return { error, text: errorText(error) };
}
