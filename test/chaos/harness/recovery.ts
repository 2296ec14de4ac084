import { setTimeout as pause } from 'node:timers/promises';
import { ELECTIONS, now } from '../records.js';
import type { FencedResource } from './fenced-resource.js';

const POLL_MS = 20;

/** Waits until leaders are at work again; whether that was in time is up to the checker. */
export class Recovery {
  readonly #since = BigInt(now());

  constructor(private readonly resource: FencedResource) {}

  /** Until each election has had an effect that began after all was well, or well past the time there was for that. */
  async untilLed(withinMs: number, who?: string): Promise<void> {
    const limit = performance.now() + withinMs + 2000;
    while (!this.#isLed(who) && performance.now() < limit) await pause(POLL_MS);
  }

  #isLed(who: string | undefined): boolean {
    return ELECTIONS.every((election) => {
      const last = this.resource.last(election);
      return last !== undefined && last.begun > this.#since && (who === undefined || last.who === who);
    });
  }
}
