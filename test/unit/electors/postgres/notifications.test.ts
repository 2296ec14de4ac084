import { getEventListeners } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { Notifications } from '../../../../lib/electors/postgres/notifications.js';
import type { PostgresConnection } from '../../../../lib/electors/postgres/postgres-connection.js';
import { CHANNEL } from '../../../../lib/electors/postgres/lease-statements.js';
import { ManualClock } from '../../../../lib/testing/manual-clock.js';
import { until } from '../../../fixtures/until.js';
import { scripted, type Answer } from './scripted-connections.js';

const never = () => new Promise<never>(() => undefined);

function open(answer: Answer) {
  const clock = new ManualClock();
  const { connections, clients } = scripted(answer);
  return { clock, clients, connections, notifications: new Notifications(connections, clock, 1000) };
}

const server: Answer = (text) => ({ rows: text.includes('pg_backend_pid') ? [{ pid: '17' }] : [] });

function watch(notifications: Notifications, name: string) {
  const control = new AbortController();
  const watcher = {
    hints: 0,
    last: undefined as unknown,
    end: () => control.abort(),
    over: Promise.resolve<unknown>(undefined),
  };
  const over = notifications.watch(
    name,
    (released) => {
      watcher.hints++;
      watcher.last = released;
    },
    control.signal,
  );
  watcher.over = over.catch((error: unknown) => error);
  return watcher;
}

describe('Notifications', () => {
  test('reach those who watch the name, and nobody else', async () => {
    const { notifications, clients } = open(server);
    const [orders, mails] = [watch(notifications, 'shop/orders'), watch(notifications, 'shop/mails')];
    await until(() => orders.hints === 1 && mails.hints === 1);

    clients[0]?.emit('notification', { channel: CHANNEL, payload: 'shop/orders' });
    clients[0]?.emit('notification', { channel: 'another', payload: 'shop/orders' });
    clients[0]?.emit('notification', { channel: CHANNEL });

    expect([orders.hints, mails.hints, clients.length]).toEqual([2, 1, 1]);
  });

  test.each([
    ['17 shop/orders', { token: 17n }],
    ['shop/orders', undefined],
    ['x shop/orders', undefined],
  ])('tell of which term: %s', async (payload, told) => {
    const { notifications, clients } = open(server);
    const orders = watch(notifications, 'shop/orders');
    await until(() => orders.hints === 1);

    clients[0]?.emit('notification', { channel: CHANNEL, payload });

    expect([orders.hints, orders.last]).toEqual([2, told]);
  });

  test('are listened to until nobody watches any more', async () => {
    const { notifications, clients } = open(server);
    const [orders, mails] = [watch(notifications, 'shop/orders'), watch(notifications, 'shop/mails')];
    await until(() => mails.hints === 1);

    orders.end();
    await orders.over;
    expect(clients[0]?.released).toBe('no');
    mails.end();
    await mails.over;

    expect(clients[0]?.released).toBe('destroyed');
  });

  test('leave no connection behind when nobody watches any more once it is open', async () => {
    const { notifications, clients } = open(server);
    const orders = watch(notifications, 'shop/orders');

    orders.end();
    await orders.over;

    expect([clients.map((it) => it.released), orders.hints]).toEqual([['destroyed'], 0]);
  });

  test('are not listened to through a pooler: nothing is left on its connection', async () => {
    const { notifications, clients } = open((text) =>
      text.includes('pid') ? { rows: [{ pid: '99' }] } : { rows: [] },
    );
    const orders = watch(notifications, 'shop/orders');
    await until(() => clients[0]?.released === 'returned');

    orders.end();
    await orders.over;

    expect(notifications.isPooled).toBe(true);
    expect(clients[0]?.statements.some((it) => it.startsWith('LISTEN'))).toBe(false);
  });

  test('fail all who watch when the connection breaks, and can be listened to again', async () => {
    const { notifications, clients } = open(server);
    const [orders, mails] = [watch(notifications, 'shop/orders'), watch(notifications, 'shop/mails')];
    await until(() => mails.hints === 1);

    clients[0]?.emit('error', new Error('57P01'));

    expect([await orders.over, await mails.over].map(String)).toEqual(['Error: 57P01', 'Error: 57P01']);
    const again = watch(notifications, 'shop/orders');
    await until(() => again.hints === 1);
    expect(clients).toHaveLength(2);
  });

  test('leave nothing on the signal of a campaign, however often the connection breaks', async () => {
    const { notifications, clients } = open(server);
    const { signal } = new AbortController();
    for (let round = 0; round < 12; round++) {
      let hints = 0;
      const over = notifications.watch('shop/orders', () => hints++, signal);
      await until(() => hints === 1);

      clients[round]?.emit('error', new Error('57P01'));
      await expect(over).rejects.toThrow('57P01');
    }

    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('leave nothing on a connection that others still need', async () => {
    const { notifications, connections } = open(server);
    const taken: PostgresConnection[] = [];
    const take = connections.take.bind(connections);
    connections.take = async (signal) => {
      const connection = await take(signal);
      taken.push(connection);
      return connection;
    };
    const orders = watch(notifications, 'shop/orders');
    await until(() => orders.hints === 1);
    const [connection] = taken;
    const before = getEventListeners(connection!.ended, 'abort').length;

    for (let round = 0; round < 12; round++) {
      const mails = watch(notifications, 'shop/mails');
      await until(() => mails.hints === 1);
      mails.end();
      await mails.over;
    }

    expect(getEventListeners(connection!.ended, 'abort')).toHaveLength(before);
    orders.end();
    await orders.over;
  });

  test('fail when the connection has died without a word', async () => {
    const { notifications, clients, clock } = open((text) => (text === 'SELECT 1' ? never() : server(text)));
    const orders = watch(notifications, 'shop/orders');
    await until(() => orders.hints === 1);

    await clock.advance(31_500);

    expect(String(await orders.over)).toContain('has not answered "ping"');
    expect(clients[0]?.released).toBe('destroyed');
  });

  test('fail in time when the server does not answer at all', async () => {
    const { notifications, clients, clock } = open(never);
    const orders = watch(notifications, 'shop/orders');
    await until(() => clients[0]?.statements.length === 1);

    await clock.advance(1000);

    expect(String(await orders.over)).toContain('has not answered "listen"');
    expect(clients[0]?.released).toBe('destroyed');
  });
});
