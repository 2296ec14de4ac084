import { afterEach, describe, expect, test } from '@jest/globals';
import { Deferred } from '../../../lib/core/deferred.js';
import { CampaignUnderWayError } from '../../../lib/core/errors.js';
import { ContractCandidate } from '../../../lib/testing/contract/contract-candidate.js';
import { ManualElector } from '../../../lib/testing/manual-elector.js';
import { aborted, leaderOnly, Replica } from '../leadership/leadership-fixtures.js';

const booted: Replica[] = [];

async function app(): Promise<{ elector: ManualElector; replica: Replica; worker: ReturnType<typeof leaderOnly> }> {
  const elector = new ManualElector();
  const replica = new Replica({ elector });
  const worker = leaderOnly(replica);
  booted.push(await replica.boot());
  return { elector, replica, worker };
}

afterEach(async () => {
  await Promise.all(booted.splice(0).map((it) => it.leadership.stop()));
});

describe('elect()', () => {
  test('makes the app the leader: isLeader() is true once it has resolved', async () => {
    const { elector, replica } = await app();

    const term = await elector.elect();

    expect(replica.leadership.isLeader()).toBe(true);
    expect(replica.leadership.term()?.fencingToken).toBe(term.fencingToken);
    expect(replica.leadership.leader()).toMatchObject({ identity: 'me', fencingToken: term.fencingToken });
  });

  test('called before the app stands for the election, waits for it', async () => {
    const elector = new ManualElector();
    const replica = new Replica({ elector });
    const electing = elector.elect();
    await replica.clock.settle();
    booted.push(await replica.boot());

    expect((await electing).isValid()).toBe(true);
    expect(replica.leadership.isLeader()).toBe(true);
  });

  test('while the app leads, ends that term first and begins another one', async () => {
    const { elector, replica, worker } = await app();
    const first = await elector.elect();
    await replica.clock.settle();

    const second = await elector.elect();
    await replica.clock.settle();

    expect([first.isValid(), second.isValid()]).toEqual([false, true]);
    expect(replica.terms).toEqual(['+1', '-1', '+2']);
    expect([worker.starts, worker.maxRunning]).toEqual([2, 1]);
  });

  test('twice at once gives two terms, one after the other', async () => {
    const { elector, replica, worker } = await app();

    const [first, second] = await Promise.all([elector.elect(), elector.elect()]);
    await replica.clock.settle();

    expect(first.fencingToken < second.fencingToken).toBe(true);
    expect([first.isValid(), second.isValid()]).toEqual([false, true]);
    expect(worker.maxRunning).toBe(1);
  });

  test('waits for the work of the term before', async () => {
    const { elector, replica, worker } = await app();
    const settling = new Deferred<void>();
    worker.settling = settling.promise;
    await elector.elect();
    await replica.clock.settle();
    void elector.depose();

    let elected = false;
    const electing = elector.elect().then(() => (elected = true));
    await replica.clock.settle();
    expect(elected).toBe(false);

    settling.resolve();
    await electing;
    expect(replica.leadership.isLeader()).toBe(true);
  });

  test('waits for the next campaign when the app has stepped down', async () => {
    const { elector, replica } = await app();
    await elector.elect();
    await replica.clock.settle();
    await replica.leadership.stepDown('maintenance', { cooldownMs: 1000 });

    const electing = elector.elect();
    await replica.clock.advance(1000);

    expect((await electing).isValid()).toBe(true);
    expect(replica.leadership.isLeader()).toBe(true);
  });

  test('waits for the next campaign also when the one that is under way is being ended', async () => {
    const { elector, replica, worker } = await app();
    const settling = new Deferred<void>();
    worker.settling = settling.promise;
    await elector.elect();
    await replica.clock.settle();
    void replica.leadership.stepDown('maintenance');

    const electing = elector.elect();
    await replica.clock.settle();
    settling.resolve();

    expect((await electing).isValid()).toBe(true);
    await replica.clock.settle();
    expect(replica.leadership.isLeader()).toBe(true);
  });

  test('rejects when the app does not stand for the election in time, and names those that it does stand for', async () => {
    const { elector } = await app();

    await expect(elector.elect('ordres', 10)).rejects.toThrow(
      /does not stand for election "ordres" after 10 ms \(it does for: "default"\)/,
    );
  });
});

describe('depose()', () => {
  test('makes isLeader() false in this tick, and resolves once the work has settled', async () => {
    const { elector, replica, worker } = await app();
    await elector.elect();
    await replica.clock.settle();

    const deposing = elector.depose('lost');

    expect(replica.leadership.isLeader()).toBe(false);
    expect(worker.running).toBe(1);
    await deposing;
    expect([worker.running, replica.statusOf('worker')]).toEqual([0, 'standby']);
    expect(replica.leadership.leader()).toBeUndefined();
  });

  test('while a component starts, stops it', async () => {
    const { elector, replica } = await app();
    replica.registry.register(
      { name: 'slow', start: ({ signal }) => aborted(signal), stop: () => undefined },
      { leaderOnly: true },
    );
    await elector.elect();
    await replica.clock.settle();
    expect(replica.statusOf('slow')).toBe('starting');

    await elector.depose();

    expect(replica.statusOf('slow')).toBe('standby');
  });

  test('does nothing when the app does not lead, does not stand, or the election is unknown', async () => {
    const { elector, replica } = await app();

    await elector.depose();
    await elector.depose('lost', 'unknown');
    await new ManualElector().depose();

    expect(replica.terms).toEqual([]);
  });
});

describe('observe()', () => {
  test('throws when the app does not stand for the election', async () => {
    const { elector } = await app();

    expect(() => elector.observe(undefined, 'unknown')).toThrow(/does not stand for election "unknown"/);
  });
});

describe('campaign()', () => {
  test('ends the term in the same tick as its signal aborts, and resolves when the work has settled', async () => {
    const elector = new ManualElector();
    const candidate = new ContractCandidate('me', () => undefined);
    const settling = new Deferred<void>();
    candidate.settling = settling.promise;
    const control = new AbortController();
    let over = false;
    const campaign = elector.campaign('default', candidate, control.signal).then(() => (over = true));
    const term = await elector.elect();

    control.abort(new Error('told to'));
    expect(term.isValid()).toBe(false);
    expect(term.signal.reason).toMatchObject({ cause: { message: 'told to' } });
    await Promise.resolve();
    expect(over).toBe(false);

    settling.resolve();
    await campaign;
  });

  test('serves one app: a second campaign for the same election says what to do instead', async () => {
    const { elector } = await app();

    await expect(
      elector.campaign('default', new ContractCandidate('me', () => undefined), new AbortController().signal),
    ).rejects.toThrow(CampaignUnderWayError);
  });

  test('takes work that throws or rejects for a resignation', async () => {
    for (const work of [
      () => Promise.reject(new Error('broken')),
      () => {
        throw new Error('broken');
      },
    ]) {
      const elector = new ManualElector();
      const candidate = new ContractCandidate('me', () => undefined);
      candidate.onElected = work;
      const control = new AbortController();
      const campaign = elector.campaign('default', candidate, control.signal);
      const term = await elector.elect();
      await elector.depose();

      expect(term.isValid()).toBe(false);
      expect(candidate.reports).toMatchObject([{ kind: 'error', operation: 'onElected' }]);
      expect((await elector.elect()).fencingToken).toBe(2n);
      control.abort();
      await campaign;
    }
  });
});
