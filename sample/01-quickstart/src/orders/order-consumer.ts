import { Injectable } from '@nestjs/common';
import { LifecycleComponent, type Component, type StartContext } from 'nestjs-lifecycle';
import { OrderBroker } from '../outside/order-broker.js';
import { OrderStore } from './order-store.js';

/**
 * Run style: `start()` stays pending for as long as the component runs. The signal ends the loop; an error of the broker
 * ends it too, and the restart policy starts it again.
 */
@Injectable()
@LifecycleComponent({ restart: { mode: 'on-failure', initialDelayMs: 10_000 } })
export class OrderConsumer implements Component {
  constructor(
    private readonly broker: OrderBroker,
    private readonly store: OrderStore,
  ) {}

  async start({ signal }: StartContext): Promise<void> {
    for await (const order of this.broker.orders(signal)) this.store.add(order);
  }
}
