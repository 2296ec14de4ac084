import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { createPool, type Pool, type PoolOptions } from 'mysql2/promise';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { MysqlServer } from '../../fixtures/engines/mysql-server.js';
import { until } from '../../fixtures/until.js';
import { Replicas } from './replicas.js';
import { STEADY, TIMING } from './timing.js';

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
    await server.query('CREATE DATABASE tenant; CREATE DATABASE `dashed-name`; CREATE TABLE services.others (id int)');
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

  /** A pool hands out connections as whoever had them before has left them. */
  async function openPoolLeft(sql: string, database = 'services'): Promise<void> {
    openPool({ uri: server.urlOf({ database }), connectionLimit: 3 });
    const connections = await Promise.all([pool.getConnection(), pool.getConnection(), pool.getConnection()]);
    for (const connection of connections) {
      await connection.query(sql);
      connection.release();
    }
  }

  test('a pool that recycles its connections costs no term', async () => {
    const leader = await replicas.leading({ pool: openPool({ maxIdle: 1, idleTimeout: 1 }), ...STEADY });
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

      const leader = await replicas.leading({ pool, ...STEADY });
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

    const leader = await replicas.leading({ pool, ...STEADY });
    const follower = await replicas.following(leader, { url: server.url, ...STEADY });
    await pause(2 * TIMING.leaseMs);

    expect([leader.leads, leader.terms.length, follower.terms.length]).toEqual([true, 1, 0]);
  });

  /** As in an application with a database for each tenant. */
  test.each(['services', 'dashed-name'])(
    'connections that were moved from %s to another database keep the leases',
    async (database) => {
      await openPoolLeft('USE tenant', database);
      const leader = await replicas.leading({ url: server.urlOf({ database }), ...STEADY });
      const follower = await replicas.following(leader, { pool, ...STEADY });

      const before = leader.renewals;
      await until(() => leader.renewals > before + 10);

      expect([leader.leads, leader.terms.length, follower.terms.length]).toEqual([true, 1, 0]);
      expect(await server.query("SHOW TABLES FROM tenant LIKE 'nestjs%'")).toEqual([]);
      await leader.end();
      await until(() => follower.leads);
    },
  );

  test.each(['LOCK TABLES others READ', 'SET SESSION TRANSACTION READ ONLY'])(
    'for connections that were released after %s there are others, and it leads',
    async (sql) => {
      await openPoolLeft(sql);

      const leader = await replicas.leading({ pool, ...STEADY });

      const before = leader.renewals;
      await until(() => leader.renewals > before + 5);
      expect([leader.leads, leader.terms.length]).toEqual([true, 1]);
    },
  );
});
