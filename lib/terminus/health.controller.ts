import { Controller, Get, Header, Inject, VERSION_NEUTRAL, type Type } from '@nestjs/common';
import { HealthCheck, HealthCheckService, type HealthCheckResult } from '@nestjs/terminus';
import { HealthMonitor } from '../health/health-monitor.js';
import { HealthCheckMemo } from './health-check-memo.js';
import { normalizeHealthPath } from './health-path.js';
import { LifecycleHealthIndicator } from './lifecycle-health.indicator.js';
import { probeResponse, type ProbeBody } from './probe-response.js';

export interface HealthControllerOptions {
  /** Where `/live`, `/ready` and `/startup` are as well. */
  readonly path: string;
  /**
   * Decorators of the class, to let the endpoints pass a global guard for example. Those made by `SetMetadata()` are
   * set on each handler too, since some guards look only there.
   */
  readonly decorators?: readonly (ClassDecorator | MethodDecorator)[];
}

const NO_STORE = 'no-cache, no-store, must-revalidate';

/**
 * A controller class: `GET /<path>` through Terminus, and `/live`, `/ready` and `/startup` below it straight from the
 * verdicts, since Terminus answers 503 to everything once it shuts down. Version-neutral.
 *
 * @throws InvalidOptionError
 * @internal
 */
export function createHealthController({ path, decorators = [] }: HealthControllerOptions): Type<object> {
  @Controller({ path: normalizeHealthPath(path), version: VERSION_NEUTRAL })
  class LifecycleHealthController {
    readonly #checks: HealthCheckMemo;

    constructor(
      @Inject(HealthMonitor) private readonly monitor: HealthMonitor,
      @Inject(LifecycleHealthIndicator) lifecycle: LifecycleHealthIndicator,
      @Inject(HealthCheckService) terminus: HealthCheckService,
    ) {
      this.#checks = new HealthCheckMemo(monitor, lifecycle, terminus);
    }

    @Get()
    @HealthCheck()
    health(): HealthCheckResult | Promise<HealthCheckResult> {
      return this.#checks.check();
    }

    @Get('live')
    @Header('Cache-Control', NO_STORE)
    live(): ProbeBody {
      return probeResponse(this.monitor.live());
    }

    @Get('ready')
    @Header('Cache-Control', NO_STORE)
    ready(): ProbeBody {
      return probeResponse(this.monitor.ready());
    }

    @Get('startup')
    @Header('Cache-Control', NO_STORE)
    startup(): ProbeBody {
      return probeResponse(this.monitor.startup());
    }
  }
  decorate(LifecycleHealthController, decorators);
  return LifecycleHealthController;
}

const HANDLERS = ['health', 'live', 'ready', 'startup'];

/** In the order in which they would stand above the class: the last one is applied first. */
function decorate(controller: Type<object>, decorators: readonly (ClassDecorator | MethodDecorator)[]): void {
  for (const decorator of decorators.toReversed()) {
    (decorator as ClassDecorator)(controller);
    if (!('KEY' in decorator)) continue;
    for (const handler of HANDLERS) {
      const descriptor = Object.getOwnPropertyDescriptor(controller.prototype, handler);
      if (descriptor) (decorator as MethodDecorator)(controller.prototype as object, handler, descriptor);
    }
  }
}
