import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { createConnection, createPool, type Pool } from 'mysql2/promise';
import { MysqlElector, mysqlLeaseTableSql, type MysqlElectorOptions } from 'nestjs-lifecycle/electors/mysql';
import { systemClock } from '../../../lib/core/clock.js';
import type { LeaseStore } from '../../../lib/core/lease/lease-store.js';
import { resolveMysqlOptions } from '../../../lib/electors/mysql/mysql-elector-options.js';
import { storeOf } from '../../../lib/electors/mysql/mysql-elector.js';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { MysqlServer } from '../../fixtures/engines/mysql-server.js';
import { TcpProxy } from '../../fixtures/engines/tcp-proxy.js';
import { until } from '../../fixtures/until.js';
import { TIMING } from './timing.js';

const TOO_LATE_MS = 2 * TIMING.requestTimeoutMs;

describeEngine('What reaches MySQL too late', ['mariadbd', 'mariadb-install-db'], () => {
  let server: MysqlServer;
  let proxy: TcpProxy;
  let stores: LeaseStore[];
  let pool: Pool;

  beforeAll(async () => {
    server = await MysqlServer.start();
  });

  afterAll(() => server.stop());

  beforeEach(async () => {
    stores = [];
    proxy = await TcpProxy.open({ target: server });
    pool = createPool(server.urlOf({ port: proxy.port }));
    await server.query(mysqlLeaseTableSql());
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

  function open(options: Partial<MysqlElectorOptions> = { pool }): LeaseStore {
    const given = { namespace: 'orders', timing: TIMING, hints: false, ...options } as const;
    const store = storeOf(resolveMysqlOptions(given));
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
    await until(async () => (await server.connections()) === 0);
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
  /** Sends it to wait for a row, or for a gap, that somebody has locked, and gives it up meanwhile. */
  async function lateForLock(locking: string, send: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
    const somebody = await createConnection(server.url);
    await somebody.beginTransaction();
    await somebody.query(locking);
    await expect(send(AbortSignal.timeout(TIMING.requestTimeoutMs))).rejects.toThrow();
    await pause(TIMING.requestTimeoutMs);
    await somebody.rollback();
    await somebody.end();
    await until(async () => (await server.connections()) === 0);
  }

  const LOCK = 'SELECT * FROM nestjs_lifecycle_leases FOR UPDATE';

  test('a take-over that has waited for a lock changes nothing', async () => {
    const store = open();
    await store.release(await acquire(store), soon());
    const basis = await store.read('default', soon());
    await pool.end();
    pool = createPool(server.urlOf({ port: proxy.port }));
    const before = await rows();
    const other = open({ pool });
    await other.read('default', soon());

    await lateForLock(LOCK, (signal) => other.acquire({ ...holder, holder: 'me#2', basis, tokenAbove: 0n }, signal));

    expect(await rows()).toEqual(before);
  });

  test('a renewal that has waited for a lock extends nothing', async () => {
    const store = open();
    const lease = await acquire(store);
    const before = await rows();

    await lateForLock(LOCK, (signal) => store.renew(lease, signal));

    expect(await rows()).toEqual(before);
  });

  test('an attempt on an empty table that has waited for a lock takes a lease that is shorter by that', async () => {
    const store = open();
    const basis = await store.read('default', soon());

    await lateForLock(LOCK, (signal) => store.acquire({ ...holder, basis, tokenAbove: 0n }, signal));

    const record = await store.read('default', soon());
    // A server that has noticed in time that nobody waits has not carried it out.
    const remainingMs = record.kind === 'held' ? (record.remainingMs ?? holder.leaseMs) : 0;
    expect(remainingMs).toBeLessThan(holder.leaseMs - 2 * TIMING.requestTimeoutMs);
  });
});

describe('A MysqlElector that is closed', () => {
  describeEngine('while it opens a connection', ['mariadbd', 'mariadb-install-db'], () => {
    test('leaves none behind, and opens no more', async () => {
      const server = await MysqlServer.start();
      const elector = new MysqlElector({ namespace: 'orders', url: server.url, timing: TIMING });

      const asked = elector.diagnose();
      await elector.close();

      expect(await asked).toEqual([{ level: 'error', summary: expect.stringContaining('was closed') }]);
      expect(await elector.diagnose()).toEqual([{ level: 'error', summary: expect.stringContaining('was closed') }]);
      await until(async () => (await server.connections()) === 0);
      await server.stop();
    });
  });
});
