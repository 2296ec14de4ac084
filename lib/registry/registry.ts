import { systemClock } from '../core/clock.js';
import type { Component, ComponentInfo, ComponentRun } from '../core/component.js';
import { DEFAULT_ELECTION, type LeadershipTerm } from '../core/elector.js';
import { DuplicateComponentError, NotRestartableError, UnknownComponentError } from '../core/errors.js';
import type { EventSink } from '../core/event-sink.js';
import { guarded, silentLogger, type LifecycleLogger } from '../core/logger.js';
import { LoggingSink } from '../core/logging-sink.js';
import {
  resolveRegistryOptions,
  type RegistryOptions,
  type ResolvedRegistryOptions,
} from '../core/registry-options.js';
import { PooledTimers } from '../core/pooled-timers.js';
import type { RunContext } from '../core/run-context.js';
import { defineComponent, type ComponentDefinition, type RegisterOptions } from './component-definition.js';
import type { ComponentHost, LeadershipListener } from './component-host.js';
import { linkComponents } from './component-links.js';
import { runOf, whenStarted } from './component-run.js';
import type { ComponentSnapshot } from './component-snapshot.js';
import type { HealthResult } from './component-state.js';
import { ManagedComponent } from './managed-component.js';
import { Scopes, type IsLeader } from './scopes.js';
import type { StartRequest } from './start-request.js';
import { stopInOrder } from './stop-order.js';

/**
 * Registers components, starts and stops them in the order of their dependencies, and tells what state each is in.
 * Needs nothing of Nest.
 *
 * @publicApi
 */
export class Registry {
  readonly #definitions = new Map<string, ComponentDefinition>();
  readonly #components = new Map<string, ManagedComponent>();
  /** Each after everything it depends on. */
  #order: readonly ManagedComponent[] = [];
  #linked = true;
  readonly #scopes = new Scopes();
  /** Since `stopAll()` nothing has been started. */
  #stopped = false;
  #leadership: LeadershipListener | undefined;
  readonly #options: ResolvedRegistryOptions;
  readonly #host: ComponentHost;
  #logger = guarded(silentLogger);
  #events: EventSink;

  /** @throws InvalidOptionError */
  constructor(options: RegistryOptions = {}) {
    this.#options = resolveRegistryOptions(options);
    this.#events = new LoggingSink(this.#options.events, silentLogger);
    const clock = options.clock ?? systemClock;
    this.#host = {
      clock,
      limits: new PooledTimers(clock),
      random: options.random ?? Math.random,
      unhealthyThreshold: this.#options.unhealthyThreshold,
      logger: {
        log: (message) => this.#logger.log(message),
        warn: (message) => this.#logger.warn(message),
        error: (message, stack) => this.#logger.error(message, stack),
      },
      events: { publish: (name, payload) => this.#events.publish(name, payload) },
      onLeaderTrouble: (trouble) => this.#leadership?.onTrouble(trouble),
    };
  }

  /** Logs every transition, and what needs a person's eye. @returns this registry */
  withLogger(logger: LifecycleLogger): this {
    this.#logger = guarded(logger);
    this.#events = new LoggingSink(this.#options.events, logger);
    return this;
  }

