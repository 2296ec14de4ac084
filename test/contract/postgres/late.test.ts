import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'pg';
import {
  PostgresElector,
  postgresLeaseTableSql,
  type PostgresElectorOptions,
} from 'nestjs-lifecycle/electors/postgres';
import { systemClock } from '../../../lib/core/clock.js';
import type { LeaseStore } from '../../../lib/core/lease/lease-store.js';
import { resolvePostgresOptions } from '../../../lib/electors/postgres/postgres-elector-options.js';
import { storeOf } from '../../../lib/electors/postgres/postgres-elector.js';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { PostgresServer } from '../../fixtures/engines/postgres-server.js';
import { TcpProxy } from '../../fixtures/engines/tcp-proxy.js';
import { until } from '../../fixtures/until.js';
import { TIMING } from './timing.js';

const TOO_LATE_MS = 2 * TIMING.requestTimeoutMs;
const CLIENTS = `SELECT count(*)::int AS count FROM pg_stat_activity
  WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'`;

describeEngine('What reaches PostgreSQL too late', ['postgres'], () => {
  let server: PostgresServer;
  let proxy: TcpProxy;
  let stores: LeaseStore[];
  let pool: Pool;

  beforeAll(async () => {
    server = await PostgresServer.start();
  });

  afterAll(() => server.stop());

  beforeEach(async () => {
    stores = [];
    proxy = await TcpProxy.open({ target: server });
    pool = new Pool({ connectionString: server.urlOf({ port: proxy.port }) });
    pool.on('error', () => undefined);
    await server.query(postgresLeaseTableSql());
  });

  afterEach(async () => {
    await Promise.all(stores.map(async (it) => it.close?.()));
    await pool.end();
    await proxy.close();
    await server.query('DROP TABLE nestjs_lifecycle_leases');
  });

  const soon = () => AbortSignal.timeout(20_000);
  const holder = { election: 'default', holder: 'me#1', identity: 'me', leaseMs: 60_000 };
  const rows = () => server.query('SELECT holder, token, version, expires_at FROM nestjs_lifecycle_leases');

  function open(options: Partial<PostgresElectorOptions> = { pool }): LeaseStore {
    const given = { namespace: 'orders', timing: TIMING, listen: false, ...options } as const;
    const store = storeOf(resolvePostgresOptions(given));
    stores.push(store);
    return store;
  }

  /** Its time stands still unless it is moved, so that the server's goes on without it. */
  function openStill(): readonly [LeaseStore, (ms: number) => void] {
    let now = 0;
    return [open({ url: server.url, clock: { ...systemClock, now: () => now } }), (ms) => void (now += ms)];
  }

  async function acquire(store: LeaseStore, it = holder) {
    const basis = await store.read('default', soon());
    const result = await store.acquire({ ...it, basis, tokenAbove: 0n }, soon());
    if (!result.won) throw new Error('It was not won');
    return { ...it, token: result.token };
  }

  /** Sends it into a network that is cut, gives it up, and lets it arrive. */
  async function late(send: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
    await proxy.set('blackhole');
    await expect(send(AbortSignal.timeout(TIMING.requestTimeoutMs))).rejects.toThrow();
    await pause(TOO_LATE_MS);
    await proxy.set('pass', 'deliver');
    await until(async () => (await server.query<{ count: number }>(CLIENTS))[0]?.count === 0);
  }

  test('an attempt on an empty table changes nothing', async () => {
    const store = open();
    const basis = await store.read('default', soon());

    await late((signal) => store.acquire({ ...holder, basis, tokenAbove: 0n }, signal));

    expect(await rows()).toEqual([]);
  });

  test('a take-over changes nothing', async () => {
    const store = open();
    await store.release(await acquire(store), soon());
    const basis = await store.read('default', soon());
    const before = await rows();

    await late((signal) => store.acquire({ ...holder, holder: 'me#2', basis, tokenAbove: 0n }, signal));

    expect(await rows()).toEqual(before);
  });

  test('a renewal extends nothing', async () => {
    const store = open();
    const lease = await acquire(store);
    const before = await rows();

    await late((signal) => store.renew(lease, signal));

    expect(await rows()).toEqual(before);
  });

  test('an attempt is too late by the server’s clock alone, and is in time after the next look', async () => {
    const [store] = openStill();
    const basis = await store.read('default', soon());
    await pause(TOO_LATE_MS);

    expect(await store.acquire({ ...holder, basis, tokenAbove: 0n }, soon())).toEqual({ won: false });

    await expect(acquire(store)).resolves.toMatchObject(holder);
  });

  test('time that has passed here too makes nothing late', async () => {
    const [store, move] = openStill();
    const lease = await acquire(store);
    await pause(TOO_LATE_MS);
    move(TOO_LATE_MS);

    expect(await store.renew(lease, soon())).toMatchObject({ renewed: true });
  });

  test('a renewal that seems late because the server’s clock has jumped is tried again, in the same term', async () => {
    const [store] = openStill();
    const lease = await acquire(store);
    await pause(TOO_LATE_MS);
    const before = await rows();

    await expect(store.renew(lease, soon())).rejects.toThrow('came too late. It is tried again');
    expect((await rows())[0]?.['expires_at']).toEqual(before[0]?.['expires_at']);

    expect(await store.renew(lease, soon())).toMatchObject({ renewed: true });
  });
});

describe('A PostgresElector that is closed', () => {
  describeEngine('while it opens a connection', ['postgres'], () => {
    test('leaves none behind, and opens no more, however far it has come', async () => {
      const server = await PostgresServer.start();
      for (let ticks = 0; ticks < 10; ticks++) {
        const elector = new PostgresElector({ namespace: 'orders', url: server.url, timing: TIMING });

        const asked = elector.diagnose();
        for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
        await elector.close();

        expect(await asked).toEqual([{ level: 'error', summary: expect.stringContaining('was closed') }]);
        expect(await elector.diagnose()).toEqual([{ level: 'error', summary: expect.stringContaining('was closed') }]);
      }
      await until(async () => (await server.query<{ count: number }>(CLIENTS))[0]?.count === 0);
      await server.stop();
    });
  });
});
