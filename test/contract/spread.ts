import { expect } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { untilAborted } from '../../lib/core/abort.js';
import type { Elector } from '../../lib/core/elector.js';
import { until } from '../fixtures/until.js';

const ELECTIONS = Array.from({ length: 9 }, (_, index) => `e${index}`);

/** A replica that stands for nine elections. */
class Replica {
  readonly led = new Set<string>();
  readonly #control = new AbortController();
  readonly #over: Promise<unknown>;

  constructor(identity: string, elector: Elector) {
    const campaign = (election: string) =>
      elector.campaign(
        election,
        {
          identity,
          onElected: async (term) => {
            this.led.add(election);
            await untilAborted(term.signal);
            this.led.delete(election);
          },
          onLeaderObserved: () => undefined,
          onReport: () => undefined,
        },
        this.#control.signal,
      );
    this.#over = Promise.all(ELECTIONS.map(campaign));
  }

  async stop(): Promise<void> {
    this.#control.abort();
    await this.#over;
  }
}

/**
 * Three replicas share nine elections so that none leads more than four, also when they start one after the other, and
 * one that is left alone leads them all.
 */
export async function expectSpread(createElector: () => Elector, gapMs: number): Promise<void> {
  const replicas: Replica[] = [];
  try {
    for (const identity of ['a', 'b', 'c']) {
      replicas.push(new Replica(identity, createElector()));
      await sleep(gapMs);
    }
    const led = () => replicas.map((it) => it.led.size);
    await until(() => led().reduce((sum, it) => sum + it, 0) === ELECTIONS.length);
    expect(Math.max(...led())).toBeLessThanOrEqual(4);

    const [survivor, ...others] = replicas;
    await Promise.all(others.map((it) => it.stop()));
    await until(() => survivor?.led.size === ELECTIONS.length);
  } finally {
    await Promise.all(replicas.map((it) => it.stop()));
  }
}
