// rate-poller.ts
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import {
  LifecycleComponent,
  createActivityTracker,
  type Component,
  type HealthChecker,
  type StartContext,
} from 'nestjs-lifecycle';
import { RateSource } from './rate-source.js';

@Injectable()
@LifecycleComponent({ leaderOnly: true })
export class RatePoller implements Component, HealthChecker {
  readonly rates: number[] = [];
  readonly #tracker = createActivityTracker('RatePoller', 1000);

  constructor(private readonly source: RateSource) {}

  async start({ signal }: StartContext): Promise<void> {
    while (!signal.aborted) {
      this.rates.push(await this.source.next(signal));
      this.#tracker.recordActivity();
      await sleep(10, undefined, { signal });
    }
  }

  healthCheck(): void {
    this.#tracker.check();
  }
}
