/** One piece of work under way. */
export interface InFlight {
  readonly startedAt: number;
  /** Cleared when it has ended: what makes ending idempotent. */
  list: InFlightList | undefined;
  previous: InFlight | undefined;
  next: InFlight | undefined;
}

/**
 * Work under way, oldest first. A linked list, since starting and ending sit in the hot path of event handlers: both
 * take constant time, whatever the order in which overlapping work ends.
 */
export class InFlightList {
  #oldest: InFlight | undefined;
  #newest: InFlight | undefined;

  get oldest(): InFlight | undefined {
    return this.#oldest;
  }

  add(startedAt: number): InFlight {
    const newest = this.#newest;
    const added: InFlight = { startedAt, list: this, previous: newest, next: undefined };
    if (newest === undefined) this.#oldest = added;
    else newest.next = added;
    this.#newest = added;
    return added;
  }

  /** Does nothing for what has ended already, or belongs to another list. */
  remove(entry: InFlight): void {
    if (entry.list !== this) return;
    const { previous, next } = entry;
    if (previous === undefined) this.#oldest = next;
    else previous.next = next;
    if (next === undefined) this.#newest = previous;
    else next.previous = previous;
    // A handle that somebody keeps must not keep its neighbours.
    entry.list = entry.previous = entry.next = undefined;
  }

  /** Removes what started before `time`. */
  removeBefore(time: number): void {
    while (this.#oldest !== undefined && this.#oldest.startedAt < time) this.remove(this.#oldest);
  }
}
