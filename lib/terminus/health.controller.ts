import {
  Controller,
  Get,
  Header,
  Inject,
  NotFoundException,
  Optional,
  VERSION_NEUTRAL,
  type Type,
} from '@nestjs/common';
import { HealthCheck, HealthCheckService, type HealthCheckResult } from '@nestjs/terminus';
import { HealthMonitor } from '../health/health-monitor.js';
import { HEALTH_ENDPOINTS, HealthAnswers, NO_STORE } from './health-answers.js';
import { normalizeHealthPath } from './health-path.js';
import { LifecycleHealthIndicator } from './lifecycle-health.indicator.js';
import type { ProbeBody } from './probe-response.js';

export interface HealthControllerOptions {
  /** Where `/live`, `/ready` and `/startup` are as well. */
  readonly path: string;
  /**
   * Decorators of the class, to let the endpoints pass a global guard for example. Those made by `SetMetadata()` are
   * set on each handler too, since some guards look only there.
   */
  readonly decorators?: readonly (ClassDecorator | MethodDecorator)[];
}

/** Whether another server has the endpoints, which is known only after the routes are fixed. */
export const HEALTH_IS_ELSEWHERE = Symbol('nestjs-lifecycle:health-is-elsewhere');

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
    readonly #answers: HealthAnswers;

    constructor(
      @Inject(HealthMonitor) monitor: HealthMonitor,
      @Inject(LifecycleHealthIndicator) lifecycle: LifecycleHealthIndicator,
      @Inject(HealthCheckService) terminus: HealthCheckService,
      @Optional() @Inject(HEALTH_IS_ELSEWHERE) private readonly isElsewhere?: boolean,
    ) {
      this.#answers = new HealthAnswers(monitor, lifecycle, terminus);
    }

    @Get(HEALTH_ENDPOINTS.health)
    @HealthCheck()
    health(): HealthCheckResult | Promise<HealthCheckResult> {
      return this.#here().health();
    }

    @Get(HEALTH_ENDPOINTS.live)
    @Header('Cache-Control', NO_STORE)
    live(): ProbeBody {
      return this.#here().live();
    }

    @Get(HEALTH_ENDPOINTS.ready)
    @Header('Cache-Control', NO_STORE)
    ready(): ProbeBody {
      return this.#here().ready();
    }

    @Get(HEALTH_ENDPOINTS.startup)
    @Header('Cache-Control', NO_STORE)
    startup(): ProbeBody {
      return this.#here().startup();
    }

    #here(): HealthAnswers {
      if (this.isElsewhere === true) throw new NotFoundException();
      return this.#answers;
    }
  }
  decorate(LifecycleHealthController, decorators);
  return LifecycleHealthController;
}

const HANDLERS = Object.keys(HEALTH_ENDPOINTS);

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
