import type { LifecycleEventMap, LifecycleEventName } from './lifecycle-events.js';

/**
 * Where the stages report what happened. Publishing is synchronous and never throws: what a listener does wrong
 * changes nothing in start, stop or leadership.
 *
 * @publicApi
 */
export interface EventSink {
  publish<K extends LifecycleEventName>(name: K, payload: LifecycleEventMap[K]): void;
}

/**
 * An event sink that can hold events back while their future readers are still starting.
 *
 * @publicApi
 */
export interface PausableEventSink extends EventSink {
  /** Buffers what is published until the matching `start()`. Nests: as many starts as pauses. */
  pause(): void;
  /** Replays what was buffered, in order, then goes live. */
  start(): void;
}

/** Hears and says nothing: for a Registry in a plain script. */
export const silentSink: PausableEventSink = {
  publish: () => undefined,
  pause: () => undefined,
  start: () => undefined,
};
