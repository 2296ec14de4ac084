import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { LifecycleComponent, type Component, type StartContext } from 'nestjs-lifecycle';
import { OrderPoller } from './order-poller.js';

const ROUND_MS = 1000;
const ROUNDS_BEFORE_FAILURE = 10;

/** On the leader only. Its source is unreliable, so that there is something to see: it fails, and is started again. */
@Injectable()
@LifecycleComponent({
  leaderOnly: true,
  criticality: 'degradable',
  dependsOn: [OrderPoller],
  restart: { mode: 'on-failure', initialDelayMs: 5000, maxDelayMs: 5000, maxRestarts: 1000 },
})
export class PriceImport implements Component {
  async start({ signal, term }: StartContext): Promise<void> {
    for (let round = 0; round < ROUNDS_BEFORE_FAILURE; round++) {
      await sleep(ROUND_MS, undefined, { signal });
      term?.assertValid();
    }
    throw new Error('the price source closed the connection: https://user:secret@prices.example');
  }
}
