import { Module, type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { LifecycleModule, Registry } from 'nestjs-lifecycle';
import { untilStatus } from 'nestjs-lifecycle/testing';
import { Pool } from 'pg';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { PostgresServer } from '../../fixtures/engines/postgres-server.js';
import { until } from '../../fixtures/until.js';
import { Mailer } from '../examples/migrating/mailer.js';
import { OldLease } from '../examples/migrating/old-lease.js';
import { Worker } from '../examples/migrating/worker.js';

const expireOldLease = "UPDATE leases SET expires_at = '-infinity'";

describeEngine('docs/migrating.md, from a lease of your own', ['postgres', 'initdb'], () => {
  let server: PostgresServer;
  let pool: Pool;
  let app: INestApplicationContext;

  beforeAll(async () => {
    server = await PostgresServer.start();
    pool = new Pool({ connectionString: server.url });
    await pool.query('CREATE TABLE leases (name text PRIMARY KEY, holder text, expires_at timestamptz)');
  }, 60_000);

  beforeEach(async () => {
    await pool.query('DELETE FROM leases');
    await pool.query("INSERT INTO leases VALUES ('worker', 'the old version', now() + interval '1 hour')");

    @Module({
      imports: [LifecycleModule.forRoot()],
      providers: [OldLease, Worker, Mailer, { provide: Pool, useValue: pool }],
    })
    class AppModule {}
    app = await NestFactory.createApplicationContext(AppModule, { logger: false });
  });

  afterEach(() => app.close());

  afterAll(async () => {
    await pool?.end();
    await server?.stop();
  }, 60_000);

  it('the worker waits for the old version, and begins when that has let go', async () => {
    await untilStatus(app.get(Registry), 'OldLease', 'starting');
    expect(app.get(Mailer).sent).toEqual([]);

    await pool.query(expireOldLease);
    await untilStatus(app.get(Registry), 'Worker', 'running');
    await until(() => app.get(Mailer).sent.length === 1);
    const { rowCount } = await pool.query(
      "SELECT 1 FROM leases WHERE holder <> 'the old version' AND expires_at > now()",
    );
    expect(rowCount).toBe(1);
  });

  it('the old version can take the lease back as soon as the new one has stopped', async () => {
    await pool.query(expireOldLease);
    await untilStatus(app.get(Registry), 'Worker', 'running');

    await app.close();

    const { rowCount } = await pool.query('SELECT 1 FROM leases WHERE expires_at < now()');
    expect(rowCount).toBe(1);
  });
});
