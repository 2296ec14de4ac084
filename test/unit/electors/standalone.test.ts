import { describe, expect, test } from '@jest/globals';
import type { Clock } from '../../../lib/core/clock.js';
import { StandaloneElector } from '../../../lib/electors/standalone/standalone-elector.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';
import { ContractCandidate } from '../../../lib/testing/contract/contract-candidate.js';

/** Monotonic time as on a manual clock, and a wall clock that can be set. */
class WallClock extends ManualClock {
  wall = 1_700_000_000_000;

  override wallNow(): number {
    return this.wall;
  }
}

function campaigning(clock: ManualClock & Clock, elector = new StandaloneElector({ clock })) {
  const candidate = new ContractCandidate();
  const control = new AbortController();
  const campaign = elector.campaign('default', candidate, control.signal);
  return { candidate, elector, end: () => (control.abort(new Error('over')), campaign) };
}

describe('StandaloneElector', () => {
  test('leads at once, and says that there is nobody else', () => {
    const { candidate, elector, end } = campaigning(new WallClock());

    expect(candidate.leads).toBe(true);
    expect(candidate.observed).toEqual(['me']);
    expect(elector.standalone).toBe(true);
    return end();
  });

  test('leads in every election at the same time', async () => {
    const clock = new WallClock();
    const first = campaigning(clock);
    const second = new ContractCandidate();
    const control = new AbortController();
    const campaign = first.elector.campaign('other', second, control.signal);

    expect([first.candidate.leads, second.leads]).toEqual([true, true]);
    expect(second.terms[0]?.election).toBe('other');
    control.abort();
    await Promise.all([campaign, first.end()]);
  });

  test('hands out its clock in microseconds as the fencing token', () => {
    const { candidate, end } = campaigning(new WallClock());

    expect(candidate.terms[0]?.fencingToken).toBe(1_700_000_000_000_000n);
    return end();
  });

  test('takes a clock that counts parts of milliseconds', async () => {
    const clock = new WallClock();
    clock.wall = 1000.25;
    const { candidate, end } = campaigning(clock);

    expect(candidate.terms[0]?.fencingToken).toBe(1_000_250n);
    await end();
  });

  test('hands out rising tokens also when the wall clock stands still, or is set back', async () => {
    const clock = new WallClock();
    const { candidate, end } = campaigning(clock);
    for (const change of [0, -3_600_000, 0, 7_200_000]) {
      clock.wall += change;
      candidate.resign();
      await clock.advance(1000);
    }

    const tokens = candidate.terms.map((it) => it.fencingToken);
    expect(tokens).toHaveLength(5);
    expect(tokens.slice(1).every((token, index) => token > tokens[index]!)).toBe(true);
    await end();
  });

  test('leads again a second after the candidate has resigned', async () => {
    const clock = new WallClock();
    const { candidate, end } = campaigning(clock);

    candidate.resign();
    await clock.advance(999);
    expect([candidate.terms.length, candidate.leads]).toEqual([1, false]);
    expect(candidate.observed).toStrictEqual(['me', undefined]);
    await clock.advance(1);

    expect([candidate.terms.length, candidate.leads]).toEqual([2, true]);
    await end();
  });

  test('leaves no timer behind when it is ended between two terms', async () => {
    const clock = new WallClock();
    const { candidate, end } = campaigning(clock);
    candidate.resign();
    await clock.settle();

    await end();

    expect(clock.pending).toBe(0);
  });

  test('takes work that rejects for a resignation, and reports it', async () => {
    const clock = new WallClock();
    const { candidate, end } = campaigning(clock);
    candidate.settling = Promise.reject(new Error('broken'));
    candidate.resign();
    await clock.settle();
    candidate.settling = Promise.resolve();

    await clock.advance(1000);

    expect(candidate.reports).toMatchObject([{ kind: 'error', operation: 'onElected', error: { message: 'broken' } }]);
    expect(candidate.leads).toBe(true);
    await end();
  });
});
