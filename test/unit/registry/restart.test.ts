import { describe, expect, it } from '@jest/globals';
import type { Component, StartContext } from '../../../lib/core/component.js';
import { ComponentFailedError, RestartLimitError } from '../../../lib/core/errors.js';
import type { RegisterOptions } from '../../../lib/registry/component-definition.js';
import { aborted, Fixture, RESTART, watch } from './registry-fixture.js';

/** Runs for a time each, then fails, or finishes where no error is given. */
class Flaky implements Component {
  readonly name = 'feed';
  readonly startedAt: number[] = [];
  running = 0;

  constructor(
    private readonly fixture: Fixture,
    private readonly livesMs: number[],
    private readonly error?: Error,
  ) {}

  async start({ signal }: StartContext): Promise<void> {
    const livesMs = this.livesMs[this.startedAt.length];
    this.startedAt.push(this.fixture.clock.now());
    this.running++;
    if (livesMs === undefined) await aborted(signal);
    else await Promise.race([this.fixture.pause(livesMs), aborted(signal)]);
    this.running--;
    if (this.error !== undefined && !signal.aborted) throw this.error;
  }
}

const boom = new Error('boom');

async function flaky(livesMs: number[], options: RegisterOptions, error?: Error) {
  const fixture = new Fixture();
  const feed = new Flaky(fixture, livesMs, error);
  fixture.add(feed, options);
  const starter = await fixture.start();
  return { fixture, feed, starter };
}

describe('a component with restart: "on-failure"', () => {
  it('is started again after a delay that grows, and says when', async () => {
    const { fixture, feed, starter } = await flaky([0, 0, 0], { restart: 'on-failure' }, boom);
    await fixture.clock.advance(200);

    expect(feed.startedAt).toEqual([0, 10, 30, 70]);
    expect(fixture.path('feed')).toBe('starting failed starting failed starting failed starting running');
    const failed = fixture.events.filter(({ to }) => to === 'failed');
    expect(failed.map(({ restartInMs }) => restartInMs)).toEqual([10, 20, 40]);
    expect(fixture.events.filter(({ to }) => to === 'starting').map(({ restarts }) => restarts)).toEqual([0, 1, 2, 3]);
    expect(fixture.info('feed')).toMatchObject({ status: 'running', restarts: 3 });
    expect(fixture.info('feed')).not.toHaveProperty('error');
    expect(fixture.failures).toHaveLength(3);
    const done = watch(starter.value!.done);
    await fixture.clock.settle();
    expect(done.state).toBe('pending');
    await fixture.stop();
    expect(done.state).toBe('resolved');
  });

  it('is failed, not for good, while it waits', async () => {
    const { fixture } = await flaky([0], { restart: 'on-failure' }, boom);

    expect(fixture.info('feed')).toMatchObject({ status: 'failed', error: 'boom' });
    expect(fixture.registry.snapshot()[0]).toMatchObject({ failedForGood: false });
    expect(fixture.log.at(-1)).toBe('error: feed failed, it starts again in 10 ms: boom');
  });

  it('is failed for good past the cap, and says so', async () => {
    const { fixture, feed, starter } = await flaky(
      Array.from({ length: 9 }, () => 1),
      { restart: { mode: 'on-failure', maxRestarts: 3 } },
      boom,
    );
    const done = watch(starter.value!.done);
    await fixture.clock.advance(1000);

    expect(feed.startedAt).toHaveLength(4);
    expect(fixture.registry.snapshot()[0]).toMatchObject({ failedForGood: true, info: { restarts: 3 } });
    expect(fixture.events.at(-1)).not.toHaveProperty('restartInMs');
    expect(done.error).toBeInstanceOf(ComponentFailedError);
    expect(fixture.clock.pending).toBe(0);
  });

  it('counts and waits from the beginning after a run that was ready for the stable time', async () => {
    const lives = [1, 1, RESTART.stableAfterMs, 1];
    const { fixture } = await flaky(lives, { restart: { mode: 'on-failure', maxRestarts: 2 } }, boom);
    await fixture.clock.advance(2000);

    const failed = fixture.events.filter(({ to }) => to === 'failed');
    expect(failed.map(({ restartInMs }) => restartInMs)).toEqual([10, 20, 10, 20]);
    expect(fixture.status('feed')).toBe('running');
  });

  it('does not count from the beginning after runs that were ready for less', async () => {
    const lives = Array.from({ length: 9 }, () => RESTART.stableAfterMs - 1);
    const { fixture, feed } = await flaky(lives, { restart: { mode: 'on-failure', maxRestarts: 2 } }, boom);
    await fixture.clock.advance(10_000);

    expect(feed.startedAt).toHaveLength(3);
    expect(fixture.status('feed')).toBe('failed');
  });

  it('is not started again when it finishes', async () => {
    const { fixture, feed } = await flaky([1], { restart: 'on-failure', completes: true });
    await fixture.clock.advance(1000);

    expect(feed.startedAt).toHaveLength(1);
    expect(fixture.path('feed')).toBe('starting running stopped');
  });

  it('never overlaps itself, also when a broken run settles slowly', async () => {
    const fixture = new Fixture();
    const fails: StartContext['fail'][] = [];
    let running = 0;
    fixture.add(
      {
        name: 'feed',
        start: ({ fail }) => {
          expect(++running).toBe(1);
          fails.push(fail);
        },
        stop: async () => {
          await fixture.pause(70);
          running--;
        },
      },
      { restart: 'on-failure' },
    );
    await fixture.start();
    fails[0]!(boom);
    await fixture.clock.advance(70);
    expect(fixture.status('feed')).toBe('failed');
    await fixture.clock.advance(10);

    expect(fixture.status('feed')).toBe('running');
    expect(fails).toHaveLength(2);
    fails[0]!(new Error('of the first run'));
    await fixture.clock.settle();
    expect(fixture.status('feed')).toBe('running');
  });
});

