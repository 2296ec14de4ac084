import type { ComponentInfo, Criticality } from '../core/component.js';
import { errorText } from '../core/error-text.js';
import { Status } from '../core/status.js';
import type { ComponentSnapshot } from '../registry/component-snapshot.js';

/** `degraded`: it works, and somebody should look. Only `down` makes `/health` answer 503. @publicApi */
export type HealthLevel = 'up' | 'degraded' | 'down';

/**
 * What `/health` says about one component. For people and monitors; orchestrators ask the probes.
 *
 * A component is impaired when it has failed (also while it waits to be restarted), is unhealthy, overruns its stop,
 * or does not run and should: not started, still starting, being restarted, stopped without `completes`. A
 * leader-only component that starts or stops is not impaired, nor is one on standby: hand-over is normal operation,
 * and its time limits turn one that does not get through into a failure.
 *
 * @publicApi
 */
export interface ComponentVerdict {
  readonly name: string;
  /** `up`, or when impaired, by criticality: `critical` down, `degradable` degraded, `optional` up with a note. */
  readonly level: HealthLevel;
  readonly info: ComponentInfo;
  /** What is wrong. Only when it is impaired. */
  readonly note?: string;
}

const LEVEL_WHEN_IMPAIRED: Readonly<Record<Criticality, HealthLevel>> = {
  critical: 'down',
  degradable: 'degraded',
  optional: 'up',
};

/** An error text can be a whole document; a health response must stay readable, and small. */
const MAX_NOTE_LENGTH = 500;

/** @param details `false`: the note says what is wrong, without the text of any error */
export function judgeComponent(snapshot: ComponentSnapshot, details = true): ComponentVerdict {
  const { info } = snapshot;
  const problem = problemOf(snapshot, details);
  if (problem === undefined) return { name: info.name, level: 'up', info };
  return { name: info.name, level: LEVEL_WHEN_IMPAIRED[info.criticality], info, note: shorten(problem) };
}

/** One line about an error, for a health response. */
export function errorNote(error: unknown): string {
  return shorten(errorText(error));
}

function problemOf(snapshot: ComponentSnapshot, details: boolean): string | undefined {
  const { info } = snapshot;
  const error = details ? info.error : undefined;
  if (snapshot.overrunning) return withDetail('has not stopped in time', error);
  switch (info.status) {
    case Status.Running:
      if (info.healthy !== false) return undefined;
      return withDetail('unhealthy', details ? errorText(snapshot.healthError) : undefined);
    case Status.Failed:
      return withDetail(snapshot.failedForGood ? 'failed' : 'failed, to be started again', error);
    case Status.Pending:
      if (info.leaderOnly && info.error === undefined) return undefined;
      return withDetail('not started yet', error);
    case Status.Starting:
      return info.leaderOnly ? undefined : 'still starting';
    case Status.Stopping:
      return info.leaderOnly ? undefined : 'stopping';
    case Status.Stopped:
      return snapshot.completed ? undefined : 'stopped';
    case Status.Standby:
      return undefined;
  }
}

function withDetail(what: string, detail: string | undefined): string {
  return detail === undefined ? what : `${what}: ${detail}`;
}

function shorten(text: string): string {
  return text.length <= MAX_NOTE_LENGTH ? text : `${text.slice(0, MAX_NOTE_LENGTH)}…`;
}
