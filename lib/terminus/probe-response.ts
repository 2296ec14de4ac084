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
  throw new ServiceUnavailableException({ status: 'error', reasons } satisfies ProbeBody);
}
