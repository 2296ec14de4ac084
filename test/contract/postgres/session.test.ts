import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { resolvePostgresOptions } from '../../../lib/electors/postgres/postgres-elector-options.js';
import { storeOf } from '../../../lib/electors/postgres/postgres-elector.js';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { PostgresServer } from '../../fixtures/engines/postgres-server.js';
import { TcpProxy } from '../../fixtures/engines/tcp-proxy.js';
import { until } from '../../fixtures/until.js';
import { Replicas } from './replicas.js';
import { STEADY, TIMING } from './timing.js';

const LOCKS = "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted";
const KEY = `hashtextextended('orders/default', '"nestjs_lifecycle_leases"'::regclass::oid::bigint)`;

describeEngine("PostgresElector with crashDetection: 'session'", ['postgres'], () => {
  let server: PostgresServer;
  let replicas: Replicas;

  beforeAll(async () => {
    server = await PostgresServer.start();
  });

  afterAll(() => server.stop());

  beforeEach(() => {
    replicas = new Replicas();
  });

  afterEach(async () => {
    await replicas.close();
    await server.query('DROP TABLE IF EXISTS nestjs_lifecycle_leases');
  });

  const session = (port = server.port) => ({ url: server.urlOf({ port }), crashDetection: 'session' as const });
  const locks = () => server.query<{ pid: number }>(LOCKS);

  test('a leader has a lock for as long as it leads', async () => {
    const leader = await replicas.leading(session());
    expect(await locks()).toHaveLength(1);

    await leader.end();

    expect(await locks()).toEqual([]);
  });

  test('a candidate does not lead while another session has the lock, whatever the row says', async () => {
    const first = await replicas.leading(session());
    await first.end();
    const client = new Client({ connectionString: server.url });
    await client.connect();
    await client.query(`SELECT pg_advisory_lock(${KEY})`);

    const stand = replicas.stand(session());
    await pause(2 * TIMING.leaseMs);
    expect(stand.terms).toEqual([]);
    await client.end();

    await until(() => stand.leads);
  });

  test('the lease of a holder whose session is there is not taken, though its version stands still', async () => {
    const [one, other] = [1, 2].map(() => storeOf(resolvePostgresOptions({ namespace: 'orders', ...session() })));
    const never = new AbortController().signal;
    const holder = { election: 'default', holder: 'one#1', identity: 'one', leaseMs: 60_000 };
    await one!.read('default', never);
    const won = await one!.acquire({ ...holder, basis: { kind: 'absent' }, tokenAbove: 0n }, never);
    const claim = { ...holder, holder: 'other#1', basis: await other!.read('default', never), tokenAbove: 0n };

    expect([won.won, await other!.acquire(claim, never)]).toEqual([true, { won: false }]);
    await one!.close?.();

    await until(async () => (await other!.acquire(claim, never)).won);
    await other!.close?.();
  });

  test('a leader whose session is ended gets a new one with the lock, and leads on in the same term', async () => {
    const leader = await replicas.leading({ ...session(), ...STEADY });
    const [before] = await locks();

    await server.query('SELECT pg_terminate_backend($1)', [before?.pid]);
    const count = leader.renewals;
    await until(() => leader.renewals > count + 1);

    const [after] = await locks();
    expect(after?.pid).not.toBe(before?.pid);
    expect([leader.leads, leader.terms.length]).toEqual([true, 1]);
  });

  test('the server ends the session of a leader that it does not hear of, before its lease runs out', async () => {
    const proxy = await TcpProxy.open({ target: server, held: 'reset' });
    const leader = await replicas.leading(session(proxy.port));

    await proxy.set('blackhole');
    await until(async () => (await locks()).length === 0);

    const [row] = await server.query<{ left: boolean }>(
      'SELECT expires_at > clock_timestamp() AS left FROM nestjs_lifecycle_leases',
    );
    expect(row).toEqual({ left: true });
    await until(() => !leader.leads);
    await proxy.set('pass');
    await replicas.close();
    await proxy.close();
    replicas = new Replicas();
  });

  test('a lock that our own lost session still has costs no more than the term', async () => {
    const proxy = await TcpProxy.open({ target: server, held: 'reset' });
    const leader = await replicas.leading(session(proxy.port));

    // Our side is told; the server is not.
    await proxy.set('blackhole');
    await pause(TIMING.renewMs);
    await proxy.set('pass', 'reset');

    await until(() => leader.leads && leader.reports.at(-1)?.kind === 'renewal');
    await leader.end();
    await proxy.close();
  });

  test('replicas with and without sessions never lead at once', async () => {
    const leader = await replicas.leading(session());
    const follower = await replicas.following(leader, { url: server.url });
    await pause(TIMING.leaseMs);
    expect(follower.terms).toEqual([]);

    await leader.end();
    await until(() => follower.leads);
    const next = await replicas.following(follower, session());
    await follower.end();

    await until(() => next.leads);
    expect(next.failures('refusal')).toEqual([]);
  });

  test('tables of one name in two schemas have locks of their own', async () => {
    await server.query('CREATE SCHEMA one; CREATE SCHEMA two');

    const one = await replicas.leading({ ...session(), table: 'one.leases' });
    const two = await new Replicas().leading({ ...session(), table: 'two.leases' });

    expect([one.leads, two.leads]).toEqual([true, true]);
    await two.end();
    await two.elector.close();
  });
});
