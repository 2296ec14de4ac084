import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createPool, type Pool } from 'mysql2/promise';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { MysqlServer } from '../../fixtures/engines/mysql-server.js';
import { until } from '../../fixtures/until.js';
import { Replicas } from './replicas.js';

/** A pool hands out connections as whoever had them before has left them. */
describeEngine('MysqlElector with a pool whose connections', ['mariadbd', 'mariadb-install-db'], () => {
  let server: MysqlServer;
  let replicas: Replicas;
  let pool: Pool;

  beforeAll(async () => {
    server = await MysqlServer.start();
    await server.query('CREATE DATABASE tenant');
    await server.query('CREATE DATABASE `dashed-name`');
    await server.query('CREATE TABLE services.others (id int)');
  });

  afterAll(() => server.stop());

  beforeEach(() => {
    replicas = new Replicas();
  });

  afterEach(async () => {
    await replicas.close();
    await pool.end();
  });

  const openPool = async (database: string, left: string) => {
    pool = createPool({ uri: server.urlOf({ database }), connectionLimit: 3 });
    const connections = await Promise.all([pool.getConnection(), pool.getConnection(), pool.getConnection()]);
    for (const connection of connections) {
      await connection.query(left);
      connection.release();
    }
  };

  /** As in an application with a database for each tenant. */
  test.each(['services', 'dashed-name'])(
    'were moved from %s to another database keeps the leases',
    async (database) => {
      await openPool(database, 'USE tenant');
      const leader = await replicas.leading({ url: server.urlOf({ database }) });
      const follower = await replicas.following(leader, { pool });

      const before = leader.renewals;
      await until(() => leader.renewals > before + 10);

      expect([leader.leads, leader.terms.length, follower.terms.length]).toEqual([true, 1, 0]);
      expect(await server.query("SHOW TABLES FROM tenant LIKE 'nestjs%'")).toEqual([]);
      await leader.end();
      await until(() => follower.leads);
    },
  );

  test.each(['LOCK TABLES others READ', 'SET SESSION TRANSACTION READ ONLY'])(
    'were released after %s gets others for them, and leads',
    async (left) => {
      await openPool('services', left);

      const leader = await replicas.leading({ pool });

      const before = leader.renewals;
      await until(() => leader.renewals > before + 5);
      expect([leader.leads, leader.terms.length]).toEqual([true, 1]);
    },
  );
});
