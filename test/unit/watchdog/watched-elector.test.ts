import { describe, expect, test } from '@jest/globals';
import type { Candidate, Elector, LeadershipTerm } from 'nestjs-lifecycle';
import { silentLogger } from '../../../lib/core/logger.js';
import { WatchedCandidate } from '../../../lib/watchdog/watched-candidate.js';
import { WatchedElector } from '../../../lib/watchdog/watched-elector.js';
import type { Watchdog } from '../../../lib/watchdog/watchdog.js';

const silent: Elector = { campaign: async () => undefined };

describe('WatchedElector', () => {
  test('says of itself what the elector says', () => {
    const inner = { ...silent, standalone: true, reportsWithinMs: 5 };

    expect(new WatchedElector(inner, silentLogger)).toMatchObject({ standalone: true, reportsWithinMs: 5 });
    expect(new WatchedElector(silent, silentLogger).reportsWithinMs).toBeUndefined();
  });

  test('passes on diagnosis and close', async () => {
    let closed = 0;
    const inner: Elector = {
      ...silent,
      diagnose: async () => [{ level: 'ok', summary: 'well' }],
      close: async () => void closed++,
    };
    const elector = new WatchedElector(inner, silentLogger);

    expect(await elector.diagnose()).toEqual([{ level: 'ok', summary: 'well' }]);
    await elector.close();
    expect(closed).toBe(1);
  });

  test('has nothing to diagnose or to close where the elector has not', async () => {
    const elector = new WatchedElector(silent, silentLogger);

    expect(await elector.diagnose()).toEqual([]);
    await expect(elector.close()).resolves.toBeUndefined();
  });
});

describe('WatchedCandidate', () => {
  const calls: unknown[] = [];
  const watchdog = {
    expect: (_owner: object, withinMs: number) => calls.push(withinMs),
    acknowledge: () => calls.push('acknowledged'),
  } as unknown as Watchdog;
  const heard: string[] = [];
  const inner: Candidate = {
    identity: 'a',
    onElected: async () => void heard.push('elected'),
    onLeaderObserved: () => heard.push('observed'),
    onReport: ({ kind }) => heard.push(kind),
  };

  function term(remainingMs?: number) {
    const ending = new AbortController();
    const it = {
      signal: ending.signal,
      ...(remainingMs !== undefined && { remainingMs }),
    } as unknown as LeadershipTerm;
    return { it, end: () => ending.abort() };
  }

  test('tells of the deadline at the beginning and at each renewal, and of the end once all have been told', async () => {
    calls.length = heard.length = 0;
    const candidate = new WatchedCandidate(inner, watchdog);
    const { it, end } = term(900);
    await candidate.onElected(it);
    candidate.onReport({ kind: 'read', latencyMs: 1 });
    candidate.onReport({ kind: 'renewal', latencyMs: 1, deadlineInMs: 900 });
    it.signal.addEventListener('abort', () => calls.push('another listener'));

    end();
    await Promise.resolve();
    candidate.onReport({ kind: 'renewal', latencyMs: 1, deadlineInMs: 900 });

    expect(calls).toEqual([900, 900, 'another listener', 'acknowledged']);
    expect(heard).toEqual(['elected', 'read', 'renewal', 'renewal']);
  });

  test('expects nothing of a term without a deadline', async () => {
    calls.length = 0;
    const candidate = new WatchedCandidate(inner, watchdog);
    await candidate.onElected(term().it);
    candidate.onReport({ kind: 'renewal', latencyMs: 1, deadlineInMs: 900 });
    candidate.onLeaderObserved(undefined);

    expect([candidate.identity, calls, heard.at(-1)]).toEqual(['a', [], 'observed']);
  });
});
