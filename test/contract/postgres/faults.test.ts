import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { postgresLeaseTableSql } from 'nestjs-lifecycle/electors/postgres';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { PostgresServer } from '../../fixtures/engines/postgres-server.js';
import { TcpProxy } from '../../fixtures/engines/tcp-proxy.js';
import { until } from '../../fixtures/until.js';
import { BY_POOL, BY_SESSION, BY_URL, urlOf, type Access, type AccessKind } from './access.js';
import { Replicas } from './replicas.js';
import { TIMING } from './timing.js';

const LONG_MS = 2 * TIMING.leaseMs;
const BACKENDS = `SELECT count(pg_terminate_backend(pid))::int AS count FROM pg_stat_activity
  WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'`;

/** The first attempts take longer than anybody waits for them, and are carried out all the same. */
const SLOW_ATTEMPTS = `CREATE SEQUENCE attempts;
CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF nextval('attempts') <= 3 THEN PERFORM pg_sleep(${(3 * TIMING.requestTimeoutMs) / 1000}); END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER slow_insert AFTER INSERT ON nestjs_lifecycle_leases FOR EACH ROW EXECUTE FUNCTION slow();
CREATE TRIGGER slow_update AFTER UPDATE OF token ON nestjs_lifecycle_leases FOR EACH ROW EXECUTE FUNCTION slow();`;

describe.each([BY_URL, BY_POOL, BY_SESSION])('with $name', (kind: AccessKind) => {
  describeEngine('PostgreSQL', ['postgres'], () => {
    let server: PostgresServer;
    let replicas: Replicas;
    let accesses: Access[];

    beforeAll(async () => {
      server = await PostgresServer.start();
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
      const opened = kind.open(port, server.port);
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
        await server.query(BACKENDS);
        await until(() => leader.renewals > before + 1);
      }

      expect([leader.leads, leader.terms.length, follower.terms.length]).toEqual([true, 1, 0]);
    });

    test('connections that were ended while nothing was asked are opened again, the one for notifications too', async () => {
      const [leader, follower] = await leaderAndFollower();
      await server.query(BACKENDS);
      const listeners = `SELECT count(*)::int AS count FROM pg_stat_activity WHERE query LIKE 'LISTEN%'`;
      await until(async () => (await server.query<{ count: number }>(listeners))[0]?.count === 2);

      await leader.end();

      await until(() => follower.leads);
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
      await server.query(postgresLeaseTableSql());
      await server.query(SLOW_ATTEMPTS);
      const stands = [replicas.stand(access()), replicas.stand(access())];

      const leader = await replicas.untilOneLeads();
      await pause(LONG_MS);

      expect(replicas.leaders()).toEqual([leader]);
      const timeouts = stands.flatMap((it) => it.failures('error')).filter((it) => it.includes('"acquire"'));
      expect(timeouts.length).toBeGreaterThan(0);
      await server.query('DROP FUNCTION slow CASCADE; DROP SEQUENCE attempts');
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
        await server.query("UPDATE nestjs_lifecycle_leases SET expires_at = expires_at - interval '1 hour'");
        await pause(TIMING.leaseMs / 10);
      }

      expect([leader.leads, leader.terms.length, follower.terms.length]).toEqual([true, 1, 0]);
    });

    test('a table that somebody has locked makes requests fail in time, and does no harm when it is free', async () => {
      const [leader] = await leaderAndFollower();

      const locked = server.query(
        `DO $$ BEGIN LOCK TABLE nestjs_lifecycle_leases; PERFORM pg_sleep(${LONG_MS / 1000}); END $$`,
      );
      await until(() => !leader.leads);
      await locked;

      const next = await replicas.untilOneLeads();
      await pause(LONG_MS);
      expect(replicas.leaders()).toEqual([next]);
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
      const url = urlOf(server.port);
      expect(url).toBe(server.url);
      await leaderAndFollower();

      await replicas.close();
      await Promise.all(accesses.map((it) => it.close()));
      accesses = [];

      const own = `SELECT count(*)::int AS count FROM pg_stat_activity
        WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'`;
      await until(async () => (await server.query<{ count: number }>(own))[0]?.count === 0);
      replicas = new Replicas();
    });
  });
});

describeEngine('PostgreSQL, whose passwords change', ['postgres'], () => {
  let server: PostgresServer;
  let replicas: Replicas;

  beforeAll(async () => {
    server = await PostgresServer.start();
    await server.query("CREATE ROLE secured LOGIN SUPERUSER PASSWORD 'first'");
    replicas = new Replicas();
  });

  afterAll(async () => {
    await replicas.close();
    await server.stop();
  });

  test('a password is asked for at each connection, so that a leader leads on after it was changed', async () => {
    let password = 'first';
    const details = { host: '127.0.0.1', port: server.port, user: 'secured', database: 'postgres' };
    const leader = await replicas.leading({ options: { ...details, password: () => password } });

    await server.query("ALTER ROLE secured PASSWORD 'second'");
    password = 'second';
    const before = leader.renewals;
    await server.query(`${BACKENDS} AND usename = 'secured'`);
    await until(() => leader.renewals > before + 1);

    expect([leader.leads, leader.terms.length]).toEqual([true, 1]);
  });
});
