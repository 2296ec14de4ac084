import { describe, expect, it, jest } from '@jest/globals';
import type { Component, StartContext } from '../../../lib/core/component.js';
import { aborted, Fixture, never, RESTART, STOP_TIMEOUT_MS } from './registry-fixture.js';
import { Feed, type Signaler } from './signaling-feed.js';

describe('a run-style component', () => {
  it('is ready once start was entered', async () => {
    const fixture = new Fixture().worker('feed');
    const starter = await fixture.start();

    expect(starter.state).toBe('resolved');
    expect(fixture.path('feed')).toBe('starting running');
    expect(fixture.clock.pending).toBe(0);
  });

  it('is never running when start returns at once', async () => {
    const fixture = new Fixture().add({ name: 'feed', start: () => undefined });
    await fixture.start();

    expect(fixture.path('feed')).toBe('starting stopped');
  });

  it('becomes ready also where a test of its author has faked the timers', async () => {
    jest.useFakeTimers();
    try {
      const fixture = new Fixture().worker('feed');
      const starter = fixture.registry.startAll(new AbortController().signal, false);

      await expect(starter).resolves.toBeDefined();
      expect(fixture.status('feed')).toBe('running');
    } finally {
      jest.useRealTimers();
    }
  });
});

describe('a service-style component', () => {
  it('is ready once start has resolved', async () => {
    const fixture = new Fixture().service('feed', { startMs: 20 });
    const starter = await fixture.start();
    expect(starter.state).toBe('pending');
    expect(fixture.status('feed')).toBe('starting');

    await fixture.clock.advance(20);
    expect(starter.state).toBe('resolved');
    expect(fixture.path('feed')).toBe('starting running');
    expect(fixture.events.at(-1)).toMatchObject({ durationMs: 20 });
  });
});

describe('subscriptionReady()', () => {
  it('is asked right after start was entered, and decides when the component is ready', async () => {
    const feed = new Feed();
    const fixture = new Fixture().add(feed);
    const starter = await fixture.start();
    expect(feed.calls).toEqual(['start', 'subscriptionReady']);
    expect(fixture.path('feed')).toBe('starting');
    expect(starter.state).toBe('pending');

    feed.ready[0]!.resolve();
    await fixture.clock.settle();
    expect(fixture.path('feed')).toBe('starting running');
    expect(starter.state).toBe('resolved');
  });

  it('decides also for a service whose start is still pending', async () => {
    const stop = jest.fn<() => void>();
    const component = { name: 'feed', start: never, subscriptionReady: () => Promise.resolve(), stop };
    const fixture = new Fixture().add(component);
    await fixture.start();
    expect(fixture.path('feed')).toBe('starting running');

    await fixture.stop();
    await fixture.clock.advance(STOP_TIMEOUT_MS / 2);
    expect(stop).toHaveBeenCalledTimes(1);
  });

  it('is asked anew in each run', async () => {
    const feed = new Feed();
    const fixture = new Fixture().add(feed, { leaderOnly: true });
    await fixture.start();
    for (const round of [1, 2, 3]) {
      const term = await fixture.elect();
      expect(feed.ready).toHaveLength(round);
      expect(fixture.status('feed')).toBe('starting');
      feed.ready.at(-1)!.resolve();
      await fixture.clock.settle();
      expect(fixture.status('feed')).toBe('running');
      term.end('lost');
      await fixture.clock.settle();
    }
    expect(fixture.status('feed')).toBe('standby');
  });

  it('is asked anew after a restart, and an earlier answer counts for nothing', async () => {
    const feed = new Feed();
    let fail: StartContext['fail'];
    const start = feed.start.bind(feed);
    feed.start = (context) => {
      ({ fail } = context);
      return start(context);
    };
    const fixture = new Fixture().add(feed, { restart: 'on-failure' });
    await fixture.start();
    fail!(new Error('broke'));
    await fixture.clock.advance(RESTART.initialDelayMs);
    expect(feed.ready).toHaveLength(2);

    feed.ready[0]!.resolve();
    await fixture.clock.settle();
    expect(fixture.path('feed')).toBe('starting failed starting');
    feed.ready[1]!.resolve();
    await fixture.clock.settle();
    expect(fixture.path('feed')).toBe('starting failed starting running');
  });

  it.each<[string, () => Promise<void>]>([
    [
      'throws',
      () => {
        throw new Error('not subscribed');
      },
    ],
    ['rejects', () => Promise.reject(new Error('not subscribed'))],
  ])('makes the component failed when it %s, and its signal is aborted', async (_, subscriptionReady) => {
    let signal: AbortSignal;
    const component: Signaler = {
      name: 'feed',
      start: (context) => {
        ({ signal } = context);
        return aborted(signal);
      },
      subscriptionReady,
    };
    const fixture = new Fixture().add(component);
    const starter = await fixture.start();

    expect(starter.state).toBe('resolved');
    expect(fixture.path('feed')).toBe('starting failed');
    expect(fixture.info('feed').error).toBe('not subscribed');
    expect(signal!.aborted).toBe(true);
  });

  it('is not asked when start threw, and the failure of start is what is kept', async () => {
    const subscriptionReady = jest.fn(never);
    const start = () => {
      throw new Error('boom');
    };
    const fixture = new Fixture().add({ name: 'feed', start, subscriptionReady } as Component);
    await fixture.start();

    expect(subscriptionReady).not.toHaveBeenCalled();
    expect(fixture.info('feed').error).toBe('boom');
  });

  it('that is not called back any more after its own run changes nothing', async () => {
    const feed = new Feed();
    const fixture = new Fixture().add(feed);
    await fixture.start();
    await fixture.stop();
    feed.ready[0]!.reject(new Error('too late'));
    await fixture.clock.settle();

    expect(fixture.path('feed')).toBe('starting stopping stopped');
    expect(fixture.failures).toEqual([]);
  });
});
