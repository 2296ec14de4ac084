import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import {
  LifecycleComponent,
  createActivityTracker,
  type Component,
  type HealthChecker,
  type StartContext,
} from 'nestjs-lifecycle';
import { PaymentProvider } from '../outside/payment-provider.js';
import { OrderStore } from './order-store.js';

const INTERVAL_MS = 1000;
const STALLED_AFTER_MS = 3000;

/**
 * Service style: `start()` resolves once the first poll is in, which makes the component ready; the loop goes on until
 * `stop()`. A poll that never comes back throws nothing, so only the tracker notices it; unhealthy for long enough, the
 * component is restarted.
 */
@Injectable()
@LifecycleComponent({ onUnhealthy: 'restart' })
export class PaymentPoller implements Component, HealthChecker {
  readonly #tracker = createActivityTracker('PaymentPoller', STALLED_AFTER_MS);
  #loop: Promise<void> | undefined;

  constructor(
    private readonly provider: PaymentProvider,
    private readonly store: OrderStore,
  ) {}

  async start(context: StartContext): Promise<void> {
    await this.#poll(context.signal);
    this.#loop = this.#pollUntil(context.signal).catch((error: unknown) => context.fail(error));
  }

  async stop(): Promise<void> {
    await this.#loop;
  }

  healthCheck(): void {
    this.#tracker.check();
  }

  async #pollUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sleep(INTERVAL_MS, undefined, { signal });
      await this.#poll(signal);
    }
  }

  async #poll(signal: AbortSignal): Promise<void> {
    const askedAt = Date.now();
    this.store.recordPayments(await this.provider.takePaid(signal), askedAt);
    this.#tracker.recordActivity();
  }
}
