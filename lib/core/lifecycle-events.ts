import type { Criticality } from './component.js';
import type { LeaderInfo } from './elector.js';
import type { Status } from './status.js';

/** Names of the events that the library publishes. @publicApi */
export const LifecycleEvent = {
  ComponentStatus: 'lifecycle.component.status',
  LeadershipAcquired: 'lifecycle.leadership.acquired',
  LeadershipLost: 'lifecycle.leadership.lost',
  LeadershipObserved: 'lifecycle.leadership.observed',
  HealthChanged: 'lifecycle.health.changed',
} as const;

/** A component went from one status to another. @publicApi */
export interface ComponentStatusEvent {
  readonly name: string;
  readonly from: Status;
  readonly to: Status;
  /** When, in milliseconds since the epoch. */
  readonly at: number;
  /** How long it had been in `from`, in milliseconds. */
  readonly durationMs: number;
  readonly leaderOnly: boolean;
  /** Only for leader-only components. */
  readonly election?: string;
  readonly criticality: Criticality;
  readonly restarts: number;
  /** Why, when `to` is `failed`: what was thrown, as it was thrown. */
  readonly error?: unknown;
  /** When `to` is `failed`: milliseconds until the restart policy starts it again. Absent when it failed for good. */
  readonly restartInMs?: number;
}

/** This replica leads. `isLeader()` is true while the event is handled, unless the term has already ended. @publicApi */
export interface LeadershipAcquiredEvent {
  readonly election: string;
  readonly identity: string;
  readonly fencingToken: bigint;
  /** In milliseconds since the epoch. */
  readonly at: number;
}

/** This replica does not lead any more. `isLeader()` is already false; the work of the term may still settle. @publicApi */
export interface LeadershipLostEvent {
  readonly election: string;
  readonly identity: string;
  readonly fencingToken: bigint;
  /** In milliseconds since the epoch. */
  readonly at: number;
  /** How long the term was, in milliseconds. */
  readonly durationMs: number;
  /** Why the term ended. */
  readonly reason: unknown;
  /** True when this replica gave the leadership up by itself: shutdown or `stepDown()`. */
  readonly voluntary: boolean;
}

/** The leader as seen from here changed; `leader` is absent while nobody leads. @publicApi */
export interface LeadershipObservedEvent {
  readonly election: string;
  readonly leader?: LeaderInfo;
  /** In milliseconds since the epoch. */
  readonly at: number;
}

/** The verdict of a component's health check changed. @publicApi */
export interface HealthChangedEvent {
  readonly name: string;
  readonly healthy: boolean;
  /** What the check threw, when unhealthy. */
  readonly error?: unknown;
  /** In milliseconds since the epoch. */
  readonly at: number;
}

/** Payload types by event name. @publicApi */
export interface LifecycleEventMap {
  'lifecycle.component.status': ComponentStatusEvent;
  'lifecycle.leadership.acquired': LeadershipAcquiredEvent;
  'lifecycle.leadership.lost': LeadershipLostEvent;
  'lifecycle.leadership.observed': LeadershipObservedEvent;
  'lifecycle.health.changed': HealthChangedEvent;
}

/** The names of all events. @publicApi */
export type LifecycleEventName = keyof LifecycleEventMap;
