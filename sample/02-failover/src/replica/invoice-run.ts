import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { LifecycleComponent, type Component, type StartContext } from 'nestjs-lifecycle';
import { OrderFeed } from './order-feed.js';

const INTERVAL_MS = 1000;

/** On the leader only: no customer wants an invoice from each replica. */
@Injectable()
@LifecycleComponent({ leaderOnly: true, dependsOn: [OrderFeed] })
export class InvoiceRun implements Component {
  async start({ signal, term }: StartContext): Promise<void> {
    while (!signal.aborted) {
      await sleep(INTERVAL_MS, undefined, { signal });
      // Right before the side effect: this process may have been paused while another one took over.
      term?.assertValid();
    }
  }
}
