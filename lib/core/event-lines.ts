import { errorFields } from './error-fields.js';
import type {
  ComponentStatusEvent,
  HealthChangedEvent,
  LeadershipAcquiredEvent,
  LeadershipLostEvent,
  LeadershipObservedEvent,
} from './lifecycle-events.js';
import type { LogLine } from './log-line.js';

export function statusLine(message: string, event: ComponentStatusEvent): LogLine {
  const { name, from, to, at, durationMs, election, criticality, restarts, error, restartInMs } = event;
  return {
    message,
    event: 'lifecycle.component.status',
    component: name,
    ...(election !== undefined && { election }),
    from,
    to,
    durationMs: Math.round(durationMs),
    criticality,
    restarts,
    ...(to === 'failed' && { error: errorFields(error) }),
    ...(restartInMs !== undefined && { restartInMs: Math.round(restartInMs) }),
    at,
  };
}

export function acquiredLine(message: string, event: LeadershipAcquiredEvent): LogLine {
  return { message, event: 'lifecycle.leadership.acquired', ...termOf(event), at: event.at };
}

/** A hand-over is no error: nobody who counts lines with an `error` wants it, so its cause is its `reason`. */
export function lostLine(message: string, event: LeadershipLostEvent): LogLine {
  const { durationMs, reason, voluntary, at } = event;
  return {
    message,
    event: 'lifecycle.leadership.lost',
    ...termOf(event),
    durationMs: Math.round(durationMs),
    voluntary,
    [voluntary ? 'reason' : 'error']: errorFields(reason),
    at,
  };
}

export function observedLine(message: string, { election, leader, at }: LeadershipObservedEvent): LogLine {
  return {
    message,
    event: 'lifecycle.leadership.observed',
    election,
    ...(leader && { leader: leader.identity }),
    ...(leader?.fencingToken !== undefined && { fencingToken: String(leader.fencingToken) }),
    at,
  };
}

export function healthLine(message: string, { name, healthy, error, at }: HealthChangedEvent): LogLine {
  return {
    message,
    event: 'lifecycle.health.changed',
    component: name,
    healthy,
    ...(!healthy && { error: errorFields(error) }),
    at,
  };
}

function termOf({ election, identity, fencingToken }: LeadershipAcquiredEvent | LeadershipLostEvent) {
  return { election, identity, fencingToken: String(fencingToken) };
}
