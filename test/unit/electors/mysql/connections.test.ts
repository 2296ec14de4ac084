import { describe, expect, test } from '@jest/globals';
import { runOnce } from '../../../../lib/core/connections/connections.js';
import type { MysqlConnection } from '../../../../lib/electors/mysql/mysql-connection.js';
import { DONE, scripted, serverError, type Answer } from './scripted-pool.js';

const soon = () => AbortSignal.timeout(10_000);

function write(answer: Answer, signal = soon()) {
  const { clients, connections } = scripted(answer);
  const run = (connection: MysqlConnection) => connection.write('UPDATE x', signal);
  return { clients, written: runOnce(connections, run, signal) };
}

describe('A connection out of a pool', () => {
  test('is given back after its statement, with nothing left on it', async () => {
    const { clients, written } = write(() => ({ ...DONE, affectedRows: 1, insertId: '9007199254740993' }));

    expect(await written).toEqual({ affectedRows: 1, insertId: 9_007_199_254_740_993n });
    expect([clients[0]?.released, clients[0]?.eventNames()]).toEqual(['returned', []]);
  });

  test.each([
    ['in a transaction', 3],
    ['without autocommit', 0],
  ])('is destroyed when the statement was carried out %s: it is not committed', async (_what, serverStatus) => {
    const { clients, written } = write(() => ({ ...DONE, affectedRows: 1, serverStatus }));

    await expect(written).rejects.toThrow('inside of a transaction');
    expect(clients[0]?.released).toBe('destroyed');
  });

  test('is not read from in a transaction, which would show what was', async () => {
    const { clients, connections } = scripted((sql) => (sql === 'DO 0' ? { ...DONE, serverStatus: 3 } : []));

    const read = runOnce(connections, (it) => it.rows('SELECT 1', soon()), soon());

    await expect(read).rejects.toThrow('inside of a transaction');
    expect(clients[0]?.statements).toEqual(['DO 0']);
  });

  test('is destroyed when its statement is given up, and nothing more is sent over it', async () => {
    const control = new AbortController();
    const { clients, connections } = scripted(() => new Promise(() => undefined));
    const connection = await connections.take(soon());
    const given = connection.write('UPDATE x', control.signal);

    control.abort(new Error('nobody waits'));

    await expect(given).rejects.toThrow('nobody waits');
    await expect(connection.write('UPDATE y', soon())).rejects.toThrow('nobody waits');
    connection.giveBack();
    expect([clients[0]?.released, clients[0]?.statements]).toEqual(['destroyed', ['UPDATE x']]);
  });

  test.each([
    ['a deadlock', serverError(1213), 'returned'],
    ['a server that has become read-only', serverError(1290), 'destroyed'],
    ['an error after which there is no connection', Object.assign(serverError(1927), { fatal: true }), 'destroyed'],
    ['an error of the network', Object.assign(new Error('reset'), { errno: -104 }), 'destroyed'],
  ])('after %s', async (_what, error, released) => {
    const { clients, written } = write(() => Promise.reject(error));

    await expect(written).rejects.toBe(error);
    expect(clients[0]?.released).toBe(released);
  });

  test('never trusts a number that was rounded', async () => {
    const { written } = write(() => ({ ...DONE, insertId: 2 ** 60 }));

    await expect(written).rejects.toThrow('is not exact');
  });

  test('that drops while nothing is asked is destroyed, and ends nothing else', async () => {
    const { clients, connections } = scripted(() => DONE);
    const connection = await connections.take(soon());

    clients[0]?.emit('error', new Error('gone'));

    expect([connection.ended.aborted, clients[0]?.released]).toEqual([true, 'destroyed']);
    expect(() => clients[0]?.emit('error', new Error('gone again'))).not.toThrow();
  });
});
