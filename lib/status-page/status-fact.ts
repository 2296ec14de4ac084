import type { LeaderInfo } from '../core/elector.js';
import { errorText } from '../core/error-text.js';
import {
  LifecycleEvent,
  type ComponentStatusEvent,
  type LeadershipAcquiredEvent,
  type LeadershipLostEvent,
} from '../core/lifecycle-events.js';
import type { ObservedEvent } from '../core/lifecycle-observer.js';
import type { LeaderDocument, StatusFact } from './status-entry.js';

/** An error can carry a whole document, and the history keeps many. */
const MAX_TEXT = 1000;

/** What was thrown as one text of bounded length. */
export function factText(error: unknown): string {
  return shortened(errorText(error));
}

export function shortened(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - 1)}…`;
}

export function leaderDocument({ identity, fencingToken, since, address }: LeaderInfo): LeaderDocument {
  return {
    identity,
    ...(fencingToken !== undefined && { fencingToken: String(fencingToken) }),
    since,
    ...(address !== undefined && { address }),
  };
}

export function factOf({ name, payload }: ObservedEvent): StatusFact {
  switch (name) {
    case LifecycleEvent.ComponentStatus:
      return componentFact(payload);
    case LifecycleEvent.LeadershipAcquired:
      return { kind: 'acquired', ...term(payload) };
    case LifecycleEvent.LeadershipLost: {
      const { durationMs, reason, voluntary } = payload;
      return { kind: 'lost', ...term(payload), durationMs, reason: factText(reason), voluntary };
    }
    case LifecycleEvent.LeadershipObserved: {
      const { election, leader } = payload;
      return { kind: 'observed', election, ...(leader && { leader: leaderDocument(leader) }) };
    }
    case LifecycleEvent.HealthChanged: {
      const { name: component, healthy } = payload;
      return { kind: 'health', component, healthy, ...(!healthy && { error: factText(payload.error) }) };
    }
  }
}

function componentFact(event: ComponentStatusEvent): StatusFact {
  const { name: component, from, to, durationMs, election, restarts, restartInMs } = event;
  return {
    kind: 'component',
    component,
    from,
    to,
    durationMs,
    restarts,
    ...(election !== undefined && { election }),
    ...(to === 'failed' && { error: factText(event.error) }),
    ...(restartInMs !== undefined && { restartInMs }),
  };
}

function term({ election, identity, fencingToken }: LeadershipAcquiredEvent | LeadershipLostEvent): {
  election: string;
  identity: string;
  fencingToken: string;
} {
  return { election, identity, fencingToken: String(fencingToken) };
}
