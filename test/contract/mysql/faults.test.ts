import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import { mysqlLeaseTableSql } from 'nestjs-lifecycle/electors/mysql';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { MysqlServer } from '../../fixtures/engines/mysql-server.js';
import { TcpProxy } from '../../fixtures/engines/tcp-proxy.js';
import { until } from '../../fixtures/until.js';
import { BY_POOL, BY_URL, type Access, type AccessKind } from './access.js';
import { Replicas } from './replicas.js';
import { TIMING } from './timing.js';

const LONG_MS = 2 * TIMING.leaseMs;

/** The first attempts take longer than anybody waits for them, and are carried out all the same. */
const SLOW_ATTEMPTS = `CREATE TABLE attempts (id bigint AUTO_INCREMENT PRIMARY KEY) ENGINE=MyISAM;
CREATE TRIGGER slow_insert AFTER INSERT ON nestjs_lifecycle_leases FOR EACH ROW BEGIN
  INSERT INTO attempts VALUES (NULL);
  IF (SELECT count(*) FROM attempts) <= 3 THEN DO SLEEP(${(3 * TIMING.requestTimeoutMs) / 1000}); END IF;
END;
CREATE TRIGGER slow_update AFTER UPDATE ON nestjs_lifecycle_leases FOR EACH ROW IF new.token <> old.token THEN
  INSERT INTO attempts VALUES (NULL);
  IF (SELECT count(*) FROM attempts) <= 3 THEN DO SLEEP(${(3 * TIMING.requestTimeoutMs) / 1000}); END IF;
END IF;`;

