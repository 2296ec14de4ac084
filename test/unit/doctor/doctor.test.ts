import type { Diagnosis, LeaderInfo } from '../../../lib/core/elector.js';
import type { ObservedApp, ObservedElection } from '../../../lib/core/lifecycle-observer.js';
import { Doctor } from '../../../lib/doctor/doctor.js';
import { EventLoopCheck } from '../../../lib/doctor/event-loop-check.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';

const SETTINGS = {
  drainDelayMs: 0,
  shutdownTimeoutMs: 25_000,
  stopTimeoutMs: 10_000,
  health: { intervalMs: 5000, timeoutMs: 2000 },
  env: {},
};
/** Of an elector; a lease of that name that nobody renews is over by then. */
const REPORTS_WITHIN_MS = 10_000;

class SettableClock extends ManualClock {
  #setByMs = 0;

  override wallNow(): number {
    return super.wallNow() + this.#setByMs;
  }

  setWall(byMs: number): void {
    this.#setByMs += byMs;
  }
}

let clock: SettableClock;
let lines: string[];
let election: ObservedElection;

beforeEach(() => {
  clock = new SettableClock();
  lines = [];
  election = { election: 'default', leading: false };
});

const app = () =>
  ({
    identity: 'me',
    clock,
    logger: {
      log: (line: string) => void lines.push(`log ${line}`),
      warn: (line: string) => void lines.push(`warn ${line}`),
      error: (line: string) => void lines.push(`error ${line}`),
    },
    elections: () => [election],
  }) as unknown as ObservedApp;

function booted(diagnose?: () => Promise<Diagnosis[]>, settings = SETTINGS): Doctor {
  const doctor = new Doctor({ reportsWithinMs: REPORTS_WITHIN_MS, ...(diagnose && { diagnose }) }, settings);
  doctor.attach(app());
  doctor.onPhase({ phase: 'boot', state: 'begun', at: 0 });
  doctor.onPhase({ phase: 'boot', state: 'ended', at: 0, durationMs: 1 });
  return doctor;
}

const ledBy = (identity: string, fencingToken: bigint): LeaderInfo => ({ identity, fencingToken, since: 0 });

describe('after the boot', () => {
  it('is silent for an hour where all is well', async () => {
    booted(async () => [{ level: 'ok', summary: 'Redis 7' }]);
    await clock.advance(3_600_000);
    expect(lines).toEqual([]);
  });

  it('says once what is wrong with settings and engine, and what to do', async () => {
    booted(
      async () => [
        { level: 'warning', summary: 'It evicts keys.', remedy: 'Set noeviction.' },
        { level: 'error', summary: 'It is a replica.', remedy: 'Connect to the primary.' },
        { level: 'ok', summary: 'It is fast.' },
      ],
      { ...SETTINGS, stopTimeoutMs: 60_000 },
    );
    await clock.advance(4999);
    expect(lines).toEqual([]);
    await clock.advance(3_600_000);
    expect(lines).toEqual([
      expect.stringMatching(/^warn stopTimeoutMs \(60000 ms\).* Raise shutdownTimeoutMs/),
      'warn It evicts keys. Set noeviction.',
      'error It is a replica. Connect to the primary.',
    ]);
  });

  it('says so in one line when the engine cannot be examined', async () => {
    booted(() => Promise.reject(new Error('no route')));
    await clock.advance(60_000);
    expect(lines).toEqual(['warn The engine could not be examined: no route']);
  });

  it('says so in one line when what the elector finds is no list', async () => {
    booted((() => 'all is well') as unknown as () => Promise<Diagnosis[]>);
    booted((() => Promise.resolve(undefined)) as unknown as () => Promise<Diagnosis[]>);
    await clock.advance(60_000);
    const line = 'warn The engine could not be examined: diagnose() of the elector gave no list';
    expect(lines).toEqual([line, line]);
  });

  it('leaves no timer when it is over while the engine is asked', async () => {
    const doctor = booted(() => new Promise(() => undefined));
    await clock.advance(6000);
    doctor.detach();
    expect(clock.pending).toBe(0);
  });

  it('does not wait for an engine that does not answer, nor for what it rejects with later', async () => {
    let fail: (error: Error) => void = () => undefined;
    booted(() => new Promise((_, reject) => (fail = reject)));
    await clock.advance(60_000);
    fail(new Error('late'));
    await clock.advance(60_000);
    expect(lines).toEqual([]);
  });

  it.each([
    ['failed', (doctor: Doctor) => doctor.onPhase({ phase: 'boot', state: 'ended', at: 0, error: new Error('x') })],
    [
      'is followed by a shutdown',
      (doctor: Doctor) => {
        doctor.onPhase({ phase: 'boot', state: 'ended', at: 0 });
        doctor.onPhase({ phase: 'shutdown', state: 'begun', at: 0 });
      },
    ],
    [
      'ends when a shutdown has begun',
      (doctor: Doctor) => {
        doctor.onPhase({ phase: 'shutdown', state: 'begun', at: 0 });
        doctor.onPhase({ phase: 'boot', state: 'ended', at: 0 });
      },
    ],
    [
      'is over with its app',
      (doctor: Doctor) => {
        doctor.onPhase({ phase: 'boot', state: 'ended', at: 0 });
        doctor.detach();
      },
    ],
  ])('asks nothing of an app whose boot %s', async (_how, end) => {
    let asked = 0;
    const diagnose = async () => {
      asked++;
      return [];
    };
    const doctor = new Doctor({ diagnose }, SETTINGS);
    doctor.attach(app());
    end(doctor);
    await clock.advance(3_600_000);
    expect(asked).toBe(0);
    expect(clock.pending).toBe(0);
  });
});

