import { describe, expect, test } from '@jest/globals';
import { Deferred } from '../../../lib/core/deferred.js';
import { ManualElector } from '../../../lib/testing/manual-elector.js';
import { leaderOnly, Replica, Worker } from './leadership-fixtures.js';

describe('several elections on one elector', () => {
  async function two() {
    const elector = new ManualElector();
    const replica = new Replica({ elector });
    const orders = leaderOnly(replica, { worker: new Worker('orders'), election: 'orders' });
    const mails = leaderOnly(replica, { worker: new Worker('mails'), election: 'mails' });
    await replica.boot('orders', 'mails');
    return { elector, replica, orders, mails };
  }

  test('are won and lost each on its own', async () => {
    const { elector, replica, orders, mails } = await two();
    await elector.elect('orders');
    await replica.clock.settle();
    expect([orders.running, mails.running]).toEqual([1, 0]);

    await elector.elect('mails');
    await replica.clock.settle();
    await elector.depose('over', 'orders');

    expect([orders.running, mails.running]).toEqual([0, 1]);
    expect(replica.leadership.isLeader('orders')).toBe(false);
    expect(replica.leadership.isLeader('mails')).toBe(true);
    expect(replica.leadership.elections()).toMatchObject([
      { election: 'orders', leading: false },
      { election: 'mails', leading: true, fencingToken: 2n },
    ]);
    await replica.leadership.stop();
  });

  test('do not wait for each other when one does not settle', async () => {
    const { elector, replica, orders, mails } = await two();
    const settling = new Deferred<void>();
    orders.settling = settling.promise;
    await elector.elect('orders');
    await replica.clock.settle();
    void elector.depose('over', 'orders');

    await elector.elect('mails');
    await replica.clock.settle();
    await elector.depose('over', 'mails');

    expect([orders.running, mails.starts, mails.running]).toEqual([1, 1, 0]);
    settling.resolve();
    await replica.leadership.stop();
  });

  test('are all handed over by stop()', async () => {
    const { elector, replica, orders, mails } = await two();
    await Promise.all([elector.elect('orders'), elector.elect('mails')]);
    await replica.clock.settle();
    expect([orders.running, mails.running]).toEqual([1, 1]);

    await replica.leadership.stop();

    expect([orders.running, mails.running]).toEqual([0, 0]);
    expect(replica.losses.map((it) => it.voluntary)).toEqual([true, true]);
  });

  test('give an elector that ignores which election it was asked for no hold on another one', async () => {
    const { elector, replica, orders, mails } = await two();
    await elector.elect('mails');
    await replica.clock.settle();

    expect([orders.starts, mails.starts]).toEqual([0, 1]);
    expect(mails.contexts[0]?.term?.election).toBe('mails');
    await replica.leadership.stop();
  });
});

describe('a leader-only component that is registered late', () => {
  test('starts under the term that is under way', async () => {
    const elector = new ManualElector();
    const replica = await new Replica({ elector }).boot();
    await elector.elect();
    await replica.clock.settle();

    const worker = leaderOnly(replica);
    await replica.clock.settle();

    expect(worker.contexts[0]?.term).toBe(replica.leadership.term());
    await elector.depose();
    expect(replica.statusOf('worker')).toBe('standby');
    await replica.leadership.stop();
  });

  test('stands by while the replica does not lead', async () => {
    const elector = new ManualElector();
    const replica = await new Replica({ elector }).boot();

    const worker = leaderOnly(replica);
    await replica.clock.settle();
    expect([replica.statusOf('worker'), worker.starts]).toEqual(['standby', 0]);

    await elector.elect();
    await replica.clock.settle();
    expect(worker.starts).toBe(1);
    await replica.leadership.stop();
  });

  test('of a new election makes the replica stand for it', async () => {
    const elector = new ManualElector();
    const replica = await new Replica({ elector }).boot();
    expect(() => replica.leadership.isLeader('late')).toThrow();

    const worker = leaderOnly(replica, { election: 'late' });
    await elector.elect('late');
    await replica.clock.settle();

    expect([replica.leadership.isLeader('late'), worker.starts]).toEqual([true, 1]);
    await replica.leadership.stop();
  });

  test('after the stop makes the replica stand for nothing any more', async () => {
    const elector = new ManualElector();
    const replica = await new Replica({ elector }).boot();
    await replica.leadership.stop();

    const worker = leaderOnly(replica, { election: 'late' });
    await replica.clock.settle();

    expect([replica.statusOf('worker'), worker.starts]).toEqual(['standby', 0]);
    expect(replica.leadership.elections().map((it) => it.election)).toEqual(['default']);
  });
});
