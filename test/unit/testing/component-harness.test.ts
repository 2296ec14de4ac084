import { describe, expect, test } from '@jest/globals';
import type { Component, StartContext } from '../../../lib/core/component.js';
import { untilAborted } from '../../../lib/core/abort.js';
import { LifecycleComponent } from '../../../lib/decorators/lifecycle-component.decorator.js';
import { Deferred } from '../../../lib/core/deferred.js';
import { ComponentHarness, startComponent } from '../../../lib/testing/component-harness.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';
import { Worker } from '../leadership/leadership-fixtures.js';

/** A service-style component that can be told to break. */
class Service implements Component {
  readonly name = 'service';
  context: StartContext | undefined;

  start(context: StartContext): void {
    this.context = context;
  }

  stop(): void {}
}

describe('startComponent()', () => {
  test('resolves with the component running', async () => {
    const harness = await startComponent(new Worker());

    expect(harness.status).toBe('running');
    expect(harness.info).toMatchObject({ name: 'worker', criticality: 'critical', restarts: 0 });
    await harness.stop();
    expect(harness.transitions).toEqual(['starting', 'running', 'stopping', 'stopped']);
  });

  test('resolves with a leader-only component standing by', async () => {
    const harness = await startComponent(new Worker(), { leaderOnly: true });

    expect(harness.status).toBe('standby');
    await harness.stop();
  });

  test.each(['never', 'on-failure'] as const)(
    'rejects with what the start threw, and leaves nothing behind (restart: %s)',
    async (restart) => {
      const clock = new ManualClock();
      const cause = new Error('no connection');
      const starting = startComponent(
        { name: 'feed', start: () => Promise.reject(cause), stop: () => undefined },
        { clock, restart },
      );

      await expect(starting).rejects.toMatchObject({ message: '"feed" failed to start: no connection', cause });
      expect(clock.pending).toBe(0);
    },
  );

  test('leaves dependsOn out: what the component depends on is not here', async () => {
    const harness = await startComponent(new Worker(), { dependsOn: ['database'] });

    expect(harness.status).toBe('running');
    await harness.stop();
  });
});

describe('a leader-only component', () => {
  test('is elected and deposed several times, in a new run under a new term each', async () => {
    const worker = new Worker();
    const harness = await startComponent(worker, { leaderOnly: true, election: 'orders' });
    for (let term = 0; term < 3; term++) {
      await harness.elect();
      expect(harness.status).toBe('running');
      await harness.depose();
      expect(harness.status).toBe('standby');
    }
    await harness.stop();

    expect(worker.contexts.map((it) => it.term?.fencingToken)).toEqual([1n, 2n, 3n]);
    expect(worker.contexts.map((it) => it.term?.election)).toEqual(['orders', 'orders', 'orders']);
    expect(worker.contexts.every((it) => it.term?.signal.aborted && it.signal.aborted)).toBe(true);
    expect(worker.maxRunning).toBe(1);
  });

  test('that is elected while it leads loses its term first', async () => {
    const worker = new Worker();
    const harness = await startComponent(worker, { leaderOnly: true });

    await harness.elect();
    await harness.elect();

    expect(worker.contexts.map((it) => it.term?.isValid())).toEqual([false, true]);
    await harness.stop();
  });

  test('is deposed at once when it does not lead, also after a stop', async () => {
    const harness = await startComponent(new Worker(), { leaderOnly: true });

    await harness.depose();
    await harness.elect();
    await harness.stop();
    await harness.depose();

    expect(harness.transitions).toEqual(['standby', 'starting', 'running', 'stopping', 'standby', 'stopped']);
  });

  test('has its term ended by stop(), before its signal is aborted, as in a shutdown', async () => {
    const worker = new Worker();
    const order: string[] = [];
    worker.onStart = ({ signal, term }) => {
      signal.addEventListener('abort', () => order.push(`signal, term valid: ${term?.isValid()}`));
    };
    const harness = await startComponent(worker, { leaderOnly: true });
    await harness.elect();

    await harness.stop();

    expect(order).toEqual(['signal, term valid: false']);
  });

  test('is the only kind that can be elected', async () => {
    const harness = await startComponent(new Worker());

    await expect(harness.elect()).rejects.toThrow(/"worker" is not leader-only.*leaderOnly: true/);
    await harness.stop();
  });
});

describe('until()', () => {
  test('resolves at once in that status, and with the info of a later one', async () => {
    const service = new Service();
    const harness = await startComponent(service);
    expect((await harness.until('running')).status).toBe('running');

    const failing = harness.until('failed');
    service.context?.fail(new Error('connection reset'));

    expect(await failing).toMatchObject({ status: 'failed', error: 'connection reset' });
    expect(harness.failures).toEqual([new Error('connection reset')]);
    await harness.stop();
  });

  test('sees a status that is only passed through', async () => {
    const service = new Service();
    const clock = new ManualClock();
    const harness = await startComponent(service, { clock, restart: { mode: 'on-failure', initialDelayMs: 0 } });

    const failing = harness.until('failed');
    service.context?.fail(new Error('connection reset'));
    await clock.advance(1);

    expect((await failing).status).toBe('failed');
    expect(harness.status).toBe('running');
    await harness.stop();
  });

  test('rejects when the time is over, and says where the component is, why, and how it got there', async () => {
    const harness = new ComponentHarness({
      name: 'feed',
      start: () => Promise.reject(new Error('no connection')),
      stop: () => undefined,
    });
    await harness.start();

    await expect(harness.until('running', 5)).rejects.toThrow(
      '"feed" is failed (no connection), not running, after 5 ms. It went: starting -> failed',
    );
  });
});

describe('stop()', () => {
  test('is idempotent, and start() after it is a new run', async () => {
    const worker = new Worker();
    const harness = await startComponent(worker);
    await harness.stop();
    await harness.stop();
    await harness.start();

    expect([worker.starts, harness.status]).toEqual([2, 'running']);
    await harness.stop();
  });

  test('rejects with an error that names the component when its stop fails', async () => {
    const harness = await startComponent({
      name: 'service',
      start: () => undefined,
      stop: () => Promise.reject(new Error('socket is busy')),
    });

    await expect(harness.stop()).rejects.toThrow(/Component "service" failed: socket is busy/);
  });

  test('stops also a component whose depose failed', async () => {
    const clock = new ManualClock();
    const never = new Deferred<void>();
    const harness = await startComponent(
      { name: 'deaf', start: () => never.promise },
      { clock, leaderOnly: true, stopTimeoutMs: 100 },
    );
    await harness.elect();

    const stopping = harness.stop().catch((error: unknown) => String(error));
    await clock.advance(1000);

    expect(await stopping).toMatch(/"deaf" has not stopped/);
    never.resolve();
    await clock.settle();
    expect(harness.status).toBe('stopped');
  });
});

test('manages the component as its decorator says, unless told otherwise', async () => {
  @LifecycleComponent({ leaderOnly: true, election: 'orders', criticality: 'optional', enabled: false })
  class Reconciler {
    start({ signal }: StartContext): Promise<void> {
      return untilAborted(signal);
    }
  }

  const harness = await startComponent(new Reconciler(), { criticality: 'degradable' });

  expect(harness.info).toMatchObject({ status: 'standby', leaderOnly: true, election: 'orders' });
  expect(harness.info.criticality).toBe('degradable');
  await harness.stop();
});
