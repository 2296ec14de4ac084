import { describe, expect, it } from '@jest/globals';
import { Fixture, never, START_TIMEOUT_MS } from './registry-fixture.js';
import { Feed } from './signaling-feed.js';

describe('a start whose subscriptionReady() never resolves', () => {
  async function hanging() {
    const feed = new Feed();
    const fixture = new Fixture().add(feed);
    const starter = await fixture.start();
    expect(starter.state).toBe('pending');
    return { feed, fixture, starter };
  }

  it('ends with the start timeout, which names what it waited for', async () => {
    const { fixture, starter } = await hanging();
    await fixture.clock.advance(START_TIMEOUT_MS - 1);
    expect(starter.state).toBe('pending');
    await fixture.clock.advance(1);

    expect(starter.state).toBe('resolved');
    expect(fixture.path('feed')).toBe('starting failed');
    expect(fixture.info('feed').error).toMatch(/was not ready after 1000 ms: subscriptionReady\(\) is still pending/);
  });

  it('ends when the component fails', async () => {
    const { feed, fixture, starter } = await hanging();
    feed.over.reject(new Error('boom'));
    await fixture.clock.settle();

    expect(starter.state).toBe('resolved');
    expect(fixture.path('feed')).toBe('starting failed');
  });

  it('ends when the component finishes', async () => {
    const { feed, fixture, starter } = await hanging();
    feed.over.resolve();
    await fixture.clock.settle();

    expect(starter.state).toBe('resolved');
    expect(fixture.path('feed')).toBe('starting stopped');
  });

  it('ends when the signal of the start aborts, and leaves no timer', async () => {
    const { fixture, starter } = await hanging();
    fixture.lifetime.abort();
    await fixture.clock.settle();

    expect(starter.state).toBe('resolved');
    expect(fixture.path('feed')).toBe('starting stopping stopped');
    expect(fixture.clock.pending).toBe(0);
  });
});

describe('a component that becomes ready', () => {
  it('in the moment after it was told to end is never running', async () => {
    const fixture: Fixture = new Fixture().add({
      name: 'feed',
      start: () => {
        const up = fixture.pause(10);
        void up.then(() => fixture.registry.stopAll());
        return up;
      },
      stop: () => undefined,
    });
    await fixture.start();
    await fixture.clock.advance(10);

    expect(fixture.path('feed')).toBe('starting stopping stopped');
  });
});

describe('a starter', () => {
  it('does not wait for a component that ignores the abort in mid-start', async () => {
    const fixture = new Fixture().add({ name: 'feed', start: never, stop: never });
    const starter = await fixture.start();
    fixture.lifetime.abort();
    await fixture.clock.settle();

    expect(starter.state).toBe('resolved');
    expect(fixture.status('feed')).toBe('stopping');
  });

  it('of a term does not wait for a component that ignores the end of the term in mid-start', async () => {
    const fixture = new Fixture().add({ name: 'leader', start: never, stop: never }, { leaderOnly: true });
    await fixture.start();
    const term = fixture.term();
    const starter = fixture.registry.startLeaderOnlyComponentsAsync(term);
    await fixture.clock.settle();
    term.end('lost');

    await expect(starter).resolves.toBeDefined();
    expect(fixture.status('leader')).toBe('stopping');
  });

  it('starts nothing when its signal is aborted already', async () => {
    const fixture = new Fixture().worker('feed').worker('leader', { leaderOnly: true });
    fixture.lifetime.abort();
    const starter = await fixture.start();
    const term = fixture.term();
    term.end('lost');
    await fixture.elect(term);

    expect(starter.state).toBe('resolved');
    await expect(starter.value!.done).resolves.toBeUndefined();
    expect(fixture.events).toEqual([]);
  });

  it('resolves at once when there is nothing to start', async () => {
    const starter = await new Fixture().start();

    await expect(starter.value!.done).resolves.toBeUndefined();
  });

  it('waits for what it started, and not for what was started before', async () => {
    const fixture = new Fixture().service('slow', { startMs: 50 });
    const first = await fixture.start();
    const second = await fixture.start();

    expect(first.state).toBe('pending');
    expect(second.state).toBe('resolved');
    await expect(second.value!.done).resolves.toBeUndefined();
    await fixture.clock.advance(50);
    expect(first.state).toBe('resolved');
    expect(fixture.path('slow')).toBe('starting running');
  });
});