  /**
   * Adds a component. After `startAll()`, one that runs on every replica starts at once; a leader-only one starts if
   * this replica leads its election, else it stands by.
   *
   * @throws InvalidComponentError, InvalidOptionError, DuplicateComponentError; once started also
   *   UnknownDependencyError and InvalidDependencyError. A component that was refused is not registered.
   */
  register(component: Component, options: RegisterOptions = {}): void {
    const definition = defineComponent(component, options, this.#options);
    const first = this.#definitions.get(definition.name);
    if (first !== undefined) throw new DuplicateComponentError(definition.name, first.origin, definition.origin);
    this.#definitions.set(definition.name, definition);
    this.#linked = false;
    if (definition.enabled) this.#components.set(definition.name, new ManagedComponent(definition, this.#host));
    if (this.#scopes.any) this.#joinLate(definition);
  }

  /** How many components are registered; disabled ones do not count. */
  count(): number {
    return this.#components.size;
  }

  /** A consistent picture of all components, by name. Runs no user code; the object has no prototype. */
  status(): Record<string, ComponentInfo> {
    const status = Object.create(null) as Record<string, ComponentInfo>;
    for (const [name, component] of this.#components) status[name] = component.snapshot.info;
    return status;
  }

  /** The first component that has failed for good and of which `isMeant` holds. @internal */
  brokenComponent(isMeant: (info: ComponentInfo) => boolean): ComponentSnapshot | undefined {
    for (const component of this.#components.values()) {
      if (component.failedForGood && isMeant(component.snapshot.info)) return component.snapshot;
    }
    return undefined;
  }

  /** What health needs of each component, in order of registration. @internal */
  snapshot(): readonly ComponentSnapshot[] {
    const snapshots: ComponentSnapshot[] = [];
    // Read at each probe; half the time of Array.from().
    for (const component of this.#components.values()) snapshots.push(component.snapshot);
    return snapshots;
  }

  /**
   * Starts what is not running: every all-replica component, and the leader-only ones of elections that this replica
   * leads; the others stand by. Independent ones start at once, dependents once their dependencies are ready. A leader
   * that runs is never demoted by it. When `signal` aborts, all components are stopped, as by `stopAll()`.
   *
   * @returns once each component that it started is ready, has failed or has ended, and dependents of failed ones wait
   * @throws UnknownDependencyError, DependencyCycleError, InvalidDependencyError; never because a component failed
   */
  async startAll(signal: AbortSignal, isLeader: IsLeader): Promise<ComponentRun> {
    this.#link();
    if (signal.aborted) return runOf([]);
    // Asked before anything is started: a function may throw.
    const leading = new Set(this.elections().filter((it) => this.#scopes.leads(it, isLeader)));
    // What was asked may have ended it.
    if (signal.aborted) return runOf([]);
    const runsHere = ({ definition: it }: ManagedComponent) => it.election === undefined || leading.has(it.election);
    const lifetime = this.#scopes.beginLifetime(signal, isLeader, () => void this.stopAll().catch(() => undefined));
    const requests = this.#begin(this.#order.filter(runsHere));
    for (const component of this.#order) {
      // A listener of the event before may have stopped all.
      if (this.#scopes.lifetime === lifetime && !runsHere(component)) component.standBy();
    }
    return whenStarted(requests);
  }

  /**
   * Starts the leader-only components of one election for one term. When the signal (of the term) aborts, they are
   * stopped, as by `stopLeaderOnlyComponents()`. Components that run under an earlier term are stopped first.
   *
   * @returns once each is ready, has failed or has ended; nothing started when the signal is aborted already
   * @throws UnknownDependencyError, DependencyCycleError, InvalidDependencyError; never because a component failed
   */
  async startLeaderOnlyComponentsAsync(
    during: AbortSignal | LeadershipTerm,
    options: { readonly election?: string } = {},
  ): Promise<ComponentRun> {
    this.#link();
    const term = 'signal' in during ? during : undefined;
    const signal = 'signal' in during ? during.signal : during;
    const election = options.election ?? term?.election ?? DEFAULT_ELECTION;
    if (signal.aborted) return runOf([]);
    if (this.#scopes.hasOtherTerm(election, signal)) {
      void this.stopLeaderOnlyComponents(election).catch(() => undefined);
      // A listener of what was just stopped may have ended the new term as well, or begun a newer one.
      if (signal.aborted || this.#scopes.hasOtherTerm(election, signal)) return runOf([]);
    }
    const onEnd = () => void this.stopLeaderOnlyComponents(election).catch(() => undefined);
    this.#scopes.beginTerm(election, signal, term, onEnd);
    return whenStarted(this.#begin(this.#order.filter(({ definition: it }) => it.election === election)));
  }

  /**
   * Stops the leader-only components of an election, or of all: dependents before their dependencies. They stand by
   * afterwards. Idempotent; calls that overlap wait for the same stop.
   *
   * @param options.timeoutMs total budget in milliseconds. @default the registry's shutdownTimeoutMs (25000)
   * @throws StopFailedError when some did not stop cleanly or in time, after all had their turn
   */
  async stopLeaderOnlyComponents(election?: string, options: { readonly timeoutMs?: number } = {}): Promise<void> {
    this.#scopes.leave(election);
    const concerned = this.#order.filter(
      ({ definition: it }) => it.election !== undefined && (election === undefined || it.election === election),
    );
    const rest = this.#stopped ? 'stopped' : 'standby';
    const why = 'this replica does not lead any more';
    const budgetMs = options.timeoutMs ?? this.#options.shutdownTimeoutMs;
    await stopInOrder(concerned, { rest, why, budgetMs }, this.#host.clock);
  }

  /**
   * Stops all components: dependents before their dependencies, independent ones at once, each within its
   * `stopTimeoutMs`, all within `timeoutMs`. Idempotent; calls that overlap wait for the same stop.
   *
   * @param options.timeoutMs total budget in milliseconds. @default the registry's shutdownTimeoutMs (25000)
   * @throws StopFailedError when some did not stop cleanly or in time, after all had their turn
   */
  async stopAll(options: { readonly timeoutMs?: number } = {}): Promise<void> {
    this.#scopes.endAll();
    this.#stopped = true;
    // Not linked yet means not started either, but what is registered comes to rest all the same.
    const all = this.#linked ? this.#order : [...new Set([...this.#order, ...this.#components.values()])];
    const budgetMs = options.timeoutMs ?? this.#options.shutdownTimeoutMs;
    await stopInOrder(all, { rest: 'stopped', why: 'the application stops', budgetMs }, this.#host.clock);
  }

  /**
   * Ends the run of a component and begins another one, or starts a failed one at once, also where its restart policy would not; its
   * count of restarts for that policy begins anew. Returns at once: status and events tell how it goes. What depends on it is left
   * alone. Nothing more happens when the component is starting, or being restarted, already.
   *
   * @throws UnknownComponentError; NotRestartableError when the component neither runs nor has failed, is being stopped, or is
   *   leader-only while this replica does not lead
   */
  restart(name: string): void {
    const component = this.#components.get(name);
    if (component === undefined) throw new UnknownComponentError(name, [...this.#components.keys()]);
    const { election } = component.definition;
    const why = this.#runsHere(election)
      ? component.restart(this.#scopes.termOf(election))
      : this.#whyNotHere(election);
    if (why !== undefined) throw new NotRestartableError(name, why);
  }

  /** Resolves when nothing of any run is left, however long that takes: of one election, or of all components. @internal */
  async whenSettled(election?: string): Promise<void> {
    const concerned = this.#order.filter(({ definition: it }) => election === undefined || it.election === election);
    await Promise.all(concerned.map((it) => it.idle));
  }

  /**
   * Takes down what a health check of one run observed. Ignored when that run is not under way any more. Counts
   * failures in a row, and does what `onUnhealthy` says.
   *
   * @internal
   */
  recordHealth(name: string, run: RunContext, result: HealthResult): void {
    this.#components.get(name)?.recordHealth(run, result);
  }

  /** Elections that leader-only components name. @internal */
  elections(): string[] {
    const named = new Set<string>();
    for (const { definition } of this.#components.values()) {
      if (definition.election !== undefined) named.add(definition.election);
    }
    return [...named];
  }

  /** What leadership needs to hear. The last listener set is the one that is called. @internal */
  setLeadershipListener(listener: LeadershipListener): void {
    this.#leadership = listener;
  }

  #begin(components: readonly ManagedComponent[]): StartRequest[] {
    this.#stopped = false;
    const requests: StartRequest[] = [];
    for (const it of components) {
      const request = it.begin(this.#scopes.termOf(it.definition.election));
      if (request !== undefined) requests.push(request);
    }
    return requests;
  }

  #link(): void {
    if (this.#linked) return;
    this.#order = linkComponents([...this.#definitions.values()], this.#components);
    this.#linked = true;
  }

  #runsHere(election: string | undefined): boolean {
    return election === undefined ? this.#scopes.lifetime !== undefined : this.#scopes.leads(election);
  }

  #whyNotHere(election: string | undefined): string {
    if (this.#stopped) return 'the application stops';
    if (election === undefined) return 'nothing was started yet';
    return `it is leader-only, and this replica does not lead the election "${election}"`;
  }

  #joinLate({ name, election }: ComponentDefinition): void {
    let runsHere: boolean;
    try {
      this.#link();
      runsHere = this.#runsHere(election);
    } catch (error) {
      this.#definitions.delete(name);
      this.#components.delete(name);
      this.#linked = false;
      this.#link();
      throw error;
    }
    const component = this.#components.get(name);
    if (component === undefined) return;
    if (runsHere) component.begin(this.#scopes.termOf(election));
    else if (election !== undefined) component.standBy();
    if (election !== undefined) this.#leadership?.onLateComponent(election);
  }
}
