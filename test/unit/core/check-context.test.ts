import { expect, it } from '@jest/globals';
import { ElectionTerm } from '../../../lib/core/election-term.js';
import { checkWithin, currentRunContext, outsideOfRuns, runWithin } from '../../../lib/core/run-context.js';

const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));
const inTime = new AbortController().signal;
const termless = { startedAt: 1 };

async function seenAfterATurn(): Promise<unknown> {
  await turn();
  return currentRunContext();
}

it('a health check sees its run until it has settled, also without a term', async () => {
  const seen = await checkWithin(termless, inTime, seenAfterATurn);
  expect(seen).toBe(termless);
  expect(currentRunContext()).toBeUndefined();
});

it('checks that overlap each see their own run', async () => {
  const runs = [{ startedAt: 1 }, { startedAt: 2 }, { startedAt: 3 }];
  const seen = runs.map((run, index) =>
    checkWithin(run, new AbortController().signal, async () => {
      for (let i = 0; i <= index; i++) await turn();
      return currentRunContext();
    }),
  );
  expect(await Promise.all(seen)).toEqual(runs);
});

it('a check that throws is over', async () => {
  await expect(checkWithin(termless, inTime, () => Promise.reject(new Error('boom')))).rejects.toThrow('boom');
  expect(await seenAfterATurn()).toBeUndefined();
});

it('a check whose time is over still hands back its result', async () => {
  const abort = new AbortController();
  const check = checkWithin(termless, abort.signal, async () => {
    abort.abort();
    await turn();
    return 'settled';
  });
  expect(await check).toBe('settled');
});

it('a run without a term belongs to no run, also when it begins within another', async () => {
  expect(runWithin(termless, currentRunContext)).toBeUndefined();
  const inner = await checkWithin({ startedAt: 2 }, inTime, () => runWithin(termless, seenAfterATurn));
  expect(inner).toBeUndefined();
});

// Last, since a process that has had a term keeps looking.
it('the end of a check leaves the runs with a term as they are', async () => {
  const run = { startedAt: 1, term: new ElectionTerm({ election: 'default', identity: 'me', fencingToken: 1n }) };
  const seen = runWithin(run, async () => {
    await checkWithin(termless, inTime, () => undefined);
    return [currentRunContext(), await seenAfterATurn(), await outsideOfRuns(seenAfterATurn)];
  });
  expect(await seen).toEqual([run, run, undefined]);
});
