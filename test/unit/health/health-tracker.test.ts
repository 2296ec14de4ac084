import { InvalidOptionError, StallError } from '../../../lib/core/errors.js';
import { checkWithin } from '../../../lib/core/run-context.js';
import {
  activityStallTimeoutMs,
  createActivityTracker,
  createProcessingTracker,
} from '../../../lib/health/create-tracker.js';
import { HealthTracker } from '../../../lib/health/health-tracker.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';

describe('an activity tracker', () => {
  it('is healthy up to its timeout after the last activity, and stalled beyond', async () => {
    const clock = new ManualClock();
    const tracker = createActivityTracker('poller', 500, { clock });
    await clock.advance(400);
    tracker.recordActivity();
    await clock.advance(500);
    expect(() => tracker.check()).not.toThrow();
    await clock.advance(1);
    expect(() => tracker.check()).toThrow(StallError);
  });

  it('says the same for as long as one stall lasts, and carries how long that is', async () => {
    const clock = new ManualClock();
    const tracker = createActivityTracker('poller', 500, { clock });
    const stallNow = async (afterMs: number) => {
      await clock.advance(afterMs);
      return thrownBy(() => tracker.check());
    };

    const [early, late] = [await stallNow(600), await stallNow(1000)];

    expect(late.message).toBe(early.message);
    expect([early.stalledForMs, late.stalledForMs]).toEqual([600, 1600]);
  });

  it('names the component and the limit', async () => {
    const clock = new ManualClock();
    const tracker = createActivityTracker('poller', 500, { clock });
    await clock.advance(1234);
    expect(() => tracker.check()).toThrow(
      /^Component "poller" has stalled: no activity was recorded for longer than its limit of 500 ms\. /,
    );
  });

  it('recovers with the next activity', async () => {
    const clock = new ManualClock();
    const tracker = createActivityTracker('poller', 500, { clock });
    await clock.advance(9000);
    tracker.recordActivity();
    expect(() => tracker.check()).not.toThrow();
  });

  it('does not judge how long processing takes', async () => {
    const clock = new ManualClock();
    const tracker = createActivityTracker('poller', 500, { clock });
    tracker.startProcessing();
    await clock.advance(9000);
    tracker.recordActivity();
    expect(() => tracker.check()).not.toThrow();
  });
});

describe('a processing tracker', () => {
  it('is healthy while idle, however long', async () => {
    const clock = new ManualClock();
    const tracker = createProcessingTracker('consumer', 500, { clock });
    await clock.advance(1_000_000);
    expect(() => tracker.check()).not.toThrow();
  });

  it('is stalled while processing takes longer than its timeout, and healthy once it has ended', async () => {
    const clock = new ManualClock();
    const tracker = createProcessingTracker('consumer', 500, { clock });
    tracker.startProcessing();
    await clock.advance(500);
    expect(() => tracker.check()).not.toThrow();
    await clock.advance(100);
    expect(() => tracker.check()).toThrow(
      /"consumer" has stalled: processing one event takes longer than its limit of 500 ms/,
    );
    tracker.endProcessing();
    expect(() => tracker.check()).not.toThrow();
  });

  it('is judged by the oldest of what overlaps, in whatever order it ends', async () => {
    const clock = new ManualClock();
    const tracker = createProcessingTracker('consumer', 500, { clock });
    const first = tracker.startProcessing();
    await clock.advance(300);
    const second = tracker.startProcessing();
    const third = tracker.startProcessing();
    await clock.advance(300);
    expect(() => tracker.check()).toThrow(StallError);
    tracker.endProcessing(second);
    expect(() => tracker.check()).toThrow(StallError);
    tracker.endProcessing(first);
    expect(() => tracker.check()).not.toThrow();
    await clock.advance(300);
    expect(() => tracker.check()).toThrow(StallError);
    tracker.endProcessing(third);
    expect(() => tracker.check()).not.toThrow();
  });

  it('ignores handles that have ended, come from another tracker, or are no handles', async () => {
    const clock = new ManualClock();
    const tracker = createProcessingTracker('consumer', 500, { clock });
    const ended = tracker.startProcessing();
    tracker.endProcessing(ended);
    tracker.startProcessing();
    await clock.advance(600);
    tracker.endProcessing(ended);
    tracker.endProcessing(createProcessingTracker('other', 500, { clock }).startProcessing());
    tracker.endProcessing({ startedAt: 0 });
    expect(() => tracker.check()).toThrow(StallError);
  });

  it('does nothing when processing that never started ends', () => {
    const tracker = createProcessingTracker('consumer', 500);
    expect(() => tracker.endProcessing()).not.toThrow();
  });

  it('ends the oldest when no handle says which', async () => {
    const clock = new ManualClock();
    const tracker = createProcessingTracker('consumer', 500, { clock });
    tracker.startProcessing();
    await clock.advance(400);
    tracker.startProcessing();
    tracker.endProcessing();
    await clock.advance(400);
    expect(() => tracker.check()).not.toThrow();
    await clock.advance(200);
    expect(() => tracker.check()).toThrow(StallError);
  });
});

