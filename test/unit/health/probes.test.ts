import { HealthCheckTimeoutError, StallError } from '../../../lib/core/errors.js';
import type { ElectionSnapshot } from '../../../lib/leadership/election-snapshot.js';
import { HealthMonitor } from '../../../lib/health/health-monitor.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';
import { FakeRegistry, type SnapshotChange } from '../../fixtures/fake-registry.js';

const stall = new StallError('feed', 'no activity', 1);

function setUp(components: Record<string, SnapshotChange> = {}, elections: readonly ElectionSnapshot[] = []) {
  const registry = new FakeRegistry();
  for (const [name, change] of Object.entries(components)) registry.set(name, change);
  const leadership = { elections: () => elections };
  const monitor = new HealthMonitor({
    registry,
    leadership,
    clock: new ManualClock(),
    intervalMs: 1000,
    timeoutMs: 1000,
  });
  return { registry, monitor };
}

describe('liveness', () => {
  const live = (change: SnapshotChange) => setUp({ it: change }).monitor.live();

  it('fails while a critical component is stalled, and passes after it recovered', () => {
    const { registry, monitor } = setUp({ feed: { info: { healthy: false }, healthError: stall } });
    expect(monitor.live()).toEqual({ ok: false, reasons: [`component "feed" makes no progress: ${stall.message}`] });
    registry.set('feed', { info: { healthy: true } });
    expect(monitor.live()).toEqual({ ok: true, reasons: [] });
  });

  it('finds a stall in the causes of what was thrown, and by code', () => {
    const wrapped = new Error('feed is broken', { cause: new Error('inner', { cause: stall }) });
    expect(live({ info: { healthy: false }, healthError: wrapped }).ok).toBe(false);
    const foreign = { code: 'ERR_LIFECYCLE_STALLED', message: 'from another copy of the package' };
    expect(live({ info: { healthy: false }, healthError: foreign }).ok).toBe(false);
  });

  it('fails for a stalled leader-only component, whose election a restart would free', () => {
    expect(live({ info: { healthy: false, leaderOnly: true }, healthError: stall }).ok).toBe(false);
  });

  it.each<[string, SnapshotChange]>([
    ['a check that fails otherwise', { info: { healthy: false }, healthError: new Error('redis is down') }],
    ['a check that hangs', { info: { healthy: false }, healthError: new HealthCheckTimeoutError('it', 5) }],
    [
      'an error that cannot be looked at',
      {
        info: { healthy: false },
        healthError: new Proxy(
          {},
          {
            get() {
              throw new Error('trap');
            },
          },
        ),
      },
    ],
    [
      'an error that is its own cause',
      {
        info: { healthy: false },
        healthError: Object.assign(new Error('loop'), {
          get cause(): unknown {
            return this;
          },
        }),
      },
    ],
    ['a stalled degradable component', { info: { healthy: false, criticality: 'degradable' }, healthError: stall }],
    ['a stalled optional component', { info: { healthy: false, criticality: 'optional' }, healthError: stall }],
    ['a component that failed and will be started again', { info: { status: 'failed' }, error: new Error('boom') }],
    [
      'a leader-only component that failed for good',
      { info: { status: 'failed', leaderOnly: true }, failedForGood: true },
    ],
    [
      'a degradable component that failed for good',
      { info: { status: 'failed', criticality: 'degradable' }, failedForGood: true },
    ],
    ['standby', { info: { status: 'standby', leaderOnly: true } }],
    ['a component that has stopped', { info: { status: 'stopped' } }],
    ['a stop within its budget', { info: { status: 'stopping' } }],
  ])('does not fail for %s', (_, change) => {
    expect(live(change)).toEqual({ ok: true, reasons: [] });
  });

  it('fails for a critical all-replica component that failed for good', () => {
    expect(live({ info: { status: 'failed' }, failedForGood: true, error: new Error('boom') })).toEqual({
      ok: false,
      reasons: ['component "it" has failed for good: boom'],
    });
  });

  it.each(['critical', 'degradable', 'optional'] as const)(
    'fails for an overrunning stop of a %s component',
    (criticality) => {
      expect(live({ info: { status: 'stopping', criticality, leaderOnly: true }, overrunning: true })).toEqual({
        ok: false,
        reasons: ['component "it" was told to stop and has not settled in time'],
      });
    },
  );

  it('never fails for an outage of the engine', () => {
    const { monitor } = setUp({}, [{ election: 'default', leading: false, error: new Error('ECONNREFUSED') }]);
    expect(monitor.live().ok).toBe(true);
  });

  it('stays ok once shutdown has begun', () => {
    const { monitor } = setUp({ feed: { info: { status: 'stopping' } } });
    monitor.markStopping();
    monitor.stop();
    expect(monitor.live().ok).toBe(true);
  });

  it('names every component that it fails for', () => {
    const { monitor } = setUp({
      one: { info: { status: 'failed' }, failedForGood: true, error: 'a' },
      two: { info: { healthy: false }, healthError: stall },
      three: {},
    });
    expect(monitor.live().reasons).toEqual([
      'component "one" has failed for good: a',
      `component "two" makes no progress: ${stall.message}`,
    ]);
  });
});

