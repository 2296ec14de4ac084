import type { Clock } from './clock.js';
import type { ComponentInfo } from './component.js';
import type { ElectorReport, LeaderInfo } from './elector.js';
import type { LifecycleEventMap, LifecycleEventName } from './lifecycle-events.js';
import type { LifecycleLogger } from './logger.js';

/**
 * Sees everything that happens in an app and changes nothing: metrics, traces, a history. Every method is optional, called
 * synchronously at the moment it tells of, and must be quick; what it throws or rejects is logged and goes no further.
 *
 * @publicApi
 */
export interface LifecycleObserver {
  /** Called once, in the order of the option, before anything has started. `app` may be asked at any time from then on. */
  attach?(app: ObservedApp): void;
  /** Each event when it is published, also while the event bus is paused: a loss is seen the instant it is known. */
  onEvent?(event: ObservedEvent): void;
  onPhase?(phase: AppPhase): void;
  /** What an elector reports about its own work: attempts, renewals, errors, in the order in which they happen. */
  onElectorReport?(election: string, report: ElectorReport): void;
  onTermProgress?(progress: TermProgress): void;
  onHealthCheck?(check: HealthCheckReport): void;
  /** Called once, after everything has stopped. The app waits for it, for a second at most. */
  detach?(): Promise<void> | void;
  /** What the management server serves besides health, where it is on. */
  readonly pages?: readonly ObserverPage[];
}

/** An event and its payload; `name` tells which. @publicApi */
export type ObservedEvent = {
  readonly [K in LifecycleEventName]: { readonly name: K; readonly payload: LifecycleEventMap[K] };
}[LifecycleEventName];

/** The whole boot or shutdown of an app. @publicApi */
export interface AppPhase {
  readonly phase: 'boot' | 'shutdown';
  readonly state: 'begun' | 'ended';
  /** In milliseconds since the epoch. */
  readonly at: number;
  /** How long it took, in milliseconds. Only when it has ended. */
  readonly durationMs?: number;
  /** What ended it, when it failed. */
  readonly error?: unknown;
}

/** How far a term has come here, between `acquired` and `lost` and after it. @publicApi */
export interface TermProgress {
  /** `started`: its components are ready, have failed or have ended. `settled`: it is over and nothing of its work is left. */
  readonly stage: 'started' | 'settled';
  readonly election: string;
  readonly identity: string;
  readonly fencingToken: bigint;
  /** In milliseconds since the epoch. */
  readonly at: number;
  /** Since the term was acquired, in milliseconds. */
  readonly durationMs: number;
}

/** One health check that has settled or timed out. @publicApi */
export interface HealthCheckReport {
  readonly name: string;
  readonly healthy: boolean;
  /** How long it took, in milliseconds; the limit when it timed out. */
  readonly durationMs: number;
  readonly timedOut: boolean;
}

/** One election as an observer sees it now. @publicApi */
export interface ObservedElection {
  readonly election: string;
  /** Reads the deadline of the term, so it is right even after the process was paused. */
  readonly leading: boolean;
  /** Token of the term that is under way here. */
  readonly fencingToken?: bigint;
  /** Milliseconds until the term ends unless it is renewed, where the elector has a deadline. Only while leading. */
  readonly remainingMs?: number;
  /** Who leads, as far as can be seen from here. */
  readonly leader?: LeaderInfo;
  /** The election loop hangs, and how that shows. */
  readonly wedged?: string;
  /** The last error of the elector that no success has followed. */
  readonly error?: unknown;
}

/** The answer to a probe as an observer sees it. @publicApi */
export interface ObservedProbe {
  readonly ok: boolean;
  readonly reasons: readonly string[];
}

/** An app as its observers see it: what is true now. Asking runs no user code and changes nothing. @publicApi */
export interface ObservedApp {
  /** Who this replica is in the elections. */
  readonly identity: string;
  readonly clock: Clock;
  readonly logger: LifecycleLogger;
  /** In order of registration. */
  components(): readonly ComponentInfo[];
  elections(): readonly ObservedElection[];
  probes(): { readonly live: ObservedProbe; readonly ready: ObservedProbe; readonly startup: ObservedProbe };
  /** Calls of methods marked with `@LeaderOnly()`, since the start of the app. */
  leaderOnlyCalls(): readonly {
    readonly method: string;
    readonly election: string;
    readonly ran: number;
    readonly skipped: number;
  }[];
  /** Of the event bus: events held back now, events dropped ever, open subscriptions. */
  eventBus(): { readonly depth: number; readonly dropped: number; readonly subscriptions: number };
}

/** A page of an observer, such as an exposition of metrics. @publicApi */
export interface ObserverPage {
  /** Below the root of the management server, without a slash: `metrics`. */
  readonly path: string;
  render(): Promise<{ readonly contentType: string; readonly body: string }>;
}
