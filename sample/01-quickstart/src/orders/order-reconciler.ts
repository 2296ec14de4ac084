import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { LifecycleComponent, type Component, type StartContext } from 'nestjs-lifecycle';
import { OrderStore } from './order-store.js';
import { PaymentPoller } from './payment-poller.js';

const INTERVAL_MS = 5000;

/**
 * Leader-only: two replicas that ship one order would send it twice. It starts after the poller, since without
 * payments there is nothing to ship.
 */
@Injectable()
@LifecycleComponent({ leaderOnly: true, dependsOn: [PaymentPoller] })
export class OrderReconciler implements Component {
  readonly #logger = new Logger(OrderReconciler.name);

  constructor(private readonly store: OrderStore) {}

  async start({ signal, term }: StartContext): Promise<void> {
    while (!signal.aborted) {
      await sleep(INTERVAL_MS, undefined, { signal });
      // Right before the side effect: the process may have been paused while another replica took over.
      term?.assertValid();
      this.#reconcile();
    }
  }

  #reconcile(): void {
    const shipped = this.store.shipPaid();
    const cancelled = this.store.cancelOverdue();
    this.#logger.log(`Orders shipped: ${shipped}, given up unpaid: ${cancelled}`);
  }
}
