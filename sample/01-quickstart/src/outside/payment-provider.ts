import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Order } from '../orders/order.js';

const LATENCY_MS = 40;
const SHARE_THAT_PAYS = 0.9;
const SLOWEST_PAYMENT_MS = 6000;

/** Stands for a payment provider: most customers pay there within some seconds, and it can be asked who has. */
@Injectable()
export class PaymentProvider {
  /** When each order is going to be paid. */
  readonly #payments = new Map<string, number>();
  #hangs = false;

  bill(order: Order): void {
    if (Math.random() < SHARE_THAT_PAYS) this.#payments.set(order.id, Date.now() + Math.random() * SLOWEST_PAYMENT_MS);
  }

  /** @returns the orders that were paid since the last call */
  async takePaid(signal: AbortSignal): Promise<string[]> {
    await (this.#hangs ? this.#hang(signal) : sleep(LATENCY_MS, undefined, { signal }));
    const now = Date.now();
    const paid = [...this.#payments].filter(([, paidAt]) => paidAt <= now).map(([id]) => id);
    for (const id of paid) this.#payments.delete(id);
    return paid;
  }

  /** The next request gets no answer, and no error either: a connection that died without a word. */
  hangOnce(): void {
    this.#hangs = true;
  }

  async #hang(signal: AbortSignal): Promise<never> {
    this.#hangs = false;
    if (!signal.aborted) await once(signal, 'abort');
    throw signal.reason;
  }
}
