import { LifecycleEvent } from '../core/lifecycle-events.js';
import { Fifo } from './fifo.js';
import { isTermEvent, type PublishedEvent, type TermEvent } from './published-event.js';

interface Held<E extends PublishedEvent = PublishedEvent> {
  readonly event: E;
  readonly sequence: number;
}

/**
 * Events that were published and not delivered yet, in order. Bounded: when full, the oldest one goes.
 *
 * Acquired and lost are kept apart, out of reach of that bound: dropping a lost whose acquired was delivered would
 * leave readers leading for ever. They cannot pile up either, since a term that begins and ends while it is held
 * leaves nothing behind: at most a lost and an acquired per election.
 */
export class HeldEvents {
  #terms: Held<TermEvent>[] = [];
  readonly #others = new Fifo<Held>();
  #sequence = 0;

  constructor(readonly capacity: number) {}

  get length(): number {
    return this.#terms.length + this.#others.length;
  }

  /** @returns the event that had to go to make room */
  add(event: PublishedEvent): PublishedEvent | undefined {
    const sequence = this.#sequence++;
    if (isTermEvent(event)) {
      if (!this.#cancelledBy(event)) this.#terms.push({ event, sequence });
      return undefined;
    }
    this.#others.push({ event, sequence });
    return this.#others.length > this.capacity ? this.#others.shift()?.event : undefined;
  }

  /** Takes the oldest one out. */
  take(): PublishedEvent | undefined {
    const term = this.#terms[0];
    const other = this.#others.peek();
    if (term === undefined || (other !== undefined && other.sequence < term.sequence)) {
      return this.#others.shift()?.event;
    }
    this.#terms.shift();
    return term.event;
  }

  /** Nobody has heard of a term whose acquired is still here; to announce it now would only be wrong. */
  #cancelledBy({ name, payload }: TermEvent): boolean {
    if (name !== LifecycleEvent.LeadershipLost) return false;
    const before = this.#terms.length;
    this.#terms = this.#terms.filter(
      ({ event }) =>
        event.name !== LifecycleEvent.LeadershipAcquired ||
        event.payload.election !== payload.election ||
        event.payload.fencingToken !== payload.fencingToken,
    );
    return this.#terms.length < before;
  }
}
