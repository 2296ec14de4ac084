import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { PostgresServer } from '../../fixtures/engines/postgres-server.js';
import { TcpProxy } from '../../fixtures/engines/tcp-proxy.js';
import { until } from '../../fixtures/until.js';
import { Replicas } from './replicas.js';

/** So long that only a notification ends a wait within the time of a test. */
const SLOW = { leaseMs: 120_000, renewMs: 20_000, requestTimeoutMs: 5000, stopBudgetMs: 5000 };
const LISTENERS = "SELECT count(*)::int AS count FROM pg_stat_activity WHERE query LIKE 'LISTEN%'";

describeEngine('Notifications of PostgreSQL', ['postgres'], () => {
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
    await server.query('DROP TABLE nestjs_lifecycle_leases');
  });

  const listeners = async () => (await server.query<{ count: number }>(LISTENERS))[0]?.count;

  test.each(['lease', 'session'] as const)('make the next one lead long before it would look (%s)', async (mode) => {
    const options = { url: server.url, emptyStoreWaitMs: 0, timing: SLOW, crashDetection: mode };
    const leader = await replicas.leading(options);
    const follower = await replicas.following(leader, options);
    await until(async () => (await listeners()) === 2);

    await leader.end();

    await until(() => follower.leads);
    expect(follower.failures('error')).toEqual([]);
  });

  test('are listened to on one connection for all elections', async () => {
    const { elector } = await replicas.leading({ url: server.url, election: 'orders' });
    await replicas.leadingOn(elector, 'mails');

    expect(await listeners()).toBe(1);
  });

  test('that do not arrive any more, which nobody says, cost no more than a poll', async () => {
    const proxy = await TcpProxy.open({ target: server, held: 'reset' });
    const leader = await replicas.leading({ url: server.url });
    const listen = { url: server.urlOf({ port: proxy.port }) };
    const follower = await replicas.following(leader, { url: server.url, listen });
    await until(async () => (await listeners()) === 2);

    await proxy.set('blackhole');
    await leader.end();

    await until(() => follower.leads);
    await proxy.set('pass');
    await follower.end();
    await proxy.close();
  });
});
