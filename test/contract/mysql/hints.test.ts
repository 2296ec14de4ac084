import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { createPool, type Pool } from 'mysql2/promise';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { MysqlServer } from '../../fixtures/engines/mysql-server.js';
import { TcpProxy } from '../../fixtures/engines/tcp-proxy.js';
import { until } from '../../fixtures/until.js';
import { Replicas } from './replicas.js';

/** So long that only a hint ends a wait within the time of a test. */
const SLOW = { leaseMs: 120_000, renewMs: 20_000, requestTimeoutMs: 5000, stopBudgetMs: 5000 };
const WAITING = "SELECT id, info FROM information_schema.PROCESSLIST WHERE state = 'User lock'";
const LOCK_HOLDERS =
  "SELECT DISTINCT thread_id FROM information_schema.METADATA_LOCK_INFO WHERE lock_type = 'User lock'";

describeEngine('Hints of MySQL', ['mariadbd', 'mariadb-install-db'], () => {
  let server: MysqlServer;
  let replicas: Replicas;
  let pools: Pool[];

  beforeAll(async () => {
    server = await MysqlServer.start({ 'plugin-load-add': 'metadata_lock_info' });
  });

  afterAll(() => server.stop());

  beforeEach(() => {
    replicas = new Replicas();
    pools = [];
  });

  afterEach(async () => {
    await replicas.close();
    await Promise.all(pools.map((it) => it.end()));
    await server.query('DROP TABLE nestjs_lifecycle_leases');
  });

  const slow = () => ({ url: server.url, emptyStoreWaitMs: 0, timing: SLOW });
  const waiting = async () => (await server.query(WAITING)).length;

  function poolOf(connectionLimit: number): Pool {
    const pool = createPool({ uri: server.url, connectionLimit });
    pools.push(pool);
    return pool;
  }

  test('make the next one lead long before it would look, again and again', async () => {
    let leader = await replicas.leading(slow());
    for (let round = 0; round < 5; round++) {
      const follower = await replicas.following(leader, slow());
      await until(async () => (await waiting()) === 1);

      await leader.end();

      await until(() => follower.leads);
      expect(follower.failures('error')).toEqual([]);
      leader = follower;
    }
  });

  test('reach all who wait, of whom one leads', async () => {
    const leader = await replicas.leading(slow());
    const followers = await Promise.all(Array.from({ length: 4 }, () => replicas.following(leader, slow())));
    await until(async () => (await waiting()) === 4);

    await leader.end();

    const next = await replicas.untilOneLeads();
    await until(() => followers.every((it) => it === next || it.observed.at(-1) === next.identity));
    await until(async () => (await waiting()) === 3);
  });

  test('come through a pool that has room for them', async () => {
    const options = { pool: poolOf(3), emptyStoreWaitMs: 0, timing: SLOW };
    const leader = await replicas.leading(options);
    const follower = await replicas.following(leader, { ...options, pool: poolOf(3) });
    await until(async () => (await waiting()) === 1);

    await leader.end();

    await until(() => follower.leads);
  });

  test('are left out where a pool has no room for them', async () => {
    const leader = await replicas.leading({ pool: poolOf(2) });
    const follower = await replicas.following(leader, { pool: poolOf(2) });
    await pause(500);

    expect([await waiting(), (await server.query(LOCK_HOLDERS)).length]).toEqual([0, 0]);
    expect((await follower.elector.diagnose()).map(({ summary }) => summary)).toContainEqual(
      expect.stringContaining('The pool is too small for hints'),
    );
  });

  test('of many elections take the connections that there are in turns, and one connection holds all locks', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `e${index}`);
    const [leading, following] = [replicas.elector({ url: server.url }), replicas.elector({ url: server.url })];
    const leaders = await Promise.all(names.map((it) => replicas.leadingOn(leading, it)));
    const followers = names.map((it) => replicas.standOn(following, it));
    await until(() => followers.every((it, index) => it.observed.at(-1) === leaders[index]?.identity));
    await until(async () => (await waiting()) === 4);

    expect(await server.query(LOCK_HOLDERS)).toHaveLength(1);
    await Promise.all(leaders.map((it) => it.end()));

    await until(() => followers.every((it) => it.leads));
    expect(followers.flatMap((it) => it.failures('error'))).toEqual([]);
  });

  test('that are false change nothing: a leader whose connections the server has ended goes on, and takes its lock again', async () => {
    const leader = await replicas.leading(slow());
    const follower = await replicas.following(leader, slow());
    await until(async () => (await waiting()) === 1);

    await server.killConnections();
    await until(async () => (await waiting()) === 1);
    await until(async () => (await server.query(LOCK_HOLDERS)).length === 1);
    expect([leader.leads, follower.terms.length]).toEqual([true, 0]);

    await leader.end();
    await until(() => follower.leads);
  });

  test('that do not arrive any more, which nobody says, cost no more than a poll', async () => {
    const proxy = await TcpProxy.open({ target: server, held: 'reset' });
    const leader = await replicas.leading({ url: server.url });
    const hints = { url: server.urlOf({ port: proxy.port }) };
    const follower = await replicas.following(leader, { url: server.url, hints });
    await until(async () => (await waiting()) === 1);

    await proxy.set('blackhole');
    await leader.end();

    await until(() => follower.leads);
    await proxy.set('pass');
    await follower.end();
    await proxy.close();
  });

  test('come from the next leader also when the server believes in the connection of one that was cut off', async () => {
    const proxy = await TcpProxy.open({ target: server });
    const lost = await replicas.leading({ url: server.urlOf({ port: proxy.port }) });
    const next = await replicas.following(lost, { url: server.url });
    await proxy.set('blackhole');
    await until(() => next.leads);
    const last = await replicas.following(next, { ...slow() });
    await until(async () => (await waiting()) >= 1);

    await next.end();

    await until(() => last.leads);
    await proxy.set('pass', 'reset');
    await lost.end();
    await proxy.close();
  });

  test('of a follower without a leader that holds a lock make it ask no more often than its polls', async () => {
    const leader = await replicas.leading({ url: server.url, hints: false });
    const follower = await replicas.following(leader, { url: server.url });
    await pause(1000);
    const reads = () => follower.reports.filter(({ kind }) => kind === 'read').length;
    const before = reads();

    await pause(3000);

    expect(reads() - before).toBeLessThan(9);
  });
});
