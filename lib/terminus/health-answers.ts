import type { HealthCheckResult, HealthCheckService } from '@nestjs/terminus';
import type { HealthMonitor } from '../health/health-monitor.js';
import { HealthCheckMemo } from './health-check-memo.js';
import type { LifecycleHealthIndicator } from './lifecycle-health.indicator.js';
import { probeResponse, type ProbeBody } from './probe-response.js';

/** What every answer about health says of itself to caches. Terminus says the same of its own. */
export const NO_STORE = 'no-cache, no-store, must-revalidate';

/** Where the endpoints are, below the health path; '' is that path itself. */
export const HEALTH_ENDPOINTS = { health: '', live: 'live', ready: 'ready', startup: 'startup' } as const;

/** The four answers, whichever server gives them. Each throws a ServiceUnavailableException for a 503, with its body. */
export class HealthAnswers {
  readonly #checks: HealthCheckMemo;

  constructor(
    private readonly monitor: HealthMonitor,
    lifecycle: LifecycleHealthIndicator,
    terminus: HealthCheckService,
  ) {
    this.#checks = new HealthCheckMemo(monitor, lifecycle, terminus);
  }

  health(): HealthCheckResult | Promise<HealthCheckResult> {
    return this.#checks.check();
  }

  live(): ProbeBody {
    return probeResponse(this.monitor.live());
  }

  ready(): ProbeBody {
    return probeResponse(this.monitor.ready());
  }

  startup(): ProbeBody {
    return probeResponse(this.monitor.startup());
  }
}