describe('readiness', () => {
  const ready = (change: SnapshotChange) => {
    const { monitor } = setUp({ it: change });
    monitor.markStarted();
    return monitor.ready();
  };

  it.each<[string, SnapshotChange]>([
    ['running', {}],
    ['running and unhealthy', { info: { healthy: false }, healthError: stall }],
    ['completed', { info: { status: 'stopped' }, completed: true }],
  ])('passes while a critical component is %s', (_, change) => {
    expect(ready(change)).toEqual({ ok: true, reasons: [] });
  });

  it.each(['pending', 'starting', 'stopping', 'stopped', 'failed'] as const)(
    'fails while a critical component is %s, and names it',
    (status) => {
      expect(ready({ info: { status } })).toEqual({ ok: false, reasons: [`component "it" is ${status}`] });
    },
  );

  it('says why', () => {
    const info = { status: 'pending', error: 'waits for "db" (failed: refused)' } as const;
    expect(ready({ info }).reasons).toEqual(['component "it" is pending: waits for "db" (failed: refused)']);
  });

  it.each(['pending', 'starting', 'running', 'stopping', 'stopped', 'failed', 'standby'] as const)(
    'does not need leadership: a leader-only component that is %s is ready',
    (status) => {
      expect(ready({ info: { status, leaderOnly: true } }).ok).toBe(true);
    },
  );

  it.each(['degradable', 'optional'] as const)('does not depend on a %s component', (criticality) => {
    expect(ready({ info: { status: 'failed', criticality }, failedForGood: true }).ok).toBe(true);
  });

  it('fails from the first moment of shutdown, while everything still runs', () => {
    const { monitor } = setUp({ feed: {} });
    monitor.markStarted();
    expect(monitor.ready().ok).toBe(true);
    monitor.markStopping();
    expect(monitor.ready()).toEqual({ ok: false, reasons: ['the app is shutting down'] });
  });

  it('fails until the first start has finished', () => {
    const { monitor } = setUp({ feed: {} });
    expect(monitor.ready()).toEqual({ ok: false, reasons: ['the first start has not finished'] });
  });
});

describe('startup', () => {
  it('fails until the first start has finished, and then never again', () => {
    const { monitor } = setUp({ feed: { info: { status: 'failed' } } });
    expect(monitor.startup()).toEqual({ ok: false, reasons: ['the first start has not finished'] });
    monitor.markStarted();
    expect(monitor.startup()).toEqual({ ok: true, reasons: [] });
    monitor.markStopping();
    expect(monitor.startup().ok).toBe(true);
  });
});