describe.each([BY_URL, BY_POOL])('with $name', (kind: AccessKind) => {
  describeEngine('MySQL', ['mariadbd', 'mariadb-install-db'], () => {
    let server: MysqlServer;
    let replicas: Replicas;
    let accesses: Access[];

    beforeAll(async () => {
      server = await MysqlServer.start();
    });

    afterAll(() => server.stop());

    beforeEach(() => {
      replicas = new Replicas();
      accesses = [];
    });

    afterEach(async () => {
      await replicas.close();
      await Promise.all(accesses.map((it) => it.close()));
      await server.query('DROP TABLE IF EXISTS nestjs_lifecycle_leases');
    });

    const access = (port = server.port) => {
      const opened = kind.open(port);
      accesses.push(opened);
      return opened.options;
    };

    async function leaderAndFollower() {
      const leader = await replicas.leading(access());
      return [leader, await replicas.following(leader, access())] as const;
    }

    test('a leader whose connections are all ended, again and again, leads on in the same term', async () => {
      const [leader, follower] = await leaderAndFollower();

      for (let round = 0; round < 5; round++) {
        const before = leader.renewals;
        await server.killConnections();
        await until(() => leader.renewals > before + 1);
      }

      expect([leader.leads, leader.terms.length, follower.terms.length]).toEqual([true, 1, 0]);
    });

    test('after the server was killed and has its data again, one candidate leads', async () => {
      const [leader, follower] = await leaderAndFollower();

      await server.restart({ keepData: true });
      const next = await replicas.untilOneLeads();
      const before = next.renewals;
      await until(() => next.renewals > before + 3);

      expect(replicas.leaders()).toEqual([next]);
      expect(leader.isOver || follower.isOver).toBe(false);
    });

    test('after the server was killed and has lost its data, one candidate leads, with a larger token', async () => {
      const [leader] = await leaderAndFollower();
      const before = leader.lastToken;

      await server.restart({ keepData: false });
      await until(() => !leader.leads);
      const next = await replicas.untilOneLeads();

      expect(next.lastToken).toBeGreaterThan(before);
    });

    test('a server that hangs ends the term at its deadline; when it goes on, one candidate leads', async () => {
      const [leader] = await leaderAndFollower();

      server.suspend();
      await until(() => leader.terms[0]?.signal.aborted === true);
      await pause(LONG_MS);
      expect(replicas.leaders()).toEqual([]);
      server.resume();

      await replicas.untilOneLeads();
    });

    test('a leader that is cut off has ended its term before another one leads', async () => {
      const proxy = await TcpProxy.open({ target: server });
      const leader = await replicas.leading(access(proxy.port));
      const follower = await replicas.following(leader, access());

      await proxy.set('blackhole');
      await until(() => follower.leads);
      expect([leader.leads, leader.isOver]).toEqual([false, false]);
      // What it has sent arrives now, and changes nothing.
      await proxy.set('pass', 'deliver');
      await pause(LONG_MS);

      expect([follower.leads, follower.terms.length, leader.leads]).toEqual([true, 1, false]);
      await leader.end();
      await proxy.close();
    });

    test('a leader whose renewals are carried out, and whose answers are lost, ends its term before another one leads', async () => {
      const proxy = await TcpProxy.open({ target: server });
      const leader = await replicas.leading(access(proxy.port));
      const follower = await replicas.following(leader, access());

      await proxy.set('blackhole-down');
      await until(() => follower.leads);
      expect(leader.leads).toBe(false);
      await proxy.set('pass', 'reset');

      await until(() => leader.observed.at(-1) === follower.identity);
      expect(follower.leads).toBe(true);
      await leader.end();
      await proxy.close();
    });

    test('attempts that are carried out long after they were given up lead to one leader in the end', async () => {
      await server.query(mysqlLeaseTableSql());
      await server.query(SLOW_ATTEMPTS);
      const stands = [replicas.stand(access()), replicas.stand(access())];

      const leader = await replicas.untilOneLeads();
      await pause(LONG_MS);

      expect(replicas.leaders()).toEqual([leader]);
      const timeouts = stands.flatMap((it) => it.failures('error')).filter((it) => it.includes('"acquire"'));
      expect(timeouts.length).toBeGreaterThan(0);
      await server.query('DROP TABLE attempts; DROP TRIGGER slow_insert; DROP TRIGGER slow_update');
    });

    test('a table that is dropped in mid-term ends the term, and is created for the next one', async () => {
      const [leader] = await leaderAndFollower();
      const before = leader.lastToken;

      await server.query('DROP TABLE nestjs_lifecycle_leases');
      await until(() => !leader.leads);

      const next = await replicas.untilOneLeads();
      expect(next.lastToken).toBeGreaterThan(before);
    });

    test('a row that is deleted in mid-term ends the term', async () => {
      const [leader] = await leaderAndFollower();
      const before = leader.lastToken;

      await server.query('DELETE FROM nestjs_lifecycle_leases');
      await until(() => !leader.leads);

      const next = await replicas.untilOneLeads();
      expect(next.lastToken).toBeGreaterThan(before);
    });

    test('a lease that seems to have run out while its holder renews it is not taken', async () => {
      const [leader, follower] = await leaderAndFollower();

      // As if the server's clock had jumped for a moment, again and again.
      for (let round = 0; round < 20; round++) {
        await server.query('UPDATE nestjs_lifecycle_leases SET expires_at = expires_at - INTERVAL 1 HOUR');
        await pause(TIMING.leaseMs / 10);
      }

      expect([leader.leads, leader.terms.length, follower.terms.length]).toEqual([true, 1, 0]);
    });

    test('a row that somebody has locked makes requests fail in time, and does no harm when it is free', async () => {
      const [leader] = await leaderAndFollower();
      const somebody = await createConnection(server.url);
      await somebody.beginTransaction();
      await somebody.query('SELECT * FROM nestjs_lifecycle_leases FOR UPDATE');

      await until(() => !leader.leads);
      await somebody.rollback();
      await somebody.end();

      const next = await replicas.untilOneLeads();
      await pause(LONG_MS);
      expect(replicas.leaders()).toEqual([next]);
    });

    test('a deadlock whose victim is a renewal costs no term', async () => {
      const [leader] = await leaderAndFollower();
      await server.query(`CREATE TRIGGER victim BEFORE UPDATE ON nestjs_lifecycle_leases FOR EACH ROW
        IF RAND() < 0.5 THEN SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213, MESSAGE_TEXT = 'Deadlock found'; END IF`);

      await until(() => leader.failures('error').length > 3);

      expect([leader.leads, leader.terms.length]).toEqual([true, 1]);
      await server.query('DROP TRIGGER victim');
    });

    test('the clock of a candidate decides nothing', async () => {
      const [leader] = await leaderAndFollower();
      const clock = {
        now: () => performance.now(),
        wallNow: () => Date.now() + 3_600_000,
        setTimer: (callback: () => void, delayMs: number) => {
          const timer = setTimeout(callback, delayMs);
          return () => clearTimeout(timer);
        },
      };

      const stand = await replicas.following(leader, { ...access(), clock });
      await pause(LONG_MS);

      expect([leader.leads, stand.terms.length]).toEqual([true, 0]);
    });

    test('connections that were opened are closed, and nothing else', async () => {
      await leaderAndFollower();

      await replicas.close();
      await Promise.all(accesses.map((it) => it.close()));
      accesses = [];

      await until(async () => (await server.connections()) === 0);
      replicas = new Replicas();
    });
  });
});