describe('no restart', () => {
  it('follows a stop that comes while the component waits for it', async () => {
    const { fixture, feed } = await flaky([0], { restart: 'on-failure' }, boom);
    await fixture.stop();
    await fixture.clock.advance(1000);

    expect(feed.startedAt).toHaveLength(1);
    expect(fixture.path('feed')).toBe('starting failed stopped');
    expect(fixture.clock.pending).toBe(0);
  });

  it('follows the end of a term', async () => {
    const fixture = new Fixture();
    const feed = new Flaky(fixture, [0], boom);
    fixture.add(feed, { leaderOnly: true, restart: 'always' });
    await fixture.start();
    const term = await fixture.elect();
    term.end('lost');
    await fixture.clock.advance(1000);

    expect(feed.startedAt).toHaveLength(1);
    expect(fixture.path('feed')).toBe('standby starting failed standby');
  });

  it('follows a failure after the abort', async () => {
    const start = ({ signal }: StartContext) => aborted(signal).then(() => Promise.reject(boom));
    const fixture = new Fixture().add({ name: 'feed', start }, { restart: 'always' });
    await fixture.start();
    await fixture.stop();
    await fixture.clock.advance(1000);

    expect(fixture.path('feed')).toBe('starting running stopping failed');
  });

  it('follows in mode "never"', async () => {
    const { fixture } = await flaky([0], {}, boom);
    await fixture.clock.advance(100_000);

    expect(fixture.path('feed')).toBe('starting failed');
  });
});

