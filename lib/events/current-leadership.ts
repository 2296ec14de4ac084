import { LifecycleEvent, type LifecycleEventMap } from '../core/lifecycle-events.js';
import { isLeadershipEvent, type LeadershipEventName, type PublishedEvent } from './published-event.js';

/** The last state of each election that was told to readers, for those who come later. */
export class CurrentLeadership {
  readonly #byName = new Map<string, Map<string, unknown>>();

  note(event: PublishedEvent): void {
    if (!isLeadershipEvent(event)) return;
    const { election } = event.payload;
    // One of the two describes an election at a time: this replica leads it, or has lost it.
    if (event.name === LifecycleEvent.LeadershipAcquired) this.#of(LifecycleEvent.LeadershipLost).delete(election);
    if (event.name === LifecycleEvent.LeadershipLost) this.#of(LifecycleEvent.LeadershipAcquired).delete(election);
    this.#of(event.name).set(election, event.payload);
  }

  /** One payload per election that is in this state now; none for names that describe no election. */
  payloads<K extends LeadershipEventName>(name: K): LifecycleEventMap[K][];
  payloads(name: string): unknown[];
  payloads(name: string): unknown[] {
    return [...(this.#byName.get(name)?.values() ?? [])];
  }

  #of(name: LeadershipEventName): Map<string, unknown> {
    let elections = this.#byName.get(name);
    if (elections === undefined) this.#byName.set(name, (elections = new Map()));
    return elections;
  }
}
