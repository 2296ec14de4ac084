import type { PausableEventSink } from './event-sink.js';
import type { LifecycleEventMap, LifecycleEventName } from './lifecycle-events.js';

/** Hears every event at the moment it is published, also while the bus is paused. Must not throw. */
export type EventTap = <K extends LifecycleEventName>(name: K, payload: LifecycleEventMap[K]) => void;

/** Hands each event to the taps of the library itself, in the order in which they came, then to the target. */
export class EventFanout implements PausableEventSink {
  readonly #taps: EventTap[] = [];

  constructor(private readonly target: PausableEventSink) {}

  tap(listener: EventTap): void {
    this.#taps.push(listener);
  }

  publish<K extends LifecycleEventName>(name: K, payload: LifecycleEventMap[K]): void {
    for (const listener of this.#taps) listener(name, payload);
    this.target.publish(name, payload);
  }

  pause(): void {
    this.target.pause();
  }

  start(): void {
    this.target.start();
  }
}
