import { expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { sharedAbortController, untilAborted } from '../../lib/core/abort.js';
import type { Elector } from '../../lib/core/elector.js';
import { LEASE_TIMINGS } from '../../lib/core/lease/lease-timing.js';
import { until } from '../fixtures/until.js';

const ELECTIONS = Array.from({ length: 9 }, (_, index) => `e${index}`);

/** A replica that stands for nine elections. */
class Replica {
  readonly led = new Set<string>();
  readonly #control = sharedAbortController();
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
 *
 * @param leaseMs of a lease engine: all are led within three leases of the start, and by the one that is left within two
 * leases and 2 s
 */
export async function expectSpread(createElector: () => Elector, gapMs: number, leaseMs?: number): Promise<void> {
  const startLimitMs = leaseMs && 3 * leaseMs;
  const survivorLimitMs = leaseMs && 2 * leaseMs + 2000;
  const replicas: Replica[] = [];
  try {
    for (const identity of ['a', 'b', 'c']) {
      replicas.push(new Replica(identity, createElector()));
      await sleep(gapMs);
    }
    const led = () => replicas.map((it) => it.led.size);
    let most = 0;
    await until(() => {
      most = Math.max(most, ...led());
      return led().reduce((sum, it) => sum + it, 0) === ELECTIONS.length;
    }, startLimitMs);
    expect(most).toBeLessThanOrEqual(4);

    const [survivor, ...others] = replicas;
    await Promise.all(others.map((it) => it.stop()));
    await until(() => survivor?.led.size === ELECTIONS.length, survivorLimitMs);
  } finally {
    await Promise.all(replicas.map((it) => it.stop()));
  }
}

/** The cases of an engine that holds leases, each on a server of its own. */
export function spreadCases(
  start: () => Promise<{ readonly url: string; stop(): Promise<void> }>,
  create: (options: { namespace: string; url: string; timing: 'fast'; spread: true }) => Elector,
): void {
  test.each([0, 200])('nine elections are spread over three replicas that start %d ms apart', async (gapMs) => {
    const server = await start();
    const electors: Elector[] = [];
    const createOne = () => {
      const elector = create({ namespace: 'spread', url: server.url, timing: 'fast', spread: true });
      electors.push(elector);
      return elector;
    };
    try {
      await expectSpread(createOne, gapMs, LEASE_TIMINGS.fast.leaseMs);
    } finally {
      await Promise.all(electors.map(async (it) => it.close?.()));
      await server.stop();
    }
  });
}
