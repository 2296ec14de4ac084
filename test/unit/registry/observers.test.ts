import { describe, expect, it } from '@jest/globals';
import type { EventSink } from '../../../lib/core/event-sink.js';
import type { LifecycleLogger } from '../../../lib/core/logger.js';
import { Registry } from '../../../lib/registry/registry.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';
import { aborted, Fixture, never, SHUTDOWN_TIMEOUT_MS } from './registry-fixture.js';

const fault = new Error('the observer is broken');
const throwing = () => {
  throw fault;
};
const rejecting = (() => Promise.reject(fault)) as never as () => void;
const thenable = (() => ({ then: throwing })) as never as () => void;

const FAULTS: readonly [string, () => void][] = [
  ['throws', throwing],
  ['rejects', rejecting],
  ['returns a thenable that throws', thenable],
];

/** One of each fate: fine, failing, restarting, finishing, overrunning, leading. */
async function live(registry: Registry, clock: ManualClock, onError?: () => void): Promise<Record<string, string>> {
  const observed = onError && { onError };
  const fail = () => Promise.reject(new Error('boom'));
  registry.register({ name: 'fine', start: ({ signal }) => aborted(signal) }, { ...observed });
  registry.register({ name: 'failing', start: fail }, { ...observed });
  registry.register({ name: 'dependent', start: never }, { ...observed, dependsOn: ['failing'] });
  registry.register({ name: 'restarting', start: fail }, { ...observed, restart: 'on-failure' });
  registry.register({ name: 'finishing', start: () => undefined }, { ...observed });
  registry.register({ name: 'stuck', start: never }, { ...observed });
  registry.register({ name: 'leading', start: () => undefined, stop: fail }, { ...observed, leaderOnly: true });
  await registry.startAll(new AbortController().signal, false);
  const term = new AbortController();
  await registry.startLeaderOnlyComponentsAsync(term.signal);
  await clock.advance(100_000);
  registry.recordHealth('fine', registry.snapshot()[0]!.run!, { healthy: false, error: new Error('sick') });
  term.abort();
  await clock.settle();
  const running = Object.values(registry.status()).map(({ name, status }) => `${name} ${status}`);
  const stopping = registry.stopAll().catch(() => undefined);
  await clock.advance(SHUTDOWN_TIMEOUT_MS + 10_000);
  await stopping;
  const stopped = Object.values(registry.status()).map(({ name, status }) => `${name} ${status}`);
  return { running: running.join(', '), stopped: stopped.join(', ') };
}

const EXPECTED = {
  running:
    'fine running, failing failed, dependent pending, restarting failed, finishing stopped, stuck running, leading standby',
  stopped:
    'fine stopped, failing failed, dependent stopped, restarting failed, finishing stopped, stuck stopping, leading stopped',
};

describe('nothing changes in start and stop', () => {
  it('without observers', async () => {
    const clock = new ManualClock();

    expect(await live(new Registry({ clock }), clock)).toEqual(EXPECTED);
  });

  it.each(FAULTS)('when the sink of events %s', async (_, publish) => {
    const clock = new ManualClock();

    expect(await live(new Registry({ clock, events: { publish } }), clock)).toEqual(EXPECTED);
  });

  it.each(FAULTS)('when the logger %s', async (_, log) => {
    const clock = new ManualClock();
    const registry = new Registry({ clock }).withLogger({ log, warn: log, error: log, debug: log });

    expect(await live(registry, clock)).toEqual(EXPECTED);
  });

  it.each(FAULTS)('when onError %s', async (_, onError) => {
    const clock = new ManualClock();

    expect(await live(new Registry({ clock }), clock, onError)).toEqual(EXPECTED);
  });

  it('when all of them do', async () => {
    const clock = new ManualClock();
    const registry = new Registry({ clock, events: { publish: throwing } });
    registry.withLogger({ log: rejecting, warn: throwing, error: throwing });

    expect(await live(registry, clock, throwing)).toEqual(EXPECTED);
  });
});

describe('what an observer does wrong', () => {
  function logged(): { lines: string[]; logger: LifecycleLogger } {
    const lines: string[] = [];
    const note = (message: string) => void lines.push(message);
    return { lines, logger: { log: note, warn: note, error: note } };
  }

  it.each(FAULTS)('is logged when the sink %s', async (_, publish) => {
    const { lines, logger } = logged();
    const registry = new Registry({ events: { publish } as EventSink }).withLogger(logger);
    registry.register({ name: 'leader', start: never }, { leaderOnly: true });
    await registry.startAll(new AbortController().signal, false);
    await new Promise((resolve) => void setImmediate(resolve));

    expect(lines).toEqual([
      'leader stands by (election "default")',
      'A reader of lifecycle.component.status threw: the observer is broken',
    ]);
  });

  it.each(FAULTS)('is logged when onError %s', async (_, onError) => {
    const fixture = new Fixture().add({ name: 'feed', start: () => Promise.reject(new Error('boom')) }, { onError });
    await fixture.start();

    expect(fixture.log).toEqual([
      'error: feed failed, it stays down: boom',
      'error: onError of component "feed" threw: the observer is broken',
    ]);
  });

  it('keeps no event from the sink when it is the logger', async () => {
    const fixture = new Fixture().worker('feed');
    fixture.registry.withLogger({ log: throwing, warn: throwing, error: throwing });
    await fixture.start();

    expect(fixture.path('feed')).toBe('starting running');
  });
});

describe('withLogger()', () => {
  it('replaces the logger from then on, and the sink keeps hearing everything', async () => {
    const fixture = new Fixture().worker('feed');
    await fixture.start();
    const lines: string[] = [];
    const note = (message: string) => void lines.push(message);
    fixture.registry.withLogger({ log: note, warn: note, error: note });
    await fixture.stop();

    expect(fixture.log).toEqual(['log: feed is running (ready after 0 ms)']);
    expect(lines).toEqual(['feed stopped (took 0 ms)']);
    expect(fixture.path('feed')).toBe('starting running stopping stopped');
  });

  it('calls the methods of the logger on the logger', async () => {
    class Logger {
      readonly lines: string[] = [];
      log(message: string): void {
        this.lines.push(message);
      }
      warn = this.log.bind(this);
      error(message: string): void {
        this.lines.push(message);
      }
      debug(message: string): void {
        this.lines.push(`debug: ${message}`);
      }
    }
    const logger = new Logger();
    const registry = new Registry().withLogger(logger);
    registry.register({ name: 'feed', start: ({ signal }) => aborted(signal) });
    await registry.startAll(new AbortController().signal, false);
    await registry.stopAll();

    expect(logger.lines).toEqual([
      'debug: feed is starting',
      expect.stringMatching(/^feed is running/),
      'debug: feed is stopping',
      expect.stringMatching(/^feed stopped/),
    ]);
  });
});
