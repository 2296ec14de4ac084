import { someCause } from '../core/abort.js';
import type { ComponentInfo } from '../core/component.js';
import type { StallError } from '../core/errors.js';
import { Status } from '../core/status.js';
import type { ElectionSnapshot } from '../leadership/election-snapshot.js';
import type { ComponentSnapshot } from '../registry/component-snapshot.js';
import { errorNote } from './component-verdict.js';

const STALLED: StallError['code'] = 'ERR_LIFECYCLE_STALLED';

/**
 * What only a restart of this process would cure. Nothing else belongs here: a liveness probe that fails for an outage
 * elsewhere restarts every replica of every service that sees it.
 *
 * @param details `false`: without the text of any error
 */
export function livenessReasons(
  components: readonly ComponentSnapshot[],
  elections: readonly ElectionSnapshot[],
  details = true,
): string[] {
  const reasons: string[] = [];
  const detailOf = (thrown: unknown) => (details ? `: ${errorNote(thrown)}` : '');
  for (const { info, overrunning, failedForGood, healthError, error } of components) {
    if (overrunning) reasons.push(`component "${info.name}" was told to stop and has not settled in time`);
    if (info.criticality !== 'critical') continue;
    if (info.status === Status.Running && info.healthy === false && isStall(healthError)) {
      reasons.push(`component "${info.name}" makes no progress${detailOf(healthError)}`);
    }
    if (failedForGood && !info.leaderOnly) {
      reasons.push(`component "${info.name}" has failed for good${detailOf(error)}`);
    }
  }
  for (const { election, wedged } of elections) {
    if (wedged !== undefined) reasons.push(`election "${election}" is stuck: ${wedged}`);
  }
  return reasons;
}

/**
 * What keeps this replica from doing its part of the work that every replica does. Leadership never does.
 *
 * @param details `false`: without the text of any error
 */
export function readinessReasons(components: readonly ComponentSnapshot[], details = true): string[] {
  const reasons: string[] = [];
  for (const { info, completed } of components) {
    if (info.criticality !== 'critical' || info.leaderOnly || completed) continue;
    if (info.status !== Status.Running) reasons.push(`component "${info.name}" is ${describe(info, details)}`);
  }
  return reasons;
}

function describe(info: ComponentInfo, details: boolean): string {
  return info.error === undefined || !details ? info.status : `${info.status}: ${info.error}`;
}

/** By code: the error may come from another copy of the package, wrapped by the component. */
function isStall(error: unknown): boolean {
  try {
    return someCause(error, (it) => (it as { code?: unknown } | null)?.code === STALLED);
  } catch {
    // An error whose getters throw says nothing about a stall.
    return false;
  }
}
