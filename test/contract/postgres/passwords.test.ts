import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { PostgresServer } from '../../fixtures/engines/postgres-server.js';
import { until } from '../../fixtures/until.js';
import { Replicas } from './replicas.js';
import { STEADY } from './timing.js';

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
    const leader = await replicas.leading({ options: { ...details, password: () => password }, ...STEADY });

    await server.query("ALTER ROLE secured PASSWORD 'second'");
    password = 'second';
    const before = leader.renewals;
    await server.query("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = 'secured'");
    await until(() => leader.renewals > before + 1);

    expect([leader.leads, leader.terms.length]).toEqual([true, 1]);
  });
});
