import type { Clock } from '../../../lib/core/clock.js';
import {
  LifecycleEvent,
  type ComponentStatusEvent,
  type LeadershipAcquiredEvent,
  type LeadershipLostEvent,
  type LeadershipObservedEvent,
} from '../../../lib/core/lifecycle-events.js';
import type { LifecycleLogger } from '../../../lib/core/logger.js';
import type { EventBus } from '../../../lib/events/event-bus.js';

export const { ComponentStatus, LeadershipAcquired, LeadershipLost, LeadershipObserved, HealthChanged } =
  LifecycleEvent;

export const acquired = (fencingToken: bigint, election = 'default'): LeadershipAcquiredEvent => ({
  election,
  identity: 'me',
  fencingToken,
  at: 1,
});

export const lost = (fencingToken: bigint, election = 'default'): LeadershipLostEvent => ({
  ...acquired(fencingToken, election),
  durationMs: 1,
  reason: new Error('over'),
  voluntary: false,
});

export const observed = (identity: string, election = 'default'): LeadershipObservedEvent => ({
  election,
  leader: { identity, since: 1 },
  at: 1,
});

export const status = (name: string): ComponentStatusEvent => ({
  name,
  from: 'starting',
  to: 'running',
  at: 1,
  durationMs: 1,
  leaderOnly: false,
  criticality: 'critical',
  restarts: 0,
});

/** Records what every plain listener of the bus sees, as short text. */
export function recordAll(bus: EventBus): string[] {
  const seen: string[] = [];
  bus.emitter.onAny((name, payload: { name?: string; fencingToken?: bigint; election?: string }) => {
    const event = String(name).split('.').at(-1);
    seen.push(`${event} ${payload.name ?? `${payload.election}#${payload.fencingToken}`}`);
  });
  return seen;
}

/** Takes what is in the buffer, without waiting for more. */
export async function unread<T>(subscription: AsyncIterator<T, void> & { readonly depth: number }): Promise<T[]> {
  const values: T[] = [];
  while (subscription.depth > 0) {
    const result = await subscription.next();
    if (!result.done) values.push(result.value);
  }
  return values;
}

export class LogRecorder implements LifecycleLogger {
  readonly warnings: string[] = [];
  readonly errors: { readonly message: string; readonly stack: string | undefined }[] = [];

  log(): void {
    throw new Error('an event bus has nothing to say when all is well');
  }

  warn(message: string): void {
    this.warnings.push(message);
  }

  error(message: string, stack?: string): void {
    this.errors.push({ message, stack });
  }
}

/** Fires its timers when it is told to. */
export class TimerStub implements Clock {
  readonly pending = new Set<() => void>();

  now = (): number => 0;
  wallNow = (): number => 0;

  setTimer(callback: () => void): () => void {
    this.pending.add(callback);
    return () => this.pending.delete(callback);
  }

  fire(): void {
    for (const callback of [...this.pending]) {
      this.pending.delete(callback);
      callback();
    }
  }
}
