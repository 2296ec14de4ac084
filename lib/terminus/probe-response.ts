import { ServiceUnavailableException } from '@nestjs/common';
import type { HealthVerdict } from '../health/health-verdict.js';

/** Body of a probe's response. @publicApi */
export interface ProbeBody {
  readonly status: 'ok' | 'error';
  readonly reasons?: readonly string[];
}

const OK: ProbeBody = Object.freeze({ status: 'ok' });

/**
 * @throws ServiceUnavailableException for a verdict that is not ok: the way to a 503 that works on every platform
 *   adapter
 */
export function probeResponse({ ok, reasons }: HealthVerdict): ProbeBody {
  if (ok) return OK;
  throw unavailable({ status: 'error', reasons } satisfies ProbeBody);
}

/**
 * An answer, and no failure of the code that gives it: nobody needs its stack, which takes as long to note down as the rest
 * of the answer, and a broken replica is asked as often as any.
 */
export function unavailable(body: object): ServiceUnavailableException {
  const { stackTraceLimit } = Error;
  // With --frozen-intrinsics it cannot be set.
  if (Object.isFrozen(Error)) return new ServiceUnavailableException(body);
  Error.stackTraceLimit = 0;
  try {
    return new ServiceUnavailableException(body);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
