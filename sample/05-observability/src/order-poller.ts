import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import {
  activityStallTimeoutMs,
  createActivityTracker,
  LifecycleComponent,
  type Component,
  type HealthChecker,
  type StartContext,
} from 'nestjs-lifecycle';

const INTERVAL_MS = 500;

/** On every replica: polls for orders, and is unhealthy when it no longer does. */
@Injectable()
@LifecycleComponent()
export class OrderPoller implements Component, HealthChecker {
  readonly #tracker = createActivityTracker('OrderPoller', activityStallTimeoutMs(INTERVAL_MS));

  async start({ signal }: StartContext): Promise<void> {
    while (!signal.aborted) {
      this.#tracker.recordActivity();
      await sleep(INTERVAL_MS, undefined, { signal });
    }
  }

  healthCheck(): void {
    this.#tracker.check();
  }
}
