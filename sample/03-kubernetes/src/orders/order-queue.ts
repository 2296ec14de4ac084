import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';

const INTERVAL_MS = 1000;

/** Stands for a queue that all replicas take orders from. */
@Injectable()
export class OrderQueue {
  #count = 0;

  /** @throws when the signal aborts */
  async next(signal: AbortSignal): Promise<string> {
    await sleep(INTERVAL_MS, undefined, { signal });
    return `order-${++this.#count}`;
  }
}
