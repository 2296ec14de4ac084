import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { PgBouncerServer } from '../../fixtures/engines/pgbouncer-server.js';
import { PostgresServer } from '../../fixtures/engines/postgres-server.js';
import { until } from '../../fixtures/until.js';
import { Replicas } from './replicas.js';

/** So long that only a notification, or a lease that runs out, ends a wait. */
const SLOW = { leaseMs: 120_000, renewMs: 20_000, requestTimeoutMs: 5000, stopBudgetMs: 5000 };

describeEngine('PostgresElector through pgbouncer', ['postgres', 'pgbouncer'], () => {
  let server: PostgresServer;
  let pgBouncer: PgBouncerServer;
  let replicas: Replicas;

  beforeAll(async () => {
    server = await PostgresServer.start();
    pgBouncer = await PgBouncerServer.start({ target: server, poolMode: 'transaction' });
  });

  afterAll(async () => {
    await pgBouncer.stop();
    await server.stop();
  });

  beforeEach(() => {
    replicas = new Replicas();
  });

  afterEach(() => replicas.close());

  test.each(['session', 'transaction'] as const)(
    'in mode %s refuses sessions, which it could not rely on',
    async (poolMode) => {
      const between = await PgBouncerServer.start({ target: server, poolMode });
      const stands = [1, 2].map(() => replicas.stand({ url: between.url, crashDetection: 'session' }));

      await until(() => stands.every((it) => it.failures('refusal').length > 1));

      expect(stands[0]!.failures('refusal')[0]).toContain('Connect to PostgreSQL itself');
      expect(stands.flatMap((it) => it.terms)).toEqual([]);
      expect(await server.query("SELECT 1 FROM pg_locks WHERE locktype = 'advisory'")).toEqual([]);
      await replicas.close();
      await between.stop();
    },
  );

  test('tells operators that releases are noticed by polling', async () => {
    const { elector } = await replicas.leading({ url: pgBouncer.url });

    const findings = await elector.diagnose();

    expect(findings.map(({ summary }) => summary)).toContainEqual(expect.stringContaining('There is a pooler'));
  });

  test('hears of releases on a direct connection that it was given for that', async () => {
    const options = { url: pgBouncer.url, listen: { url: server.url }, emptyStoreWaitMs: 0, timing: SLOW };
    const leader = await replicas.leading(options);
    const follower = await replicas.following(leader, options);
    const listeners = `SELECT count(*)::int AS count FROM pg_stat_activity WHERE query LIKE 'LISTEN%'`;
    await until(async () => (await server.query<{ count: number }>(listeners))[0]?.count === 2);

    await leader.end();

    await until(() => follower.leads);
  });
});
