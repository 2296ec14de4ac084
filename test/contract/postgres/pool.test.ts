import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool, type PoolConfig } from 'pg';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { PostgresServer } from '../../fixtures/engines/postgres-server.js';
import { until } from '../../fixtures/until.js';
import { Replicas } from './replicas.js';
import { STEADY, TIMING } from './timing.js';

describeEngine('PostgresElector with a pool that it was given', ['postgres'], () => {
  let server: PostgresServer;
  let replicas: Replicas;
  let pool: Pool;

  beforeAll(async () => {
    server = await PostgresServer.start();
  });

  afterAll(() => server.stop());

  beforeEach(() => {
    replicas = new Replicas();
  });

  afterEach(async () => {
    await replicas.close();
    await pool.end();
  });

  function openPool(config: PoolConfig = {}): Pool {
    pool = new Pool({ connectionString: server.url, ...config });
    pool.on('error', () => undefined);
    return pool;
  }

  test.each(['lease', 'session'] as const)(
    'a pool that recycles its clients costs no term (%s)',
    async (crashDetection) => {
      const leader = await replicas.leading({
        pool: openPool({ maxUses: 1, idleTimeoutMillis: 1 }),
        crashDetection,
        ...STEADY,
      });
      const before = leader.renewals;

      await until(() => leader.renewals > before + 20);

      expect([leader.leads, leader.terms.length]).toEqual([true, 1]);
    },
  );

  test('a pool is left open, with all its clients back', async () => {
    const leader = await replicas.leading({ pool: openPool({ max: 3 }) });

    await replicas.close();

    await until(() => pool.idleCount === pool.totalCount && pool.waitingCount === 0);
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    expect(leader.isOver).toBe(true);
  });

  test('a session does not go back to the pool with its lock or its settings', async () => {
    const leader = await replicas.leading({ pool: openPool({ max: 3 }), crashDetection: 'session' });
    await leader.end();

    const clients = await Promise.all([pool.connect(), pool.connect(), pool.connect()]);
    const settings = await Promise.all(clients.map((it) => it.query('SHOW idle_session_timeout')));
    clients.forEach((it) => it.release());

    expect(settings.map(({ rows }) => rows[0] as unknown)).toEqual(clients.map(() => ({ idle_session_timeout: '0' })));
    expect(await server.query("SELECT 1 FROM pg_locks WHERE locktype = 'advisory'")).toEqual([]);
  });

  test('a pool that has no client left makes requests fail in time', async () => {
    const leader = await replicas.leading({ pool: openPool({ max: 2 }) });
    const client = await pool.connect();

    await until(() => !leader.leads);
    expect(leader.failures('error').at(-1)).toContain('has not answered "renew"');
    client.release();

    await until(() => leader.leads);
  });

  test('a client that was released in mid-transaction is not used', async () => {
    openPool({ max: 3 });
    const dirty = await pool.connect();
    await dirty.query('BEGIN');
    dirty.release();

    const leader = await replicas.leading({ pool, ...STEADY });
    await pause(TIMING.leaseMs);

    expect(leader.failures('error').some((it) => it.includes('inside of a transaction'))).toBe(true);
    expect([leader.leads, leader.terms.length]).toEqual([true, 1]);
  });

  test('types that the application has set for its own queries change nothing', async () => {
    const types = { getTypeParser: () => (value: string) => `mine: ${value}` };
    const leader = await replicas.leading({ pool: openPool({ types }) });

    expect(leader.leads).toBe(true);
  });
});
