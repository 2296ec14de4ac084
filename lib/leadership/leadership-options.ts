import type { Clock } from '../core/clock.js';
import type { Elector, ElectorReport } from '../core/elector.js';
import type { PausableEventSink } from '../core/event-sink.js';
import type { TermProgress } from '../core/lifecycle-observer.js';
import type { LifecycleLogger } from '../core/logger.js';
import type { Registry } from '../registry/registry.js';

/** What leadership is made of. */
export interface LeadershipOptions {
  readonly elector: Elector;
  readonly registry: Registry;
  readonly events: PausableEventSink;
  readonly clock: Clock;
  readonly logger: LifecycleLogger;
  /** Who this replica is, for people; unique per process start. */
  readonly identity: string;
  /** Source of jitter, from 0 to 1. */
  readonly random: () => number;
  /** Time for calls of `@LeaderOnly()` methods to settle once their term has ended, in milliseconds. @default 10000 */
  readonly stopTimeoutMs?: number;
  readonly observers?: LeadershipObserver;
}

/** Who hears what is no event. Must not throw. */
export interface LeadershipObserver {
  onElectorReport(election: string, report: ElectorReport): void;
  onTermProgress(progress: TermProgress): void;
}
