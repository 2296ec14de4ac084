import type { ModuleRef } from '@nestjs/core';
import type { Clock } from '../core/clock.js';
import type { LifecycleObserver } from '../core/lifecycle-observer.js';
import type { LifecycleLogger } from '../core/logger.js';
import type { HealthAnswers } from '../terminus/health-answers.js';
import { handlerRoute } from './handler-route.js';
import { healthRoutes } from './health-routes.js';
import type { ManagementHandler } from './management-handler.js';
import type { ManagementHost } from './management-host.js';
import { pageRoutes } from './page-routes.js';
import { RouteTable } from './route-table.js';

/** What the management server serves, and where. */
export interface ManagementParts {
  readonly port: number;
  readonly host: string | undefined;
  /** Of the health endpoints. */
  readonly path: string;
  readonly answers: HealthAnswers;
  readonly observers: readonly LifecycleObserver[];
  /** Whether the observers know their app. */
  readonly isAttached: () => boolean;
  readonly handlers: readonly ManagementHandler[];
  readonly moduleRef: ModuleRef;
  readonly logger: LifecycleLogger;
  readonly clock: Clock;
}

/** Tells the host what it serves. Wrong paths and guards that cannot be made show when it begins to listen. */
export function mountManagement(host: ManagementHost, parts: ManagementParts): void {
  const { port, path, answers, handlers, moduleRef, logger, clock } = parts;
  const routes = async () => {
    const handled = handlers.map((it) => handlerRoute(it, moduleRef, clock));
    return new RouteTable([...healthRoutes(path, answers), ...(await Promise.all(handled)), ...pageRoutes(parts)]);
  };
  host.use({ port, ...(parts.host !== undefined && { host: parts.host }), logger, clock, routes });
}
