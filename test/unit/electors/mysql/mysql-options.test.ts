import { afterEach, describe, expect, test } from '@jest/globals';
import { createPool as createCallbackPool } from 'mysql2';
import { createPool, type ConnectionOptions } from 'mysql2/promise';
import { MysqlElector, mysqlLeaseTableSql } from 'nestjs-lifecycle/electors/mysql';
import { InvalidOptionError } from '../../../../lib/core/errors.js';
import { resolveMysqlOptions } from '../../../../lib/electors/mysql/mysql-elector-options.js';
import { storeOf } from '../../../../lib/electors/mysql/mysql-elector.js';

const url = 'mysql://127.0.0.1/orders';

describe('MysqlElector refuses options that cannot work', () => {
  test.each([
    ['nothing', undefined, '"options"'],
    ['no namespace', { url }, '"namespace"'],
    ['a namespace that is no name', { namespace: 'My Orders', url }, '"namespace"'],
    ['no server', { namespace: 'orders' }, 'exactly one of "url", "options" and "pool"'],
    ['two servers', { namespace: 'orders', url, options: {} }, 'exactly one of "url", "options" and "pool"'],
    ['an empty url', { namespace: 'orders', url: ' ' }, '"url"'],
    ['options that are none', { namespace: 'orders', options: 'host=db' }, '"options"'],
    ['a connection instead of a pool', { namespace: 'orders', pool: { query: () => undefined } }, '"pool"'],
    ['an option that is not known', { namespace: 'orders', url, client: {} }, '"client"'],
    ['a table that is no name', { namespace: 'orders', url, table: 'leases; DROP TABLE x' }, '"table"'],
    ['a table that would end its quotes', { namespace: 'orders', url, table: 'a`b' }, '"table"'],
    ['a table in a database in something', { namespace: 'orders', url, table: 'a.b.c' }, '"table"'],
    ['createTable that is no boolean', { namespace: 'orders', url, createTable: 'no' }, '"createTable"'],
    ['hints: true', { namespace: 'orders', url, hints: true }, '"hints"'],
    ['hints nowhere', { namespace: 'orders', url, hints: {} }, '"hints"'],
    ['hints in two places', { namespace: 'orders', url, hints: { url, options: {} } }, '"hints"'],
    ['hints in a pool', { namespace: 'orders', url, hints: { pool: {} } }, '"pool"'],
    ['a timing that does not fit', { namespace: 'orders', url, timing: { leaseMs: 2000 } }, '"timing"'],
  ])('%s', (_what, options, says) => {
    const create = () => new MysqlElector(options as never);

    expect(create).toThrow(InvalidOptionError);
    expect(create).toThrow(says);
  });
});

describe('MysqlElector takes', () => {
  const pools: { end(): unknown }[] = [];

  afterEach(async () => {
    await Promise.all(pools.splice(0).map((it) => it.end()));
  });

  function sized(connectionLimit: number) {
    const pool = createPool({ uri: url, connectionLimit });
    pools.push(pool);
    return pool;
  }

  test('both kinds of pools and the options of mysql2 as they are typed', () => {
    const options: ConnectionOptions = { host: '127.0.0.1', ssl: { rejectUnauthorized: true } };
    const callbacks = createCallbackPool(url);
    pools.push(callbacks.promise());

    for (const access of [{ options }, { pool: callbacks }, { pool: sized(5) }]) {
      expect(new MysqlElector({ namespace: 'orders', ...access })).toBeInstanceOf(MysqlElector);
    }
  });

  test.each([
    [1, 0],
    [2, 0],
    [3, 1],
    [6, 2],
    [10, 4],
    [100, 4],
    [0, 4],
  ])('of a pool of %i connections at most %i for waits', (connectionLimit, most) => {
    const given = { namespace: 'orders', pool: sized(connectionLimit) };
    const resolved = resolveMysqlOptions(given);

    expect(resolved.mostWaits).toBe(most);
    expect(storeOf(resolved).watch === undefined).toBe(most === 0);
    expect(resolveMysqlOptions({ ...given, hints: { url } }).mostWaits).toBe(4);
  });

  test('no connection before a campaign begins', async () => {
    const elector = new MysqlElector({ namespace: 'orders', url: 'mysql://127.0.0.1:1/nowhere' });

    await elector.close();

    expect(elector.reportsWithinMs).toBe(9500);
  });
});

describe('mysqlLeaseTableSql()', () => {
  test('quotes each part of the name', () => {
    expect(mysqlLeaseTableSql({ table: 'infra.Leases' })).toContain('CREATE TABLE IF NOT EXISTS `infra`.`Leases` (');
  });

  test('refuses what is no name', () => {
    expect(() => mysqlLeaseTableSql({ table: 'a`b' })).toThrow(InvalidOptionError);
  });
});
