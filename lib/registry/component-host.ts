import type { Clock } from '../core/clock.js';
import type { EventSink } from '../core/event-sink.js';
import type { LifecycleLogger } from '../core/logger.js';

/** A leader-only component that another replica might run better. */
export interface LeaderTrouble {
  readonly election: string;
  readonly component: string;
  readonly error: unknown;
}

/** What leadership hears from the registry. */
export interface LeadershipListener {
  /** A leader-only component is in a state that another replica may not be in. */
  onTrouble(trouble: LeaderTrouble): void;
  /** A leader-only component was registered after the start. */
  onLateComponent(election: string): void;
}

/** What a managed component needs from its registry. */
export interface ComponentHost {
  readonly clock: Clock;
  /** For limits, of which thousands begin at once. */
  readonly limits: Pick<Clock, 'setTimer'>;
  /** Never throws. */
  readonly events: EventSink;
  /** Never throws. */
  readonly logger: LifecycleLogger;
  readonly random: () => number;
  readonly unhealthyThreshold: number;
  onLeaderTrouble(trouble: LeaderTrouble): void;
}
