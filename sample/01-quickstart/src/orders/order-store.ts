import { Injectable } from '@nestjs/common';
import type { Order } from './order.js';

/** An order that is not paid by then is given up. */
const PAYMENT_DEADLINE_MS = 10_000;

export interface Totals {
  readonly received: number;
  readonly waitingForPayment: number;
  readonly waitingForShipment: number;
  readonly shipped: number;
  readonly cancelled: number;
  /** Of everything that was shipped. */
  readonly revenueCents: number;
}

/** The orders that are open, and totals of those that are closed. */
@Injectable()
export class OrderStore {
  readonly #unpaid = new Map<string, Order>();
  readonly #paid = new Map<string, Order>();
  #paymentsKnownUpTo = 0;
  #shipped = 0;
  #cancelled = 0;
  #revenueCents = 0;

  add(order: Order): void {
    this.#unpaid.set(order.id, order);
  }

  /** @param upTo until when all payments are known now, in milliseconds since the epoch */
  recordPayments(ids: readonly string[], upTo: number): void {
    for (const id of ids) this.#markPaid(id);
    this.#paymentsKnownUpTo = upTo;
  }

  /** @returns how many orders it shipped */
  shipPaid(): number {
    const orders = [...this.#paid.values()];
    this.#paid.clear();
    this.#shipped += orders.length;
    this.#revenueCents += orders.reduce((sum, { cents }) => sum + cents, 0);
    return orders.length;
  }

  /** @returns how many orders it gave up */
  cancelOverdue(): number {
    // Not by the time of day: while the provider does not answer, nobody knows who has paid.
    const limit = this.#paymentsKnownUpTo - PAYMENT_DEADLINE_MS;
    const overdue = [...this.#unpaid.values()].filter(({ placedAt }) => placedAt < limit);
    for (const { id } of overdue) this.#unpaid.delete(id);
    this.#cancelled += overdue.length;
    return overdue.length;
  }

  totals(): Totals {
    const open = this.#unpaid.size + this.#paid.size;
    return {
      received: open + this.#shipped + this.#cancelled,
      waitingForPayment: this.#unpaid.size,
      waitingForShipment: this.#paid.size,
      shipped: this.#shipped,
      cancelled: this.#cancelled,
      revenueCents: this.#revenueCents,
    };
  }

  #markPaid(id: string): void {
    const order = this.#unpaid.get(id);
    if (order === undefined) return;
    this.#unpaid.delete(id);
    this.#paid.set(id, order);
  }
}