describe('the count of restarts', () => {
  it('survives terms, so that a component that fails in each does not start over', async () => {
    const fixture = new Fixture();
    const feed = new Flaky(
      fixture,
      Array.from({ length: 99 }, () => 1),
      boom,
    );
    fixture.add(feed, { leaderOnly: true, restart: { mode: 'on-failure', maxRestarts: 3 } });
    await fixture.start();
    const starts: number[] = [];
    for (let round = 0; round < 3; round++) {
      const before = feed.startedAt.length;
      const term = await fixture.elect();
      await fixture.clock.advance(1000);
      starts.push(feed.startedAt.length - before);
      expect(fixture.registry.snapshot()[0]).toMatchObject({ failedForGood: true });
      term.end('lost');
      await fixture.clock.settle();
    }

    expect(starts).toEqual([4, 1, 1]);
  });

  it('is not cleared by the time on standby', async () => {
    const fixture = new Fixture();
    const feed = new Flaky(fixture, [1, 20, 1], boom);
    fixture.add(feed, { leaderOnly: true, restart: { mode: 'on-failure', maxRestarts: 1 } });
    await fixture.start();
    const first = await fixture.elect();
    await fixture.clock.advance(15);
    first.end('lost');
    await fixture.clock.advance(RESTART.stableAfterMs);
    await fixture.elect();
    await fixture.clock.advance(1);

    expect(fixture.registry.snapshot()[0]).toMatchObject({ failedForGood: true });
  });

  it('is not cleared by the time on standby of one that left its term before its turn', async () => {
    let starts = 0;
    const start = ({ term }: StartContext) => (++starts === 2 ? aborted(term!.signal) : Promise.reject(boom));
    const fixture = new Fixture()
      .add({ name: 'feed', start }, { leaderOnly: true, restart: { mode: 'on-failure', maxRestarts: 1 } })
      .service('dependent', { leaderOnly: true, dependsOn: ['feed'], stopMs: 50 });
    await fixture.start();
    const first = await fixture.elect();
    await fixture.clock.advance(20);
    expect(fixture.status('dependent')).toBe('running');
    first.end('lost');
    await fixture.clock.advance(RESTART.stableAfterMs);
    await fixture.elect();

    expect(fixture.registry.snapshot()[0]).toMatchObject({ failedForGood: true });
  });

  it('is cleared by a stable run that ended with its term', async () => {
    const fixture = new Fixture();
    const feed = new Flaky(fixture, [1, 9999, 1], boom);
    fixture.add(feed, { leaderOnly: true, restart: { mode: 'on-failure', maxRestarts: 1 } });
    await fixture.start();
    const first = await fixture.elect();
    await fixture.clock.advance(11 + RESTART.stableAfterMs);
    first.end('lost');
    await fixture.elect();
    await fixture.clock.advance(1);

    expect(fixture.events.at(-1)).toMatchObject({ to: 'failed', restartInMs: 10 });
  });
});

describe('a component with restart: "always"', () => {
  it('is started again when it finishes, and is stopped meanwhile', async () => {
    const { fixture, feed } = await flaky([1, 1], { restart: 'always' });
    await fixture.clock.advance(1);
    expect(fixture.status('feed')).toBe('stopped');
    await fixture.clock.advance(100);

    expect(feed.startedAt).toEqual([0, 11, 32]);
    expect(fixture.path('feed')).toBe('starting running stopped starting running stopped starting running');
    expect(fixture.failures).toEqual([]);
    expect(fixture.log.filter((line) => line.startsWith('warn:'))).toEqual([]);
  });

  it('is failed for good when it finishes more often than it may be restarted', async () => {
    const lives = Array.from({ length: 9 }, () => 1);
    const { fixture, feed, starter } = await flaky(lives, { restart: { mode: 'always', maxRestarts: 2 } });
    const done = watch(starter.value!.done);
    await fixture.clock.advance(1000);

    expect(feed.startedAt).toHaveLength(3);
    expect(fixture.path('feed')).toBe('starting running stopped starting running stopped starting running failed');
    expect(fixture.failures).toEqual([{ error: expect.any(RestartLimitError), info: expect.anything() }]);
    expect(fixture.info('feed').error).toBe(
      'Component "feed" finished by itself after 2 restarts within 10000 ms. ' +
        'Find out why it does not stay up, or raise restart.maxRestarts.',
    );
    expect(done.state).toMatch(/^Component "feed" failed: /);
  });

  it('is started again when it fails', async () => {
    const { fixture } = await flaky([1], { restart: 'always' }, boom);
    await fixture.clock.advance(100);

    expect(fixture.path('feed')).toBe('starting running failed starting running');
  });
});

describe('a component that finishes by itself', () => {
  it('is warned about once, unless it is meant to', async () => {
    const fixture = new Fixture();
    fixture
      .add({ name: 'early', start: () => undefined })
      .add({ name: 'job', start: () => undefined }, { completes: true });
    await fixture.start();
    await fixture.start();

    expect(fixture.log.filter((line) => line.startsWith('warn:'))).toEqual([
      'warn: Component "early" finished by itself: start() resolved before its signal was aborted. ' +
        'If it is meant to finish, say completes: true; if it is a service, give it a stop() method.',
    ]);
    expect(fixture.path('early')).toBe('starting stopped starting stopped');
  });
});
