import { getMaxListeners } from 'node:events';
import { expect, test } from '@jest/globals';
import { sharedAbortController } from '../../../lib/core/abort.js';
import type { StartContext } from '../../../lib/core/component.js';
import { ElectionTerm } from '../../../lib/core/election-term.js';
import { Registry } from '../../../lib/registry/registry.js';

const UNLIMITED = Number.POSITIVE_INFINITY;

test('a shared signal takes any number of listeners without a warning', () => {
  expect(getMaxListeners(sharedAbortController().signal)).toBe(UNLIMITED);
});

test('the signals of a run and of its term are shared', async () => {
  const seen: number[] = [];
  const registry = new Registry();
  const start = ({ signal, term }: StartContext) => {
    seen.push(getMaxListeners(signal));
    if (term !== undefined) seen.push(getMaxListeners(term.signal));
  };
  registry.register({ name: 'worker', start, stop: () => undefined }, { leaderOnly: true });

  await registry.startLeaderOnlyComponentsAsync(
    new ElectionTerm({ election: 'default', identity: 'me', fencingToken: 1n }),
  );
  await registry.stopAll();

  expect(seen).toEqual([UNLIMITED, UNLIMITED]);
});
