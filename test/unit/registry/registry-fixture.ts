import { afterEach } from '@jest/globals';
import type {
  Component,
  ComponentInfo,
  ComponentOptions,
  ComponentRun,
  StartContext,
} from '../../../lib/core/component.js';
import { ElectionTerm } from '../../../lib/core/election-term.js';
import { errorText } from '../../../lib/core/error-text.js';
import type { ComponentStatusEvent, HealthChangedEvent } from '../../../lib/core/lifecycle-events.js';
import type { RegistryOptions } from '../../../lib/core/registry-options.js';
import type { RunContext } from '../../../lib/core/run-context.js';
import type { RegisterOptions } from '../../../lib/registry/component-definition.js';
import { Registry } from '../../../lib/registry/registry.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';

// Jest fails a test during which a rejection goes unhandled; one that is lost a moment after its end must count too.
afterEach(() => new Promise((resolve) => void setImmediate(resolve)));

export const START_TIMEOUT_MS = 1000;
export const STOP_TIMEOUT_MS = 100;
export const SHUTDOWN_TIMEOUT_MS = 250;
/** Of restarts, without jitter. */
export const RESTART = { initialDelayMs: 10, maxDelayMs: 80, maxRestarts: 5, windowMs: 10_000, stableAfterMs: 500 };

/** A registry on virtual time, and all that it says. */
export class Fixture {
  readonly clock = new ManualClock(1_700_000_000_000);
  readonly events: ComponentStatusEvent[] = [];
  readonly healthEvents: HealthChangedEvent[] = [];
  /** `level: message` */
  readonly log: string[] = [];
  /** What `onError` was called with. */
  readonly failures: { readonly error: unknown; readonly info: ComponentInfo }[] = [];
  /** What the components of the fixture say. */
  readonly journal: string[] = [];
  readonly lifetime = new AbortController();
  readonly registry: Registry;
  /** Called at each status event, after it has been noted. */
  onEvent: (event: ComponentStatusEvent) => void = () => undefined;
  #tokens = 0n;

  constructor(options: RegistryOptions = {}) {
    this.registry = new Registry({
      clock: this.clock,
      random: () => 1,
      startTimeoutMs: START_TIMEOUT_MS,
      stopTimeoutMs: STOP_TIMEOUT_MS,
      shutdownTimeoutMs: SHUTDOWN_TIMEOUT_MS,
      restart: RESTART,
      events: {
        publish: (name, event) => {
          if (name === 'lifecycle.health.changed') this.healthEvents.push(event as HealthChangedEvent);
          if (name !== 'lifecycle.component.status') return;
          this.events.push(event as ComponentStatusEvent);
          this.onEvent(event as ComponentStatusEvent);
        },
      },
      ...options,
    }).withLogger({
      log: (message: string) => this.log.push(`log: ${message}`),
      warn: (message: string) => this.log.push(`warn: ${message}`),
      error: (message: string) => this.log.push(`error: ${message}`),
    });
  }

  add(component: Component, options: RegisterOptions = {}): this {
    const onError: ComponentOptions['onError'] = (error, info) => void this.failures.push({ error, info });
    this.registry.register(component, { onError, ...options });
    return this;
  }

  /** Run style: says when it starts and ends, and ends when it is told to. */
  worker(name: string, options: RegisterOptions = {}): this {
    const start = async ({ signal }: StartContext) => {
      this.journal.push(`${name} starts`);
      await aborted(signal);
      this.journal.push(`${name} ends`);
    };
    return this.add({ name, start }, options);
  }

  /** Service style, with times that its start and stop take. */
  service(name: string, options: RegisterOptions & { startMs?: number; stopMs?: number } = {}): this {
    const { startMs = 0, stopMs = 0, ...rest } = options;
    const start = async () => {
      this.journal.push(`${name} starts`);
      await this.pause(startMs);
      this.journal.push(`${name} is up`);
    };
    const stop = async () => {
      this.journal.push(`${name} stops`);
      await this.pause(stopMs);
      this.journal.push(`${name} is down`);
    };
    return this.add({ name, start, stop }, rest);
  }

  pause(ms: number): Promise<void> {
    return ms === 0 ? Promise.resolve() : new Promise((resolve) => void this.clock.setTimer(resolve, ms));
  }

  /** Starts all, on a replica that does not lead, and lets come to rest what takes no time. */
  async start(isLeader: Parameters<Registry['startAll']>[1] = false): Promise<Watched<ComponentRun>> {
    const starter = watch(this.registry.startAll(this.lifetime.signal, isLeader));
    await this.clock.settle();
    return starter;
  }

  async stop(options?: { timeoutMs: number }): Promise<Watched<void>> {
    const stopping = watch(this.registry.stopAll(options));
    await this.clock.settle();
    return stopping;
  }

  term(election = 'default'): ElectionTerm {
    return new ElectionTerm({ election, identity: 'me', fencingToken: ++this.#tokens });
  }

  /** Begins a term, and lets come to rest what takes no time. */
  async elect(term: ElectionTerm = this.term()): Promise<ElectionTerm> {
    void watch(this.registry.startLeaderOnlyComponentsAsync(term, { election: term.election }));
    await this.clock.settle();
    return term;
  }

  info(name: string): ComponentInfo {
    return this.registry.status()[name]!;
  }

  status(name: string): string {
    return this.info(name).status;
  }

  /** All statuses that a component went to. */
  path(name: string): string {
    return this.events
      .filter((it) => it.name === name)
      .map((it) => it.to)
      .join(' ');
  }

  run(name: string): RunContext | undefined {
    return this.registry.snapshot().find((it) => it.info.name === name)?.run;
  }

  recordHealth(name: string, error?: unknown): void {
    const result = error === undefined ? ({ healthy: true } as const) : ({ healthy: false, error } as const);
    this.registry.recordHealth(name, this.run(name)!, result);
  }
}

/** A promise that a test looks at instead of waiting for it. */
export interface Watched<T> {
  /** `pending`, `resolved`, or the text of what it was rejected with. */
  readonly state: string;
  readonly value: T | undefined;
  readonly error: unknown;
}

export function watch<T>(promise: Promise<T>): Watched<T> {
  const watched: { state: string; value: T | undefined; error: unknown } = {
    state: 'pending',
    value: undefined,
    error: undefined,
  };
  promise.then(
    (value) => Object.assign(watched, { state: 'resolved', value }),
    (error: unknown) => Object.assign(watched, { state: errorText(error), error }),
  );
  return watched;
}

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

export function never(): Promise<never> {
  return new Promise(() => undefined);
}
