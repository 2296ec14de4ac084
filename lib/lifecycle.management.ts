import type { ModuleRef } from '@nestjs/core';
import type { HealthCheckService } from '@nestjs/terminus';
import type { LifecycleParts } from './lifecycle.parts.js';
import type { ManagementHost } from './management/management-host.js';
import { mountManagement } from './management/mount-management.js';
import { HealthAnswers } from './terminus/health-answers.js';
import type { LifecycleHealthIndicator } from './terminus/lifecycle-health.indicator.js';

/**
 * Gives the management server what it serves.
 *
 * @returns whether there is one: then the app's own server has none of it
 */
export function useManagementPort(
  { options, observers, logger, health, statusPage }: LifecycleParts,
  host: ManagementHost,
  lifecycle: LifecycleHealthIndicator,
  terminus: HealthCheckService,
  moduleRef: ModuleRef,
): boolean {
  const { port, host: address, path } = options.health;
  if (port === undefined) return false;
  mountManagement(host, {
    port,
    host: address,
    path,
    answers: new HealthAnswers(health, lifecycle, terminus),
    observers: options.observers,
    isAttached: () => observers.attached,
    handlers: statusPage ? [statusPage.handler()] : [],
    moduleRef,
    logger,
    clock: options.clock,
  });
  return true;
}
