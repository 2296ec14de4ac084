import { NotRestartableError, UnknownComponentError } from '../../../lib/core/errors.js';
import type { StartContext } from '../../../lib/core/component.js';
import { aborted, Fixture, RESTART, STOP_TIMEOUT_MS } from './registry-fixture.js';

/** Fails each run that begins while `broken`. */
class Fragile {
  readonly name = 'fragile';
  broken = true;
  runs = 0;

  async start({ signal }: StartContext): Promise<void> {
    this.runs++;
    if (this.broken) throw new Error('broken');
    await aborted(signal);
  }
}

it('ends a run that is under way and begins another one, and leaves dependents alone', async () => {
  const fixture = new Fixture().worker('feed').worker('reader', { dependsOn: ['feed'] });
  await fixture.start();
  fixture.registry.restart('feed');
  await fixture.clock.settle();
  expect(fixture.path('feed')).toBe('starting running stopping starting running');
  expect(fixture.path('reader')).toBe('starting running');
  expect(fixture.info('feed').restarts).toBe(1);
});

it('does it once, however often it is asked while the restart is under way', async () => {
  const fixture = new Fixture().service('feed', { stopMs: 20, startMs: 20 });
  void fixture.start();
  await fixture.clock.advance(20);
  fixture.registry.restart('feed');
  fixture.registry.restart('feed');
  await fixture.clock.advance(20);
  expect(fixture.status('feed')).toBe('starting');
  fixture.registry.restart('feed');
  await fixture.clock.advance(20);
  expect(fixture.path('feed')).toBe('starting running stopping starting running');
});

it('starts what has failed for good, and its restart policy begins anew', async () => {
  const fragile = new Fragile();
  const fixture = new Fixture().add(fragile, { restart: { mode: 'on-failure', maxRestarts: 1 } });
  await fixture.start();
  await fixture.clock.advance(RESTART.maxDelayMs);
  expect(fixture.status('fragile')).toBe('failed');
  expect(fragile.runs).toBe(2);
  fixture.registry.restart('fragile');
  await fixture.clock.settle();
  expect(fragile.runs).toBe(3);
  fragile.broken = false;
  // Once more by the policy, which has its one restart again.
  await fixture.clock.advance(RESTART.maxDelayMs);
  expect(fixture.status('fragile')).toBe('running');
  expect(fixture.info('fragile').restarts).toBe(3);
});

it('does not wait for the delay of the restart policy', async () => {
  const fragile = new Fragile();
  const fixture = new Fixture().add(fragile, {
    restart: { mode: 'on-failure', initialDelayMs: 5000, maxDelayMs: 5000 },
  });
  await fixture.start();
  expect(fixture.status('fragile')).toBe('failed');
  fragile.broken = false;
  fixture.registry.restart('fragile');
  await fixture.clock.settle();
  expect(fixture.path('fragile')).toBe('starting failed starting running');
  await fixture.clock.advance(10_000);
  expect(fragile.runs).toBe(2);
});

it('starts what has failed and still settles once that is over', async () => {
  let context: StartContext | undefined;
  const fixture = new Fixture();
  fixture.add({
    name: 'service',
    start: (given) => void (context = given),
    stop: () => fixture.pause(20),
  });
  await fixture.start();
  context?.fail(new Error('broken'));
  await fixture.clock.settle();
  expect(fixture.status('service')).toBe('failed');
  fixture.registry.restart('service');
  await fixture.clock.advance(21);
  expect(fixture.path('service')).toBe('starting running failed starting running');
});

it('starts no second run beside one that does not stop', async () => {
  const fixture = new Fixture().service('stuck', { stopMs: 10 * STOP_TIMEOUT_MS });
  await fixture.start();
  fixture.registry.restart('stuck');
  await fixture.clock.advance(STOP_TIMEOUT_MS);
  expect(fixture.info('stuck')).toMatchObject({ status: 'stopping', error: expect.stringContaining('stop') });
  expect(fixture.journal.filter((it) => it === 'stuck starts')).toHaveLength(1);
});

it('is told to end by a shutdown that comes in between, and stays stopped', async () => {
  const fixture = new Fixture().service('feed', { stopMs: 20 });
  await fixture.start();
  fixture.registry.restart('feed');
  await fixture.stop();
  await fixture.clock.advance(1000);
  expect(fixture.path('feed')).toBe('starting running stopping stopped');
});

it('restarts a leader-only component while this replica leads, and under the same term', async () => {
  const fixture = new Fixture().worker('job', { leaderOnly: true });
  await fixture.start();
  expect(() => fixture.registry.restart('job')).toThrow('does not lead the election "default"');
  const term = await fixture.elect();
  fixture.registry.restart('job');
  await fixture.clock.settle();
  expect(fixture.run('job')?.term).toBe(term);
  expect(fixture.path('job')).toBe('standby starting running stopping starting running');
});

it('refuses what neither runs nor has failed', async () => {
  const fixture = new Fixture().worker('feed').add({ name: 'done', start: () => undefined }, { completes: true });
  const refuses = (name: string, why: string) => {
    expect(() => fixture.registry.restart(name)).toThrow(NotRestartableError);
    expect(() => fixture.registry.restart(name)).toThrow(why);
  };
  refuses('feed', 'nothing was started yet');
  await fixture.start();
  await fixture.clock.settle();
  refuses('done', 'it is stopped');
  await fixture.stop();
  refuses('feed', 'the application stops');
  expect(() => fixture.registry.restart('fed')).toThrow(UnknownComponentError);
});
