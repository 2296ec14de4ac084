import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { EngineAnswerError } from '../../../../lib/core/errors.js';
import { RedisConnections } from '../../../../lib/electors/redis/redis-connections.js';
import { RedisLeaseStore } from '../../../../lib/electors/redis/redis-lease-store.js';
import { ManualClock } from '../../../../lib/testing/manual-clock.js';
import { FakeIoredis } from './fake-ioredis.js';

describe('A RedisLeaseStore', () => {
  let client: FakeIoredis;
  let clock: ManualClock;
  let control: AbortController;

  const settings = (replicas = 0) => ({
    connections: new RedisConnections({ client }, 1500),
    namespace: 'orders',
    keyPrefix: '',
    requestTimeoutMs: 1500,
    wait: replicas > 0 ? { replicas, timeoutMs: 100 } : undefined,
    clock,
  });
  const open = (replicas = 0) => new RedisLeaseStore(settings(replicas));
  const holder = { election: 'default', holder: 'a#1', identity: 'a', leaseMs: 8000 };
  const claim = { ...holder, basis: { kind: 'absent' }, tokenAbove: 7n } as const;
  const names = () => client.sent.map(({ name }) => name);
  const answer = async (index: number, value: unknown) => {
    await turn();
    client.sent[index]?.answer.resolve(value);
  };

  beforeEach(() => {
    client = new FakeIoredis();
    clock = new ManualClock();
    control = new AbortController();
  });

  test('sends nothing before there is a connection, and nothing that was aborted meanwhile', async () => {
    const store = open();
    const acquire = store.acquire(claim, control.signal);
    await turn();
    expect([client.connects, names()]).toEqual([1, []]);

    control.abort(new Error('too late'));
    await expect(acquire).rejects.toThrow('too late');
    client.becomeReady();
    await turn();

    expect(names()).toEqual([]);
  });

  test('sends what it was asked for once there is a connection', async () => {
    const read = open().read('default', control.signal);
    await turn();
    client.becomeReady();

    await answer(0, ['1000', 'absent']);

    expect(await read).toEqual({ kind: 'absent' });
    expect(client.sent[0]?.parts.slice(0, 2)).toEqual(['{orders/default}:lease', '{orders/default}:token']);
  });

  test('ends at once when its signal aborts, and drops what is answered later', async () => {
    client.becomeReady();
    const renew = open().renew({ ...holder, token: 7n }, control.signal);
    await turn();

    control.abort(new Error('too late'));
    await expect(renew).rejects.toThrow('too late');
    client.sent[0]?.answer.reject(new Error('connection lost'));
    await turn();

    expect(names()).toEqual(['eval']);
  });

  test('tells what keeps a client from connecting', async () => {
    const read = open().read('default', control.signal);
    await turn();

    client.emit('error', new Error('connect ECONNREFUSED'));

    await expect(read).rejects.toThrow('connect ECONNREFUSED');
  });

  test('tells that a given client was closed', async () => {
    client.disconnect();

    await expect(open().read('default', control.signal)).rejects.toThrow(/was closed/);
  });

  test('survives errors of a client that nobody listens to', () => {
    const connections = new RedisConnections({ client }, 1500);

    return connections.commands().then(() => expect(() => client.emit('error', new Error('lost'))).not.toThrow());
  });

  test('leaves no listener on a given client when it is closed', async () => {
    client.becomeReady();
    const store = open();
    const read = store.read('default', control.signal);
    await answer(0, ['1000', 'absent']);
    await read;

    await store.close();

    expect(client.eventNames()).toEqual([]);
    expect(client.disconnects).toBe(0);
    await expect(store.read('default', control.signal)).rejects.toThrow();
  });

  test('bounds an acquire by the time of the server and the time that has passed here', async () => {
    client.becomeReady();
    const store = open();
    const read = store.read('default', control.signal);
    await answer(0, ['5000000', 'absent']);
    await read;
    await clock.advance(200);

    const acquire = store.acquire(claim, control.signal);
    await answer(1, ['won', '5000001', '1']);

    expect(await acquire).toEqual({ won: true, token: 5000001n, version: '1' });
    // 5 s, 200 ms that have passed, 1500 ms that a request may take.
    expect(client.sent[1]?.parts[7]).toBe('6700000');
  });

  test.each([
    ['nothing', 'OK'],
    ['another outcome', ['perhaps']],
    ['another state', ['lost', 'strange']],
    ['no token', ['won', 'many', '1']],
  ])('does nothing on the strength of an answer with %s', async (_, value) => {
    client.becomeReady();
    const acquire = open().acquire(claim, control.signal);

    await answer(0, value);

    await expect(acquire).rejects.toThrow(EngineAnswerError);
  });

  describe('that waits for replicas', () => {
    beforeEach(() => client.becomeReady());

    test('has won when they have the lease', async () => {
      const acquire = open(2).acquire(claim, control.signal);
      await answer(0, ['won', '8', '1']);
      await answer(1, 2);

      expect(await acquire).toMatchObject({ won: true });
      expect(client.sent[1]).toMatchObject({ name: 'WAIT', parts: ['2', '100'] });
    });

    test('takes an acquire back that too few have, without a word on the channel', async () => {
      const acquire = open(2).acquire(claim, control.signal);
      await answer(0, ['won', '8', '1']);
      await answer(1, 1);
      await answer(2, ['released']);

      await expect(acquire).rejects.toThrow(/has reached 1 of 2 replicas/);
      expect(client.sent[2]?.parts.slice(2)).toEqual(['a#1', '8', '']);
    });

    test('has renewed nothing that too few have', async () => {
      const renew = open(2).renew({ ...holder, token: 8n }, control.signal);
      await answer(0, ['renewed', '2']);
      await answer(1, 0);

      await expect(renew).rejects.toThrow(/has reached 0 of 2 replicas/);
      expect(names()).toEqual(['eval', 'WAIT']);
    });

    test('does not believe a connection on which nothing was written', async () => {
      const renew = open(1).renew({ ...holder, token: 8n }, control.signal);
      await answer(0, ['renewed', '2']);
      await turn();
      client.lose();
      client.becomeReady();
      await answer(1, 5);

      await expect(renew).rejects.toThrow(/connection was lost/);
    });
  });

  describe('that watches', () => {
    const watch = async () => {
      const hints: unknown[] = [];
      const store = open();
      const over = store.watch('default', (released) => hints.push(released), control.signal);
      await turn();
      const [subscriber] = client.duplicates as [FakeIoredis];
      subscriber.becomeReady();
      await turn();
      return { over, store, subscriber, hints };
    };

    test('does so on a duplicate, which it closes', async () => {
      const { over, store, subscriber, hints } = await watch();
      expect(subscriber.sent[0]).toMatchObject({ name: 'subscribe', parts: ['{orders/default}:released'] });
      subscriber.sent[0]?.answer.resolve(1);
      await turn();
      expect(hints).toEqual([undefined]);

      subscriber.emit('message', 'another', '17');
      subscriber.emit('message', '{orders/default}:released', '17');
      subscriber.emit('message', '{orders/default}:released', Buffer.from('18'));
      subscriber.emit('message', '{orders/default}:released', 'no token');
      expect(hints).toEqual([undefined, { token: 17n }, { token: 18n }, undefined]);

      control.abort();
      await over;
      await store.close();
      expect([subscriber.disconnects, client.disconnects]).toEqual([1, 0]);
    });

    test('listens to a client once, however many elections it is for, and leaves nothing on one that was given', async () => {
      const subscriber = new FakeIoredis();
      client.becomeReady();
      subscriber.becomeReady();
      const connections = new RedisConnections({ client, subscriber }, 1500);
      const store = new RedisLeaseStore({ ...settings(), connections });
      const elections = Array.from({ length: 30 }, (_, index) => `e${index}`);
      const hints: string[] = [];
      const controls = elections.map(() => new AbortController());
      const watches = controls.map(({ signal }, index) =>
        store.watch(elections[index] ?? '', () => hints.push(elections[index] ?? ''), signal),
      );
      await turn();
      subscriber.sent.forEach(({ answer: subscribed }) => subscribed.resolve(1));
      await turn();
      expect(hints.toSorted()).toEqual(elections.toSorted());
      expect(subscriber.listenerCount('message')).toBe(1);

      hints.length = 0;
      subscriber.emit('message', '{orders/e7}:released', 'a#1');
      expect(hints).toEqual(['e7']);
      controls[7]?.abort();
      await watches[7];
      expect(subscriber.sent.filter(({ name }) => name === 'unsubscribe')).toMatchObject([
        { parts: ['{orders/e7}:released'] },
      ]);
      subscriber.emit('message', '{orders/e7}:released', 'a#1');
      subscriber.emit('message', '{orders/e8}:released', 'a#1');
      expect(hints).toEqual(['e7', 'e8']);

      await store.close();
      expect(subscriber.eventNames()).toEqual([]);
      controls.forEach((it) => it.abort());
      await Promise.all(watches);
      expect(subscriber.sent.filter(({ name }) => name === 'unsubscribe')).toHaveLength(elections.length);
    });

    test('breaks when the connection is lost', async () => {
      const { over, subscriber } = await watch();
      subscriber.sent[0]?.answer.resolve(1);
      await turn();

      subscriber.lose();

      await expect(over).rejects.toThrow(/was lost/);
    });

    test('ends when its signal aborts before it is open', async () => {
      const { over, subscriber } = await watch();

      control.abort();
      await over;

      expect(subscriber.listenerCount('message')).toBe(0);
    });
  });
});
