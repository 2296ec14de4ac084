import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { sharedAbortController } from '../../../lib/core/abort.js';
import { untilAborted, type LeadershipTerm } from 'nestjs-lifecycle';
import { LocalElector } from 'nestjs-lifecycle/electors/local';
import { until } from '../../fixtures/until.js';
import { expectSpread } from '../spread.js';

test.each([0, 200])('nine elections are spread over three replicas that start %d ms apart', async (gapMs) => {
  const directory = await mkdtemp(join(tmpdir(), 'local-spread-'));
  const namespace = `spread-${process.pid}-${gapMs}`;
  try {
    await expectSpread(() => new LocalElector({ namespace, directory, spread: true }), gapMs);
  } finally {
    await rm(directory, { recursive: true });
  }
});

test('a process that takes over many elections gives a sign of life for each while it takes them in turn', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'local-turns-'));
  const elector = new LocalElector({ namespace: `turns-${process.pid}`, directory, spread: true });
  const control = sharedAbortController();
  const lastSignAt = new Map<string, number>();
  let longestSilenceMs = 0;
  let led = 0;
  const campaigns = Array.from({ length: 30 }, (_, index) => {
    const election = `e${index}`;
    const sign = () => {
      const now = performance.now();
      longestSilenceMs = Math.max(longestSilenceMs, now - (lastSignAt.get(election) ?? now));
      lastSignAt.set(election, now);
    };
    sign();
    const onElected = async (term: LeadershipTerm) => {
      sign();
      led++;
      await untilAborted(term.signal);
    };
    const candidate = { identity: 'me', onElected, onLeaderObserved: sign, onReport: sign };
    return elector.campaign(election, candidate, control.signal);
  });
  try {
    await until(() => led === campaigns.length);

    expect(longestSilenceMs).toBeLessThanOrEqual(elector.reportsWithinMs);
  } finally {
    control.abort();
    await Promise.all(campaigns);
    await rm(directory, { recursive: true });
  }
});
