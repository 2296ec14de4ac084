import type { LeadershipTerm } from './elector.js';
import { hasMethod } from './property.js';
import type { Status } from './status.js';

/**
 * What a run is given when it starts. A new one for every run: state kept from an earlier context belongs to an
 * earlier term.
 *
 * @publicApi
 */
export interface StartContext {
  /**
   * Aborted when the run must end: shutdown, loss of leadership, a restart, a start that took too long. A component
   * that others depend on sees it after those have settled; `term.signal` is aborted at once for all.
   */
  readonly signal: AbortSignal;
  /** The term under which a leader-only component runs. Absent on components that run on every replica. */
  readonly term?: LeadershipTerm;
  /**
   * Reports that the component broke after its start, for service-style components, which have no promise that could
   * reject. The run is `failed` at once, its signal aborted, and `stop()` called. Only the first call of a run
   * counts; a call after the run was told to end is ignored.
   */
  readonly fail: (error: unknown) => void;
}

/**
 * The minimal interface of what a Registry manages. Two shapes, told apart by `stop`:
 *
 * - **run style** (no `stop`): `start` stays pending until `signal` aborts, or rejects. When it resolves early, the
 *   component has finished by itself.
 * - **service style** (has `stop`): `start` resolves when the component is up; it runs until `stop()` has settled, or
 *   until it calls `fail()`.
 *
 * @publicApi
 */
export interface Component {
  /** Unique within its registry. When absent: the decorator's name, else the class name. */
  readonly name?: string;
  start(context: StartContext): Promise<void> | void;
  /**
   * Ends a service-style run. Called exactly once for every `start` that was entered, also when that start failed or
   * is still pending after its signal was aborted, so it has to cope with a half-started component.
   */
  stop?(): Promise<void> | void;
}

/**
 * Optional: a component whose health is checked while it runs.
 *
 * @publicApi
 */
export interface HealthChecker {
  /**
   * Throws or rejects when the component is unhealthy. Never called twice at a time.
   *
   * @param signal aborted when the check's timeout has passed; its result is not used any more then.
   */
  healthCheck(signal?: AbortSignal): Promise<void> | void;
}

/**
 * Optional: a component that subscribes to events inside `start()` and says when it has.
 *
 * @publicApi
 */
export interface SubscriptionReadySignaler {
  /** Asked anew in each run, right after `start()` was entered. The component is ready once it resolves. */
  subscriptionReady(): Promise<void>;
}

/**
 * What the failure of a component does to health: `critical` down fails `/health` (503), `degradable` down degrades
 * it (200), `optional` down is only reported.
 *
 * @publicApi
 */
export type Criticality = 'critical' | 'degradable' | 'optional';

/** After which ends a component is started again. @publicApi */
export type RestartMode = 'never' | 'on-failure' | 'always';

/**
 * Numbers of the restart policy.
 *
 * @publicApi
 */
export interface RestartOptions {
  /** Delay before the first restart, in milliseconds; doubles with each further one. @default 1000 */
  readonly initialDelayMs: number;
  /** Upper bound of the delay, in milliseconds. @default 60000 */
  readonly maxDelayMs: number;
  /** Restarts allowed within `windowMs`; one more failure is final. @default 5 */
  readonly maxRestarts: number;
  /** Length of the sliding window in which restarts are counted, in milliseconds. @default 600000 */
  readonly windowMs: number;
  /** A run that was ready for this long, in milliseconds, clears the count and the delay. @default 60000 */
  readonly stableAfterMs: number;
}

/** What happens after `unhealthyThreshold` failed checks in a row. @publicApi */
export type UnhealthyAction = 'report' | 'restart' | 'step-down';

/** A class whose instances are components. @publicApi */
export type ComponentClass = abstract new (...args: never[]) => object;

/** A component named by its registered name or by its class. @publicApi */
export type ComponentRef = string | ComponentClass;

/**
 * How a component is managed: the options of `registry.register()` and of `@LifecycleComponent()`.
 *
 * @publicApi
 */
export interface ComponentOptions {
  /** Name, unless the component has a `name` of its own. @default the class name */
  readonly name?: string;
  /** Run on exactly one replica, the leader of `election`. @default false */
  readonly leaderOnly?: boolean;
  /** The election whose leader runs the component. Only with `leaderOnly`. @default 'default' */
  readonly election?: string;
  /**
   * Components that must be ready before this one starts, and that stop after it. Names or classes. A class stands for
   * every registered component that is an instance of it.
   *
   * @default []
   */
  readonly dependsOn?: readonly ComponentRef[];
  /** @default 'critical' */
  readonly criticality?: Criticality;
  /** The component may finish by itself: no warning, and readiness counts it as done. @default false */
  readonly completes?: boolean;
  /** When to start it again, or that with numbers that differ from the module's. @default 'never' */
  readonly restart?: RestartMode | ({ readonly mode: RestartMode } & Partial<RestartOptions>);
  /** Time to become ready, in milliseconds. @default the registry's (30000) */
  readonly startTimeoutMs?: number;
  /** Time to settle once told to end, in milliseconds. @default the registry's (10000) */
  readonly stopTimeoutMs?: number;
  /** @default 'report' */
  readonly onUnhealthy?: UnhealthyAction;
  /**
   * Observes each failure of the component. Decides nothing; what it throws is logged.
   *
   * @param info the component's state right after the failure
   */
  readonly onError?: (error: unknown, info: ComponentInfo) => void;
}

/**
 * What `registry.status()` tells about a component. Fields without a value are left out.
 *
 * @publicApi
 */
export interface ComponentInfo {
  readonly name: string;
  readonly status: Status;
  /** Only present when true. */
  readonly leaderOnly?: true;
  /** The election of a leader-only component. */
  readonly election?: string;
  /** Why it failed, why its stop overran, or which dependency keeps it from starting. */
  readonly error?: string;
  /** Result of the last health check of this run; left out while there is none. */
  readonly healthy?: boolean;
  /** When it entered its status, in milliseconds since the epoch. */
  readonly since: number;
  /** Restarts by the restart policy, by `onUnhealthy` or by `registry.restart()`, since the component was registered. */
  readonly restarts: number;
  readonly criticality: Criticality;
}

/**
 * What a starter started.
 *
 * @publicApi
 */
export interface ComponentRun {
  /**
   * Resolves when every component that was started has settled. Rejects with a `ComponentFailedError`, which names the
   * component, as soon as one has failed for good, also while it was stopped. May be ignored: it never becomes an
   * unhandled rejection.
   */
  readonly done: Promise<void>;
}

export function isServiceStyle(component: Component): component is Component & { stop(): Promise<void> | void } {
  return hasMethod(component, 'stop');
}

export function isHealthChecker(component: object): component is HealthChecker {
  return hasMethod(component, 'healthCheck');
}

export function isSubscriptionReadySignaler(component: object): component is SubscriptionReadySignaler {
  return hasMethod(component, 'subscriptionReady');
}
