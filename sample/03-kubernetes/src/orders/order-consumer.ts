import { Injectable, Logger } from '@nestjs/common';
import { LifecycleComponent, type Component, type StartContext } from 'nestjs-lifecycle';
import { OrderQueue } from './order-queue.js';

/** Run style, on every replica. It goes on through the drain delay, and stops after it. */
@Injectable()
@LifecycleComponent({ restart: 'on-failure' })
export class OrderConsumer implements Component {
  readonly #logger = new Logger(OrderConsumer.name);

  constructor(private readonly queue: OrderQueue) {}

  async start({ signal }: StartContext): Promise<void> {
    while (!signal.aborted) this.#logger.debug(`Took ${await this.queue.next(signal)}`);
  }
}