describe('an identity', () => {
  it('is not unique when a leader of that name leads on under a token that was never ours', async () => {
    booted();
    election = { election: 'default', leading: false, leader: ledBy('me', 7n) };
    await clock.advance(10_000 + 2 * REPORTS_WITHIN_MS - 1);
    expect(lines).toEqual([]);
    await clock.advance(3_600_000);
    expect(lines).toEqual([expect.stringContaining('warn Another replica that calls itself "me"')]);
  });

  it('is in order when it is that of our own term', async () => {
    const doctor = booted();
    const term = { election: 'default', identity: 'me', fencingToken: 7n, at: 0, durationMs: 0 };
    doctor.onTermProgress({ stage: 'started', ...term });
    election = { election: 'default', leading: false, leader: ledBy('me', 7n) };
    await clock.advance(3_600_000);
    expect(lines).toEqual([]);
  });

  it('is not unique either where our term of another election had the same token', async () => {
    const doctor = booted();
    const term = { election: 'other', identity: 'me', fencingToken: 7n, at: 0, durationMs: 0 };
    doctor.onTermProgress({ stage: 'started', ...term });
    election = { election: 'default', leading: false, leader: ledBy('me', 7n) };
    await clock.advance(3_600_000);
    expect(lines).toEqual([expect.stringContaining('leads election "default"')]);
  });

  it('is in order when the leader of that name is what this process was before it was started again', async () => {
    booted();
    election = { election: 'default', leading: false, leader: ledBy('me', 7n) };
    await clock.advance(2 * REPORTS_WITHIN_MS);
    election = { election: 'default', leading: false, leader: ledBy('you', 8n) };
    await clock.advance(3_600_000);
    expect(lines).toEqual([]);
  });
});

describe('the wall clock', () => {
  it.each([-1001, 1000])('has jumped when it is set by %d ms, which is said once', async (byMs) => {
    booted();
    await clock.advance(10_000);
    clock.setWall(byMs);
    await clock.advance(10_000);
    clock.setWall(byMs);
    await clock.advance(60_000);
    expect(lines).toEqual([expect.stringContaining(`has jumped by ${byMs} ms`)]);
  });

  it('has not jumped when it is slewed', async () => {
    booted();
    for (let look = 0; look < 60; look++) {
      clock.setWall(999);
      await clock.advance(10_000);
    }
    expect(lines).toEqual([]);
  });
});

describe('the event loop', () => {
  const renewal = { kind: 'renewal', latencyMs: 10, deadlineInMs: 5690 } as const;
  const led = [{ election: 'a', leading: true }];
  let histogram: { max: number; resets: number; isOn: boolean };
  let check: EventLoopCheck;

  beforeEach(() => {
    histogram = { max: 0, resets: 0, isOn: false };
    check = new EventLoopCheck(() => {
      histogram.isOn = true;
      return {
        get max() {
          return histogram.max;
        },
        reset: () => void histogram.resets++,
        disable: () => void (histogram.isOn = false),
      };
    });
  });

  it('is not measured before there is a deadline', () => {
    expect(check.look(led)).toBeUndefined();
    expect(histogram.isOn).toBe(false);
  });

  it('is near the margin when it stood still for half of what a term lasts without a renewal', () => {
    check.onRenewal('a', renewal);
    histogram.max = 2849e6;
    expect(check.look(led)).toBeUndefined();
    expect(histogram.resets).toBe(1);
    histogram.max = 2850e6;
    expect(check.look(led)).toMatchObject({ summary: expect.stringContaining('stood still for 2850 ms') });
  });

  it('is not measured any more once that was said', () => {
    check.onRenewal('a', renewal);
    histogram.max = 6000e6;
    check.look(led);
    check.onRenewal('a', renewal);
    expect(histogram.isOn).toBe(false);
    expect(check.look(led)).toBeUndefined();
  });

  it('is judged by the shortest term of those that are led', () => {
    check.onRenewal('b', { ...renewal, deadlineInMs: 1990 });
    check.onRenewal('a', renewal);
    histogram.max = 1000e6;
    expect(check.look(led)).toMatchObject({ summary: expect.stringContaining('a term ends after 2000 ms') });
  });

  it('is judged once more for a term that was lost, which it may have cost, and not measured after that', () => {
    const lost = [{ election: 'a', leading: false }];
    check.onRenewal('a', renewal);
    expect(check.look(lost)).toBeUndefined();
    expect(histogram.isOn).toBe(false);
    check.onRenewal('a', renewal);
    histogram.max = 9000e6;
    expect(check.look(lost)).toMatchObject({ summary: expect.stringContaining('stood still for 9000 ms') });
  });

  it('is measured for real', () => {
    const real = new EventLoopCheck();
    real.onRenewal('a', { ...renewal, deadlineInMs: 1e9 });
    expect(real.look(led)).toBeUndefined();
    real.stop();
  });
});
