import type { Diagnosis } from '../core/elector.js';

/** What the settings of an app are judged by. Durations in milliseconds. */
export interface CheckedSettings {
  readonly drainDelayMs: number;
  readonly shutdownTimeoutMs: number;
  readonly stopTimeoutMs: number;
  readonly health: { readonly intervalMs: number; readonly timeoutMs: number };
  /** The environment of the process. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What a pod has where its manifest says nothing. */
const KUBERNETES_GRACE_MS = 30_000;

/** Settings that are valid each by itself, and do not fit together. */
export function checkSettings(settings: CheckedSettings): Diagnosis[] {
  return [...checkGrace(settings), ...checkStop(settings), ...checkHealth(settings)];
}

function checkGrace({ drainDelayMs, shutdownTimeoutMs, env }: CheckedSettings): Diagnosis[] {
  const graceMs = graceOf(env);
  const neededMs = drainDelayMs + shutdownTimeoutMs;
  if (graceMs === undefined || neededMs < graceMs) return [];
  return [
    {
      level: 'warning',
      summary:
        `A shutdown may take drainDelayMs + shutdownTimeoutMs = ${neededMs} ms, and the process is killed after ` +
        `${graceMs} ms (${graceSource(env)}): components would be cut off, and leases not released.`,
      remedy:
        'Raise terminationGracePeriodSeconds above that, and say so in TERMINATION_GRACE_PERIOD_SECONDS; or lower the two.',
    },
  ];
}

function checkStop({ stopTimeoutMs, shutdownTimeoutMs }: CheckedSettings): Diagnosis[] {
  if (stopTimeoutMs <= shutdownTimeoutMs) return [];
  return [
    {
      level: 'warning',
      summary: `stopTimeoutMs (${stopTimeoutMs} ms) is more than shutdownTimeoutMs (${shutdownTimeoutMs} ms), which ends every stop.`,
      remedy: 'Raise shutdownTimeoutMs, or lower stopTimeoutMs.',
    },
  ];
}

function checkHealth({ health: { intervalMs, timeoutMs } }: CheckedSettings): Diagnosis[] {
  if (timeoutMs <= intervalMs) return [];
  return [
    {
      level: 'warning',
      summary:
        `health.timeoutMs (${timeoutMs} ms) is more than health.intervalMs (${intervalMs} ms): a check that hangs is ` +
        'passed over for some rounds before it counts as failed.',
      remedy: 'Let a check take less time than there is between two.',
    },
  ];
}

/** `undefined`: nobody has said. */
function graceOf(env: CheckedSettings['env']): number | undefined {
  const said = Number(env['TERMINATION_GRACE_PERIOD_SECONDS']);
  if (said > 0) return said * 1000;
  return env['KUBERNETES_SERVICE_HOST'] === undefined ? undefined : KUBERNETES_GRACE_MS;
}

function graceSource(env: CheckedSettings['env']): string {
  return Number(env['TERMINATION_GRACE_PERIOD_SECONDS']) > 0
    ? 'TERMINATION_GRACE_PERIOD_SECONDS'
    : 'the default of Kubernetes; where the manifest says something else, say it in TERMINATION_GRACE_PERIOD_SECONDS';
}
