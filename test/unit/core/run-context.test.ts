import { describe, expect, it } from '@jest/globals';
import { ElectionTerm } from '../../../lib/core/election-term.js';
import { currentRunContext, outsideOfRuns, runWithin } from '../../../lib/core/run-context.js';

const term = new ElectionTerm({ election: 'default', identity: 'me', fencingToken: 1n });
const context = { startedAt: 5, term };

describe('the context of a run', () => {
  it('is seen by what the run calls, at any depth and after any wait', async () => {
    const seen = await runWithin(context, async () => {
      await Promise.resolve();
      await new Promise((resolve) => void setImmediate(resolve));
      return (() => currentRunContext())();
    });

    expect(seen).toBe(context);
  });

  it('is not seen outside, also while the run waits', async () => {
    let release = () => undefined as void;
    const run = runWithin(context, () => new Promise<void>((resolve) => (release = resolve)));
    expect(currentRunContext()).toBeUndefined();
    release();
    await run;

    expect(currentRunContext()).toBeUndefined();
  });

  it('is told from that of another run', async () => {
    const other = { startedAt: 6, term };
    const [first, second] = await Promise.all(
      [context, other].map((it) => runWithin(it, async () => (await Promise.resolve(), currentRunContext()))),
    );

    expect(first).toBe(context);
    expect(second).toBe(other);
  });

  it('is left by what outlives the run', async () => {
    const seen = await runWithin(context, async () => {
      const later = outsideOfRuns(async () => (await Promise.resolve(), currentRunContext()));
      return [await later, currentRunContext()];
    });

    expect(seen).toEqual([undefined, context]);
  });

  it('hands back what was returned, and throws what was thrown', () => {
    expect(runWithin(context, () => 7)).toBe(7);
    expect(() =>
      runWithin(context, () => {
        throw new Error('boom');
      }),
    ).toThrow('boom');
    expect(outsideOfRuns(() => 8)).toBe(8);
  });
});
