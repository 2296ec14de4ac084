import {
  createActivityTracker,
  type Component,
  type HealthChecker,
  type LeadershipTerm,
  type StartContext,
} from 'nestjs-lifecycle';
import { ManualClock, startComponent } from 'nestjs-lifecycle/testing';

/** What the reconciler talks to, as an interface, so that a test can stand in for it. */
interface Orders {
  next(signal: AbortSignal): Promise<string>;
  settle(id: string, fencingToken: bigint): Promise<void>;
}

/** Settles orders one by one, on the leader only. */
class OrderReconciler implements Component, HealthChecker {
  readonly #tracker;

  constructor(
    private readonly orders: Orders,
    clock?: ManualClock,
  ) {
    this.#tracker = createActivityTracker('OrderReconciler', 60_000, clock && { clock });
  }

  async start({ signal, term }: StartContext & { term: LeadershipTerm }): Promise<void> {
    while (!signal.aborted) {
      const id = await this.orders.next(signal);
      term.assertValid();
      await this.orders.settle(id, term.fencingToken);
      this.#tracker.recordActivity();
    }
  }

  healthCheck(): void {
    this.#tracker.check();
  }
}

/** Hands out the orders that the test adds. */
class FakeOrders implements Orders {
  readonly settled: string[] = [];
  #hand: (id: string) => void = () => undefined;

  add(id: string): void {
    this.#hand(id);
  }

  next(signal: AbortSignal): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#hand = resolve;
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  }

  async settle(id: string, fencingToken: bigint): Promise<void> {
    if (id === 'bad') throw new Error('order is broken');
    this.settled.push(`${id} under term ${fencingToken}`);
  }
}

describe('OrderReconciler', () => {
  test('works while it leads, each term with a token of its own', async () => {
    const clock = new ManualClock();
    const orders = new FakeOrders();
    const harness = await startComponent(new OrderReconciler(orders), { leaderOnly: true, clock });
    expect(harness.status).toBe('standby');

    await harness.elect();
    orders.add('a');
    await clock.settle();
    await harness.depose();
    await harness.elect();
    orders.add('b');
    await clock.settle();

    expect(orders.settled).toEqual(['a under term 1', 'b under term 2']);
    await harness.stop();
  });

  test('fails when an order is broken, and is started again', async () => {
    const clock = new ManualClock();
    const orders = new FakeOrders();
    const harness = await startComponent(new OrderReconciler(orders), {
      leaderOnly: true,
      restart: 'on-failure',
      clock,
    });
    await harness.elect();

    orders.add('bad');
    const { error } = await harness.until('failed');
    expect(error).toBe('order is broken');

    await clock.advance(1000);
    expect(harness.status).toBe('running');
    await harness.stop();
  });

  test('is unhealthy when it has settled nothing for a minute', async () => {
    const clock = new ManualClock();
    const harness = await startComponent(new OrderReconciler(new FakeOrders(), clock), { leaderOnly: true, clock });
    await harness.elect();
    await harness.checkHealth();

    await clock.advance(60_001);

    await expect(harness.checkHealth()).rejects.toThrow('no activity was recorded');
    await harness.stop();
  });
});
