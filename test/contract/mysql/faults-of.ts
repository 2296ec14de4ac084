import { describe, expect, test } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import { mysqlLeaseTableSql } from 'nestjs-lifecycle/electors/mysql';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { MysqlServer } from '../../fixtures/engines/mysql-server.js';
import { until } from '../../fixtures/until.js';
import { sqlFaults } from '../sql-faults.js';
import type { AccessKind } from './access.js';
import { Replicas } from './replicas.js';
import { STEADY, TIMING } from './timing.js';

const LONG_MS = 2 * TIMING.leaseMs;

const SLOW_ATTEMPTS = `CREATE TABLE attempts (id bigint AUTO_INCREMENT PRIMARY KEY) ENGINE=MyISAM;
CREATE TRIGGER slow_insert AFTER INSERT ON nestjs_lifecycle_leases FOR EACH ROW BEGIN
  INSERT INTO attempts VALUES (NULL);
  IF (SELECT count(*) FROM attempts) <= 3 THEN DO SLEEP(${(3 * TIMING.requestTimeoutMs) / 1000}); END IF;
END;
CREATE TRIGGER slow_update AFTER UPDATE ON nestjs_lifecycle_leases FOR EACH ROW IF new.token <> old.token THEN
  INSERT INTO attempts VALUES (NULL);
  IF (SELECT count(*) FROM attempts) <= 3 THEN DO SLEEP(${(3 * TIMING.requestTimeoutMs) / 1000}); END IF;
END IF;`;

/** What befalls the server, for one way to reach it. A file for each way, since each takes its time. */
export function faultsOf(kind: AccessKind): void {
  describe(`with ${kind.name}`, () => {
    describeEngine('MySQL', ['mariadbd', 'mariadb-install-db'], () => {
      const stand = sqlFaults({
        leaseMs: TIMING.leaseMs,
        steady: STEADY,
        start: () => MysqlServer.start(),
        createReplicas: () => new Replicas(),
        open: (port) => kind.open(port),
        killConnections: (server) => server.killConnections(),
        connections: (server) => server.connections(),
        tableSql: mysqlLeaseTableSql(),
        slowAttempts: SLOW_ATTEMPTS,
        quickAttempts: 'DROP TABLE attempts; DROP TRIGGER slow_insert; DROP TRIGGER slow_update',
        anHourLater: 'UPDATE nestjs_lifecycle_leases SET expires_at = expires_at - INTERVAL 1 HOUR',
      });

      test('a row that somebody has locked makes requests fail in time, and does no harm when it is free', async () => {
        const [leader] = await stand.leaderAndFollower();
        const somebody = await createConnection(stand.server.url);
        await somebody.beginTransaction();
        await somebody.query('SELECT * FROM nestjs_lifecycle_leases FOR UPDATE');

        await until(() => !leader.leads);
        await somebody.rollback();
        await somebody.end();

        const next = await stand.replicas.untilOneLeads();
        await pause(LONG_MS);
        expect(stand.replicas.leaders()).toEqual([next]);
      });

      test('a deadlock whose victim is a renewal costs no term', async () => {
        const [leader] = await stand.leaderAndFollower(STEADY);
        // Every second renewal: more in a row could keep the lease from being renewed in time.
        await stand.server.query(`CREATE TABLE renewals (id bigint AUTO_INCREMENT PRIMARY KEY) ENGINE=MyISAM;
        CREATE TRIGGER victim BEFORE UPDATE ON nestjs_lifecycle_leases FOR EACH ROW BEGIN
          INSERT INTO renewals VALUES (NULL);
          IF (SELECT count(*) FROM renewals) % 2 = 1 THEN
            SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213, MESSAGE_TEXT = 'Deadlock found';
          END IF;
        END`);

        await until(() => leader.failures('error').length > 3);

        expect([leader.leads, leader.terms.length]).toEqual([true, 1]);
        await stand.server.query('DROP TRIGGER victim; DROP TABLE renewals');
      });
    });
  });
}
