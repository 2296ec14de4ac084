import { describe, expect, test } from '@jest/globals';
import { runOnce, type Connections } from '../../../../lib/core/connections/connections.js';
import type { PostgresConnection } from '../../../../lib/electors/postgres/postgres-connection.js';
import { Slots } from '../../../../lib/core/slots.js';
import { until } from '../../../fixtures/until.js';
import { scripted, serverError } from './scripted-connections.js';

const never = new AbortController().signal;
const hang = () => new Promise<never>(() => undefined);

describe('A connection', () => {
  const ask = (connections: Connections<PostgresConnection>, signal = never) =>
    runOnce(connections, (it) => it.query('SELECT 1', [], signal), signal);

  test('is given back after its statement, without listeners of ours', async () => {
    const { connections, clients } = scripted(() => ({ rows: [1] }));

    expect(await ask(connections)).toEqual([1]);

    expect(clients[0]).toMatchObject({ released: 'returned' });
    expect(clients[0]?.eventNames()).toEqual([]);
  });

  test('is given back when the server has refused its statement', async () => {
    const { connections, clients } = scripted(() => Promise.reject(serverError('42P01')));

    await expect(ask(connections)).rejects.toMatchObject({ code: '42P01' });

    expect(clients[0]?.released).toBe('returned');
  });

  test.each([
    ['the network fails', Object.assign(new Error('reset'), { code: 'ECONNRESET' })],
    ['the client fails without a code', new Error('Connection terminated')],
    ['the server has become a standby', serverError('25006')],
  ])('is destroyed when %s', async (_what, error) => {
    const { connections, clients } = scripted(() => Promise.reject(error));

    await expect(ask(connections)).rejects.toBe(error);

    expect(clients[0]?.released).toBe('destroyed');
  });

  test('is destroyed when its statement is aborted, and rejects at once', async () => {
    const { connections, clients } = scripted(hang);
    const control = new AbortController();
    const connection = await connections.take(control.signal);
    const asked = connection.query('SELECT 1', [], control.signal);
    await until(() => clients[0]?.statements.length === 1);

    control.abort(new Error('too late'));
    connection.giveBack();

    await expect(asked).rejects.toThrow('too late');
    expect(clients[0]?.released).toBe('destroyed');
  });

  test('that is in a transaction is destroyed before anything is asked', async () => {
    const { connections, clients } = scripted(() => ({ rows: [] }));
    const connection = await connections.take(never);
    clients[0]!.status = 'T';

    await expect(connection.query('SELECT 1', [], never)).rejects.toThrow('inside of a transaction');

    expect(clients[0]).toMatchObject({ released: 'destroyed', statements: [] });
  });

  test('that fails while nothing is asked is destroyed once, and says so', async () => {
    const { connections, clients } = scripted(() => ({ rows: [] }));
    const connection = await connections.take(never);

    clients[0]?.emit('error', new Error('57P01'));
    clients[0]?.emit('error', new Error('again'));
    clients[0]?.emit('end');
    connection.giveBack();

    expect(connection.ended.reason).toMatchObject({ message: '57P01' });
    expect(clients[0]?.released).toBe('destroyed');
  });

  test('that a pool hands out too late goes back unused', async () => {
    const { connections, clients } = scripted(() => ({ rows: [] }));
    const control = new AbortController();
    const asked = ask(connections, control.signal);

    control.abort(new Error('too late'));

    await expect(asked).rejects.toThrow('too late');
    expect(clients[0]).toMatchObject({ released: 'returned', statements: [] });
  });
});

describe('Slots', () => {
  test('let the next one in when somebody leaves, once', async () => {
    const slots = new Slots(1);
    const leave = await slots.enter(never);
    const entered: string[] = [];
    const second = slots.enter(never).then((it) => (entered.push('second'), it));
    const third = slots.enter(never).then((it) => (entered.push('third'), it));

    leave();
    leave();
    const leaveSecond = await second;
    expect(entered).toEqual(['second']);
    leaveSecond();
    await third;

    expect(entered).toEqual(['second', 'third']);
  });

  test('forget who has given up waiting', async () => {
    const slots = new Slots(1);
    const leave = await slots.enter(never);
    const control = new AbortController();
    const given = slots.enter(control.signal);
    control.abort(new Error('gone'));
    await expect(given).rejects.toThrow('gone');

    leave();

    await expect(slots.enter(never)).resolves.toBeInstanceOf(Function);
  });

  test('let nobody in whose signal is aborted', async () => {
    const slots = new Slots(1);
    await expect(slots.enter(AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');

    await expect(slots.enter(never)).resolves.toBeInstanceOf(Function);
  });
});
