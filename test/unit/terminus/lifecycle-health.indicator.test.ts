import { HealthIndicatorService } from '@nestjs/terminus';
import type { ElectionSnapshot } from '../../../lib/leadership/election-snapshot.js';
import { HealthMonitor } from '../../../lib/health/health-monitor.js';
import { LifecycleHealthIndicator } from '../../../lib/terminus/lifecycle-health.indicator.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';
import { FakeRegistry, type SnapshotChange } from '../../fixtures/fake-registry.js';

/** Terminus 11: no `degraded`, and a data key named `status` throws, as in 12. */
class HealthIndicatorServiceOf11 {
  check(key: string) {
    const make = (status: string) => (data: object) => ({ [key]: { ...data, status } });
    return { up: make('up'), down: make('down') };
  }
}

const indicatorServices = [
  ['12', new HealthIndicatorService()],
  ['11', new HealthIndicatorServiceOf11() as unknown as HealthIndicatorService],
] as const;

function setUp(
  components: readonly (readonly [string, SnapshotChange])[],
  { elections = [] as readonly ElectionSnapshot[], service = new HealthIndicatorService() } = {},
) {
  const registry = new FakeRegistry();
  for (const [name, change] of components) registry.set(name, change);
  const leadership = { elections: () => elections };
  const monitor = new HealthMonitor({
    registry,
    leadership,
    clock: new ManualClock(),
    intervalMs: 1000,
    timeoutMs: 1000,
  });
  return { registry, indicator: new LifecycleHealthIndicator(monitor, service) };
}

describe.each(indicatorServices)('on Terminus %s', (major, service) => {
  it('a critical component that is down is down, returned and not thrown', () => {
    const info = { status: 'failed', error: 'boom', since: 0, restarts: 2 } as const;
    const { indicator } = setUp([['feed', { info, failedForGood: true }]], { service });
    expect(indicator.isHealthy()).toEqual({
      'component:feed': {
        status: 'down',
        state: 'failed',
        restarts: 2,
        since: '1970-01-01T00:00:00.000Z',
        note: 'failed: boom',
      },
    });
  });

  it('a degradable component that is down is degraded, or up with a note where that is unknown', () => {
    const info = { status: 'failed', error: 'boom', criticality: 'degradable' } as const;
    const { indicator } = setUp([['cache', { info, failedForGood: true }]], { service });
    const expected =
      major === '12' ? { status: 'degraded', note: 'failed: boom' } : { status: 'up', note: 'degraded: failed: boom' };
    expect(indicator.isHealthy()['component:cache']).toMatchObject(expected);
  });

  it('an optional component that is down is up, with a note', () => {
    const info = { status: 'failed', error: 'boom', criticality: 'optional' } as const;
    const { indicator } = setUp([['extra', { info, failedForGood: true }]], { service });
    expect(indicator.isHealthy()['component:extra']).toMatchObject({
      status: 'up',
      criticality: 'optional',
      note: 'failed: boom',
    });
  });

  it('standby is up', () => {
    const { indicator } = setUp([['sweeper', { info: { status: 'standby', leaderOnly: true, election: 'default' } }]], {
      service,
    });
    expect(indicator.isHealthy()).toEqual({
      'component:sweeper': { status: 'up', state: 'standby', election: 'default' },
    });
  });

  it('an election tells role, leader and token in a form that JSON can hold', () => {
    const leader = { identity: 'pod-1', since: 0 };
    const elections = [{ election: 'orders', leading: true, fencingToken: 2n ** 60n, leader }];
    const { indicator } = setUp([], { elections, service });
    expect(JSON.parse(JSON.stringify(indicator.isHealthy()))).toEqual({
      'leadership:orders': { status: 'up', role: 'leader', leader: 'pod-1', fencingToken: '1152921504606846976' },
    });
  });

  it('an election whose engine fails is never down', () => {
    const elections = [{ election: 'orders', leading: false, error: new Error('ECONNREFUSED') }];
    const { indicator } = setUp([], { elections, service });
    const entry = indicator.isHealthy()['leadership:orders'];
    expect(entry?.status).toBe(major === '12' ? 'degraded' : 'up');
    expect(entry?.['note']).toContain('ECONNREFUSED');
  });
});

it('names that mean something to JavaScript or Terminus stay names', () => {
  const names = [
    '__proto__',
    'constructor',
    'toString',
    'status',
    'info',
    'error',
    'details',
    'leadership:default',
    '1',
    'a b',
  ];
  const { indicator } = setUp(
    names.map((name) => [name, {}] as const),
    { elections: [{ election: 'default', leading: true }] },
  );
  const result = indicator.isHealthy();
  expect(Object.keys(result)).toEqual([...names.map((name) => `component:${name}`), 'leadership:default']);
  expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
  for (const name of names) expect(indicator.component(name)).toEqual({ [`component:${name}`]: { status: 'up' } });
});

it('whatever was thrown, the result survives JSON', () => {
  const circular: Record<string, unknown> = { big: 1n };
  circular['self'] = circular;
  const thrown = [
    circular,
    'quote " and \n newline',
    '\ud800 lone surrogate',
    '\u0000\u2028',
    undefined,
    Symbol('s'),
    10n,
  ];
  const { indicator } = setUp(
    thrown.map((healthError, index) => [`c${index}`, { info: { healthy: false }, healthError }] as const),
  );
  const result = JSON.parse(JSON.stringify(indicator.isHealthy())) as Record<string, { note: string }>;
  expect(Object.keys(result)).toHaveLength(thrown.length);
  for (const entry of Object.values(result)) expect(entry.note).toMatch(/^unhealthy: ./);
  expect(result['component:c1']?.note).toBe('unhealthy: quote " and \n newline');
});

it('the result is the same object for as long as nothing changes, and cannot be changed by its readers', () => {
  const { registry, indicator } = setUp([['one', {}]]);
  const before = indicator.isHealthy();
  expect(indicator.isHealthy()).toBe(before);
  expect(Object.isFrozen(before)).toBe(true);
  registry.set('one', { info: { status: 'failed' } });
  expect(indicator.isHealthy()['component:one']?.status).toBe('down');
  expect(before['component:one']?.status).toBe('up');
});

it('a component or an election that nobody knows is down, not an exception', () => {
  const { indicator } = setUp([]);
  expect(indicator.component('typo')).toEqual({
    'component:typo': { status: 'down', note: 'no component has this name' },
  });
  expect(indicator.leadership('typo')).toEqual({
    'leadership:typo': { status: 'down', note: 'this app takes no part in it' },
  });
  expect(indicator.leadership()).toHaveProperty(['leadership:default', 'status'], 'down');
});
