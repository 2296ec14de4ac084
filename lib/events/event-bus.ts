import { EventEmitter2 } from '@nestjs/event-emitter';
import type { PausableEventSink } from '../core/event-sink.js';
import type { LifecycleEventMap, LifecycleEventName } from '../core/lifecycle-events.js';
import { guarded, type GuardedLogger } from '../core/logger.js';
import { assertCount } from '../core/option-checks.js';
import { CurrentLeadership } from './current-leadership.js';
import { DropReporter } from './drop-reporter.js';
import { EmitterOutlet } from './emitter-outlet.js';
import { resolveEventBusOptions, type EventBusOptions } from './event-bus-options.js';
import type { EventSubscription, SubscribeOptions } from './event-subscription.js';
import { HeldEvents } from './held-events.js';
import { isLeadershipName, isTermEvent, type LeadershipEventName, type PublishedEvent } from './published-event.js';
import { Subscriptions } from './subscriptions.js';

/**
 * What listeners may publish before the publish or start that called them has returned. Where they do so in a circle, an
 * event emitter overflows its stack; a queue would go round for ever, and block the process that has a lease to renew.
 */
const MAX_CASCADE = 100_000;

/**
 * Publishes what happens to components, leadership and health; apps may publish events of their own through it.
 *
 * All readers see all events in the order in which they were published, also those that a listener publishes: such an
 * event is delivered after the one that is being handled has reached every reader, and after all that is held back.
 * Each event is put into the buffers of the subscriptions first, then given to the listeners of the emitter, which run
 * before `publish()` returns. A reader that throws, rejects or falls behind changes nothing for publisher and others.
 *
 * @publicApi
 */
export class EventBus implements PausableEventSink {
  readonly #logger: GuardedLogger;
  readonly #bufferSize: number;
  readonly #drops: DropReporter;
  readonly #held: HeldEvents;
  readonly #subscriptions = new Subscriptions();
  readonly #leadership = new CurrentLeadership();
  #outlets: readonly EmitterOutlet[] = [];
  #pauses = 0;
  #delivering = false;
  #cascade = 0;
  #closed = false;

  /** @throws InvalidOptionError when a buffer size is not a whole number of at least 1 */
  constructor(options: EventBusOptions = {}) {
    const { logger, clock, bufferSize, pauseBufferSize, emitter } = resolveEventBusOptions(options);
    this.#bufferSize = bufferSize;
    this.#held = new HeldEvents(pauseBufferSize);
    this.#logger = guarded(logger);
    this.#drops = new DropReporter(this.#logger, clock);
    if (emitter !== undefined) this.attach(emitter);
  }

  /**
   * The emitter whose listeners are served: the one that was attached last, else one of the bus's own, with wildcards
   * (`lifecycle.**`). Listen there; what is emitted there does not reach subscriptions.
   */
  get emitter(): EventEmitter2 {
    const attached = this.#outlets.at(-1);
    if (attached !== undefined) return attached.emitter;
    const own = new EventEmitter2({ wildcard: true });
    this.attach(own);
    return own;
  }

  /** Events that are held back by a pause. */
  get depth(): number {
    return this.#held.length;
  }

  /** Events dropped, ever: each counts once per full subscription, once in a pause, once when published in a circle. */
  get dropped(): number {
    return this.#drops.total;
  }

  /** Subscriptions that have not ended. */
  get subscriptions(): number {
    return this.#subscriptions.count;
  }

