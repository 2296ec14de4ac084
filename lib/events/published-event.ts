import { LifecycleEvent, type LifecycleEventMap, type LifecycleEventName } from '../core/lifecycle-events.js';

/** One call of `publish()`. */
export interface PublishedEvent {
  readonly name: string;
  readonly payload: unknown;
}

/** Events that describe a state of an election, so that a late reader can be given the last one. @publicApi */
export type LeadershipEventName = Extract<LifecycleEventName, `lifecycle.leadership.${string}`>;

/** @internal */
export type LeadershipEvent = {
  [K in LeadershipEventName]: { readonly name: K; readonly payload: LifecycleEventMap[K] };
}[LeadershipEventName];

/** The two that begin and end a term. @internal */
export type TermEvent = Extract<
  LeadershipEvent,
  { readonly name: typeof LifecycleEvent.LeadershipAcquired | typeof LifecycleEvent.LeadershipLost }
>;

const LEADERSHIP_NAMES: readonly string[] = [
  LifecycleEvent.LeadershipAcquired,
  LifecycleEvent.LeadershipLost,
  LifecycleEvent.LeadershipObserved,
] satisfies readonly LeadershipEventName[];

export function isLeadershipName(name: string): name is LeadershipEventName {
  return LEADERSHIP_NAMES.includes(name);
}

/** Anybody can publish under any name from JavaScript: a payload that names no election is an event like any other. */
export function isLeadershipEvent(event: PublishedEvent): event is LeadershipEvent {
  if (!isLeadershipName(event.name)) return false;
  return typeof (event.payload as { election?: unknown } | null | undefined)?.election === 'string';
}

/** Readers are left in a wrong state for ever when one of these is dropped without the other. */
export function isTermEvent(event: PublishedEvent): event is TermEvent {
  return isLeadershipEvent(event) && event.name !== LifecycleEvent.LeadershipObserved;
}
