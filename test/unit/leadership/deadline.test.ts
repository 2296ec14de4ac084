import { describe, expect, test } from '@jest/globals';
import { aborted, leaderOnly, Replica, ScriptedElector, TermWithDeadline, Worker } from './leadership-fixtures.js';

describe('a term whose deadline has passed without an abort', () => {
  async function overdue(): Promise<{ replica: Replica; worker: Worker; term: TermWithDeadline }> {
    const term = new TermWithDeadline();
    const elector = new ScriptedElector(async ({ candidate, signal }) => {
      void candidate.onElected(term);
      await aborted(signal);
    });
    const replica = new Replica({ elector });
    const worker = leaderOnly(replica);
    await replica.boot();
    expect(replica.leadership.isLeader()).toBe(true);
    term.overdue = true;
    return { replica, worker, term };
  }

  test('is over at the first read of isLeader(), term() and elections()', async () => {
    for (const read of [
      (it: Replica) => it.leadership.isLeader(),
      (it: Replica) => it.leadership.term() !== undefined,
      (it: Replica) => it.leadership.elections()[0]?.leading,
    ]) {
      const { replica } = await overdue();
      expect(read(replica)).toBe(false);
      await replica.leadership.stop();
    }
  });

  test('is ended by the first read, which publishes the loss and stops the work', async () => {
    const { replica, worker } = await overdue();

    expect(worker.contexts[0]?.term?.isValid()).toBe(false);

    expect(replica.terms).toEqual(['+1', '-1']);
    expect(worker.contexts[0]?.signal.aborted).toBe(true);
    await replica.leadership.stop();
  });

  test('does not come back to life when the elector has it valid again', async () => {
    const { replica, term } = await overdue();
    expect(replica.leadership.isLeader()).toBe(false);

    term.overdue = false;

    expect(replica.leadership.isLeader()).toBe(false);
    await replica.leadership.stop();
  });

  test('lets assertValid() throw from then on', async () => {
    const { replica, worker } = await overdue();

    expect(() => worker.contexts[0]?.term?.assertValid()).toThrow(/Term 1 of election "default" has ended/);
    await replica.leadership.stop();
  });
});
