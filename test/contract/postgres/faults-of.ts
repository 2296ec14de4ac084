import { describe, expect, test } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { postgresLeaseTableSql } from 'nestjs-lifecycle/electors/postgres';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { PostgresServer } from '../../fixtures/engines/postgres-server.js';
import { until } from '../../fixtures/until.js';
import { sqlFaults } from '../sql-faults.js';
import { urlOf, type AccessKind } from './access.js';
import { Replicas } from './replicas.js';
import { STEADY, TIMING } from './timing.js';

const LONG_MS = 2 * TIMING.leaseMs;
const BACKENDS = `SELECT count(pg_terminate_backend(pid))::int AS count FROM pg_stat_activity
  WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'`;

const CONNECTIONS = `SELECT count(*)::int AS count FROM pg_stat_activity
  WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'`;

const SLOW_ATTEMPTS = `CREATE SEQUENCE attempts;
CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF nextval('attempts') <= 3 THEN PERFORM pg_sleep(${(3 * TIMING.requestTimeoutMs) / 1000}); END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER slow_insert AFTER INSERT ON nestjs_lifecycle_leases FOR EACH ROW EXECUTE FUNCTION slow();
CREATE TRIGGER slow_update AFTER UPDATE OF token ON nestjs_lifecycle_leases FOR EACH ROW EXECUTE FUNCTION slow();`;

/** What befalls the server, for one way to reach it. A file for each way, since each takes its time. */
export function faultsOf(kind: AccessKind): void {
  describe(`with ${kind.name}`, () => {
    describeEngine('PostgreSQL', ['postgres'], () => {
      const stand = sqlFaults({
        leaseMs: TIMING.leaseMs,
        steady: STEADY,
        start: () => PostgresServer.start(),
        createReplicas: () => new Replicas(),
        open: (port, server) => kind.open(port, server.port),
        killConnections: (server) => server.query(BACKENDS),
        connections: async (server) => (await server.query<{ count: number }>(CONNECTIONS))[0]?.count ?? Number.NaN,
        tableSql: postgresLeaseTableSql(),
        slowAttempts: SLOW_ATTEMPTS,
        quickAttempts: 'DROP FUNCTION slow CASCADE; DROP SEQUENCE attempts',
        anHourLater: "UPDATE nestjs_lifecycle_leases SET expires_at = expires_at - interval '1 hour'",
      });

      test('is reached where it says that it is', () => {
        expect(urlOf(stand.server.port)).toBe(stand.server.url);
      });

      test('connections that were ended while nothing was asked are opened again, the one for notifications too', async () => {
        const [leader, follower] = await stand.leaderAndFollower();
        await stand.server.query(BACKENDS);
        const listeners = `SELECT count(*)::int AS count FROM pg_stat_activity WHERE query LIKE 'LISTEN%'`;
        await until(async () => (await stand.server.query<{ count: number }>(listeners))[0]?.count === 2);

        await leader.end();

        await until(() => follower.leads);
      });

      test('a table that somebody has locked makes requests fail in time, and does no harm when it is free', async () => {
        const [leader] = await stand.leaderAndFollower();

        const locked = stand.server.query(
          `DO $$ BEGIN LOCK TABLE nestjs_lifecycle_leases; PERFORM pg_sleep(${LONG_MS / 1000}); END $$`,
        );
        await until(() => !leader.leads);
        await locked;

        const next = await stand.replicas.untilOneLeads();
        await pause(LONG_MS);
        expect(stand.replicas.leaders()).toEqual([next]);
      });
    });
  });
}