  /** Serves the listeners of `emitter` too, from the next event on. Idempotent; adds nothing to the emitter. */
  attach(emitter: EventEmitter2): void {
    if (this.#outlets.some((outlet) => outlet.emitter === emitter)) return;
    this.#outlets = [...this.#outlets, new EmitterOutlet(emitter, this.#logger)];
  }

  /** Synchronous; never throws. After `close()` it does nothing. */
  publish<K extends LifecycleEventName>(name: K, payload: LifecycleEventMap[K]): void;
  publish<N extends string>(name: N extends LifecycleEventName ? never : N, payload?: unknown): void;
  publish(name: string, payload?: unknown): void {
    if (this.#closed) return;
    const isFree = this.#pauses === 0 && !this.#delivering;
    // Thousands come in one burst at boot, and mostly nobody reads them.
    if (isFree && !this.#isRead(name)) return;
    const event = { name, payload };
    if (isFree) this.#deliverFrom(event);
    else this.#hold(event);
  }

  /**
   * Reads one event. Live on return: what is published from now on is seen, however late the loop begins.
   *
   * @param buffer unread events to keep; when more come, the oldest goes, is counted and logged. Replay and boot come as
   *   one burst, so it should hold the largest. @default the bus's `bufferSize`
   * @throws InvalidOptionError when `buffer` is not a whole number of at least 1
   */
  subscribe<K extends LifecycleEventName>(
    name: K,
    buffer?: number,
    options?: SubscribeOptions,
  ): EventSubscription<LifecycleEventMap[K]>;
  subscribe<T = unknown>(name: string, buffer?: number, options?: SubscribeOptions): EventSubscription<T>;
  subscribe(name: string, buffer = this.#bufferSize, options: SubscribeOptions = {}): EventSubscription<unknown> {
    assertCount('buffer', buffer, 1, `subscribe("${name}")`);
    const subscription = this.#subscriptions.open(name, buffer, () =>
      this.#drops.record(`"${name}" unread in a full subscription (read faster, or raise its buffer of ${buffer})`),
    );
    if (this.#closed) {
      subscription.end();
      return subscription;
    }
    if (options.signal !== undefined) subscription.endOn(options.signal);
    if (options.current) for (const payload of this.#leadership.payloads(name)) subscription.push(payload);
    return subscription;
  }

  /**
   * The current leadership as it was told to readers, for listeners that come late: the elections that this replica
   * leads (`acquired`), has led last (`lost`), and who leads as seen from here (`observed`), one event per election. What a
   * pause holds back is not in it yet; ask `Leadership` before a side effect.
   */
  current<K extends LeadershipEventName>(name: K): readonly LifecycleEventMap[K][] {
    return this.#leadership.payloads(name);
  }

  /**
   * Holds back what is published until the matching `start()`. Nests. In the middle of a replay it stops the replay;
   * what is left stays held. A term that ends while its acquired is held is never announced: both events are dropped.
   */
  pause(): void {
    if (!this.#closed) this.#pauses++;
  }

  /** Ends one pause; the outermost replays what was held, in order, before it returns. Without a pause it does nothing. */
  start(): void {
    if (this.#pauses === 0) return;
    this.#pauses--;
    if (this.#pauses === 0 && !this.#delivering) this.#deliverFrom(this.#held.take());
  }

  /**
   * Delivers what is held back, then ends all subscriptions; what they have not read yet can still be read. For good:
   * later calls of any method do nothing. Idempotent.
   */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#pauses = 0;
    if (!this.#delivering) this.#deliverFrom(this.#held.take());
  }

  /** Whether anybody reads events of that name now, or would want to know later. */
  #isRead(name: string): boolean {
    return this.#subscriptions.has(name) || isLeadershipName(name) || this.#outlets.some((it) => it.mayBeHeard(name));
  }

  #hold(event: PublishedEvent): void {
    if (this.#delivering && ++this.#cascade > MAX_CASCADE && !isTermEvent(event)) {
      this.#drops.record(`"${event.name}" published by listeners in a circle (publish later, or not for each event)`);
      return;
    }
    const dropped = this.#held.add(event);
    if (dropped === undefined) return;
    // It is older than all that is still held, so it is the current state until those are delivered.
    this.#leadership.note(dropped);
    this.#drops.record(`"${dropped.name}" held back by a pause (raise pauseBufferSize, ${this.#held.capacity})`);
  }

  #deliverFrom(first: PublishedEvent | undefined): void {
    this.#delivering = true;
    this.#cascade = 0;
    try {
      let event = first;
      while (event !== undefined) {
        this.#deliver(event);
        event = this.#pauses === 0 ? this.#held.take() : undefined;
      }
    } finally {
      this.#delivering = false;
    }
    if (!this.#closed) return;
    this.#subscriptions.endAll();
    this.#drops.close();
  }

  #deliver(event: PublishedEvent): void {
    this.#leadership.note(event);
    this.#subscriptions.push(event.name, event.payload);
    for (const outlet of this.#outlets) outlet.emit(event.name, event.payload);
  }
}
