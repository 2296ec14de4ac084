import type { Clock } from '../core/clock.js';
import { assertRequiredTimeout } from './health-tracker-options.js';
import { HealthTracker } from './health-tracker.js';

/** Options of `createTracker()`. @publicApi */
export interface TrackerOptions {
  /** The same clock as the registry's. @default the system's monotonic clock */
  readonly clock?: Clock;
}

/** A tick may come late by half of its interval before it counts as missing; the factor of the Go package. */
const STALL_FACTOR = 1.5;

/**
 * A tracker for timer-driven components: stalled when nothing was recorded for longer than `timeoutMs`.
 *
 * @param timeoutMs in milliseconds; see `activityStallTimeoutMs()`
 * @throws InvalidOptionError
 * @publicApi
 */
export function createActivityTracker(
  componentName: string,
  timeoutMs: number,
  options: TrackerOptions = {},
): HealthTracker {
  assertRequiredTimeout('timeoutMs', timeoutMs, 'createActivityTracker()');
  return new HealthTracker(componentName, { ...options, activityTimeoutMs: timeoutMs });
}

/**
 * A tracker for event-driven components: stalled when one piece of work takes longer than `timeoutMs`. Idle is healthy.
 *
 * @param timeoutMs in milliseconds
 * @throws InvalidOptionError
 * @publicApi
 */
export function createProcessingTracker(
  componentName: string,
  timeoutMs: number,
  options: TrackerOptions = {},
): HealthTracker {
  assertRequiredTimeout('timeoutMs', timeoutMs, 'createProcessingTracker()');
  return new HealthTracker(componentName, { ...options, processingTimeoutMs: timeoutMs });
}

/**
 * The activity timeout for a component whose timer fires every `intervalMs` milliseconds: 1.5 intervals. When one tick
 * takes long by itself, add that.
 *
 * @throws InvalidOptionError
 * @publicApi
 */
export function activityStallTimeoutMs(intervalMs: number): number {
  assertRequiredTimeout('intervalMs', intervalMs, 'activityStallTimeoutMs()');
  return intervalMs * STALL_FACTOR;
}
