import { ServiceUnavailableException } from '@nestjs/common';
import type { HealthCheckResult, HealthCheckService, HealthIndicatorResult } from '@nestjs/terminus';
import type { HealthMonitor } from '../health/health-monitor.js';
import type { LifecycleHealthIndicator } from './lifecycle-health.indicator.js';
import { unavailable } from './probe-response.js';

type Answer = { readonly up: true; readonly body: HealthCheckResult } | { readonly up: false; readonly body: object };

/**
 * Terminus' answer, asked for anew only when something has changed: Terminus goes through every key each time, and logs
 * each answer that is not ok in full, so that a probe a second on a broken replica drowns the log.
 */
export class HealthCheckMemo {
  #last: { readonly about: object; readonly answer: Answer } | undefined;

  constructor(
    private readonly monitor: HealthMonitor,
    private readonly lifecycle: LifecycleHealthIndicator,
    private readonly terminus: HealthCheckService,
  ) {}

  /** @throws ServiceUnavailableException unless everything is up or degraded */
  check(): HealthCheckResult | Promise<HealthCheckResult> {
    const about = this.lifecycle.isHealthy();
    // Terminus turns every answer into 503 while the app shuts down, and does not say from when on.
    if (this.#last?.about === about && !this.monitor.isShuttingDown) return respond(this.#last.answer);
    return this.#ask(about).then((answer) => {
      this.#last = { about, answer };
      return respond(answer);
    });
  }

  async #ask(about: HealthIndicatorResult): Promise<Answer> {
    try {
      return { up: true, body: await this.terminus.check([() => about]) };
    } catch (error) {
      if (!(error instanceof ServiceUnavailableException)) throw error;
      return { up: false, body: error.getResponse() as object };
    }
  }
}

/** Copies, and a new exception: an interceptor or a filter may add to what it gets. */
function respond({ up, body }: Answer): HealthCheckResult {
  if (!up) throw unavailable({ ...body });
  return { ...body };
}