describe('track()', () => {
  const stalledLater = async (use: (tracker: HealthTracker) => unknown) => {
    const clock = new ManualClock();
    const tracker = createProcessingTracker('consumer', 500, { clock });
    try {
      await use(tracker);
    } catch {
      // What it threw is asserted elsewhere.
    }
    await clock.advance(9000);
    try {
      tracker.check();
      return false;
    } catch {
      return true;
    }
  };

  it('passes a sync result on and ends', async () => {
    const tracker = createProcessingTracker('consumer', 500);
    expect(tracker.track(() => 42)).toBe(42);
    expect(await stalledLater((it) => it.track(() => 42))).toBe(false);
  });

  it('ends when the function throws, and passes the error on', async () => {
    const tracker = createProcessingTracker('consumer', 500);
    const boom = new Error('boom');
    const thrower = (): number => {
      throw boom;
    };
    expect(() => tracker.track(thrower)).toThrow(boom);
    expect(await stalledLater((it) => it.track(thrower))).toBe(false);
  });

  it('ends when a promise resolves or rejects, not before', async () => {
    expect(await stalledLater((it) => it.track(() => Promise.resolve(1)))).toBe(false);
    expect(await stalledLater((it) => it.track(() => Promise.reject(new Error('boom'))))).toBe(false);
    expect(await stalledLater((it) => void it.track(() => new Promise(() => undefined)))).toBe(true);
    const tracker = createProcessingTracker('consumer', 500);
    await expect(tracker.track(() => Promise.resolve('result'))).resolves.toBe('result');
    await expect(tracker.track(() => Promise.reject(new Error('boom')))).rejects.toThrow('boom');
  });

  it('runs a query that is started by its then() only once', async () => {
    const tracker = createProcessingTracker('consumer', 500);
    let runs = 0;
    const query: PromiseLike<string> = {
      // oxlint-disable-next-line unicorn/no-thenable
      then: (resolve, reject) => Promise.resolve(`run ${++runs}`).then(resolve, reject),
    };
    await expect(tracker.track(() => query)).resolves.toBe('run 1');
    expect(runs).toBe(1);
  });
});

describe('a tracker in a run', () => {
  const inTime = new AbortController().signal;

  it('that was made long before the start reports no stall at the first check', async () => {
    const clock = new ManualClock();
    const tracker = createActivityTracker('poller', 500, { clock });
    await clock.advance(1_000_000);
    const run = { startedAt: clock.now() };
    await clock.advance(500);
    await expect(checkWithin(run, inTime, () => tracker.check())).resolves.toBeUndefined();
    await clock.advance(1);
    await expect(checkWithin(run, inTime, () => tracker.check())).rejects.toMatchObject({ stalledForMs: 501 });
  });

  it('is not judged by processing that an earlier run left behind', async () => {
    const clock = new ManualClock();
    const tracker = createProcessingTracker('consumer', 500, { clock });
    const leftBehind = tracker.startProcessing();
    await clock.advance(10_000);
    const run = { startedAt: clock.now() };
    tracker.startProcessing();
    await expect(checkWithin(run, inTime, () => tracker.check())).resolves.toBeUndefined();
    await clock.advance(600);
    tracker.endProcessing(leftBehind);
    await expect(checkWithin(run, inTime, () => tracker.check())).rejects.toMatchObject({ stalledForMs: 600 });
  });

  it('stays armed from the start of the run when it is asked from outside afterwards', async () => {
    const clock = new ManualClock();
    const tracker = createActivityTracker('poller', 500, { clock });
    await clock.advance(10_000);
    await checkWithin({ startedAt: clock.now() }, inTime, () => tracker.check());
    expect(() => tracker.check()).not.toThrow();
  });
});

describe('rearm()', () => {
  it('forgets silence and processing so far', async () => {
    const clock = new ManualClock();
    const tracker = new HealthTracker('both', { activityTimeoutMs: 500, processingTimeoutMs: 500, clock });
    tracker.startProcessing();
    await clock.advance(10_000);
    tracker.rearm();
    expect(() => tracker.check()).not.toThrow();
    await clock.advance(501);
    expect(() => tracker.check()).toThrow(/no activity was recorded for longer than its limit of 500 ms/);
  });
});

describe('arguments', () => {
  it('are refused by name when they cannot work', () => {
    const refused: (() => unknown)[] = [
      () => createActivityTracker('', 500),
      () => createActivityTracker(undefined as never, 500),
      () => createActivityTracker('poller', 0),
      () => createActivityTracker('poller', -1),
      () => createActivityTracker('poller', Number.NaN),
      () => createActivityTracker('poller', '30s' as never),
      () => createActivityTracker('poller', undefined as never),
      () => createProcessingTracker('consumer', Number.POSITIVE_INFINITY),
      () => createProcessingTracker('consumer', 500, { clock: {} as never }),
      () => new HealthTracker('neither', {}),
      () => activityStallTimeoutMs(0),
      () => activityStallTimeoutMs(undefined as never),
    ];
    for (const make of refused) expect(make).toThrow(InvalidOptionError);
    expect(() => createActivityTracker('poller', '30s' as never)).toThrow(
      /"timeoutMs" in createActivityTracker\(\) is "30s"/,
    );
  });

  it('have a default clock that moves on', () => {
    expect(() => createActivityTracker('poller', 60_000).check()).not.toThrow();
  });
});

describe('activityStallTimeoutMs()', () => {
  it('allows a tick to be late by half of its interval', () => {
    expect(activityStallTimeoutMs(1000)).toBe(1500);
  });
});

function thrownBy(check: () => void): StallError {
  try {
    check();
  } catch (error) {
    if (error instanceof StallError) return error;
  }
  throw new Error('no StallError was thrown');
}
