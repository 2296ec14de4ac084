import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Order } from '../orders/order.js';
import { PaymentProvider } from './payment-provider.js';

const ITEMS = ['tea', 'coffee', 'cocoa', 'biscuits'];
const INTERVAL_MS = 300;

/** Stands for the message broker of a shop: customers place orders, and whoever is connected gets them. */
@Injectable()
export class OrderBroker {
  #connection = 1;
  #placed = 0;

  constructor(private readonly payments: PaymentProvider) {}

  /** @throws when the broker closes the connection, or the signal aborts */
  async *orders(signal: AbortSignal): AsyncGenerator<Order, never> {
    const connection = this.#connection;
    for (;;) {
      await sleep(INTERVAL_MS, undefined, { signal });
      if (connection !== this.#connection) throw new Error('The order broker closed the connection');
      yield this.#place();
    }
  }

  closeConnections(): void {
    this.#connection++;
  }

  #place(): Order {
    const item = ITEMS[this.#placed % ITEMS.length] ?? 'tea';
    const cents = 500 + Math.floor(Math.random() * 2000);
    const order = { id: `order-${++this.#placed}`, item, cents, placedAt: Date.now() };
    this.payments.bill(order);
    return order;
  }
}
