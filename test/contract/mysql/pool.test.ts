import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { createPool, type Pool, type PoolOptions } from 'mysql2/promise';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { MysqlServer } from '../../fixtures/engines/mysql-server.js';
import { until } from '../../fixtures/until.js';
import { Replicas } from './replicas.js';
import { TIMING } from './timing.js';

/** What the core pool knows of its connections. */
interface Counts {
  readonly _allConnections: { readonly length: number };
  readonly _freeConnections: { readonly length: number };
}

describeEngine('MysqlElector with a pool that it was given', ['mariadbd', 'mariadb-install-db'], () => {
  let server: MysqlServer;
  let replicas: Replicas;
  let pool: Pool;

  beforeAll(async () => {
    server = await MysqlServer.start();
  });

  afterAll(() => server.stop());

  beforeEach(() => {
    replicas = new Replicas();
  });

  afterEach(async () => {
    await replicas.close();
    await pool.end();
  });

  function openPool(options: PoolOptions = {}): Pool {
    pool = createPool({ uri: server.url, ...options });
    return pool;
  }

  test('a pool that recycles its connections costs no term', async () => {
    const leader = await replicas.leading({ pool: openPool({ maxIdle: 1, idleTimeout: 1 }) });
    const before = leader.renewals;

    await until(() => leader.renewals > before + 20);

    expect([leader.leads, leader.terms.length]).toEqual([true, 1]);
  });

  test('a pool is left open, with all its connections back', async () => {
    const leader = await replicas.leading({ pool: openPool({ connectionLimit: 3 }) });

    await replicas.close();

    const { _allConnections: all, _freeConnections: free } = pool.pool as unknown as Counts;
    await until(() => all.length === free.length);
    const [rows] = await pool.query('SELECT 1 AS one');
    expect([rows, leader.isOver]).toEqual([[{ one: 1 }], true]);
  });

  test('a pool that has no connection left makes requests fail in time', async () => {
    const leader = await replicas.leading({ pool: openPool({ connectionLimit: 1 }) });
    const client = await pool.getConnection();

    await until(() => !leader.leads);
    expect(leader.failures('error').at(-1)).toContain('has not answered "renew"');
    client.release();

    await until(() => leader.leads);
  });

  test.each(['START TRANSACTION', 'SET autocommit = 0'])(
    'a connection that was released after %s is not used',
    async (sql) => {
      openPool({ connectionLimit: 4 });
      const dirty = await pool.getConnection();
      await dirty.query(sql);
      dirty.release();

      const leader = await replicas.leading({ pool });
      await pause(TIMING.leaseMs);

      expect(leader.failures('error').some((it) => it.includes('inside of a transaction'))).toBe(true);
      expect([leader.leads, leader.terms.length]).toEqual([true, 1]);
    },
  );

  test('time zones, also those of sessions, change nothing', async () => {
    openPool({ connectionLimit: 2, timezone: '-08:00' });
    const [one, other] = [await pool.getConnection(), await pool.getConnection()];
    await one.query("SET time_zone = '+13:00'");
    await other.query("SET time_zone = '-09:30'");
    one.release();
    other.release();

    const leader = await replicas.leading({ pool });
    const follower = await replicas.following(leader, { url: server.url });
    await pause(2 * TIMING.leaseMs);

    expect([leader.leads, leader.terms.length, follower.terms.length]).toEqual([true, 1, 0]);
  });
});
