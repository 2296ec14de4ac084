import { Module, type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { LifecycleModule, type Elector } from 'nestjs-lifecycle';
import { ManualElector } from 'nestjs-lifecycle/testing';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { RedisServer } from '../../fixtures/engines/redis-server.js';
import { Mailer } from '../examples/migrating/mailer.js';
import { ReportsWithBoth } from '../examples/migrating/reports-with-both.js';
import { ReportsWithLock } from '../examples/migrating/reports-with-lock.js';

describeEngine('docs/migrating.md, from Redis locks', ['redis-server'], () => {
  let server: RedisServer;
  let redis: Redis;
  let app: INestApplicationContext;

  beforeAll(async () => {
    server = await RedisServer.start();
    redis = new Redis(server.url);
  });

  afterEach(() => app.close());

  afterAll(async () => {
    redis?.disconnect();
    await server?.stop();
  });

  it.each(['the old version', 'the new one'])(
    'the job is done once while both run, when %s comes first',
    async (first) => {
      await redis.flushall();
      app = await boot();
      const newOne = app.get(ReportsWithBoth);
      const old = new ReportsWithLock(redis, app.get(Mailer));

      for (const reports of first === 'the new one' ? [newOne, old] : [old, newOne]) await reports.send();

      expect(app.get(Mailer).sent).toEqual(['reports']);
    },
  );

  it('a replica of the new version that does not lead leaves the job to the old one', async () => {
    await redis.flushall();
    app = await boot(new ManualElector());

    await app.get(ReportsWithBoth).send();
    expect(app.get(Mailer).sent).toEqual([]);
    await new ReportsWithLock(redis, app.get(Mailer)).send();
    expect(app.get(Mailer).sent).toEqual(['reports']);
  });

  function boot(elector?: Elector): Promise<INestApplicationContext> {
    const options = elector === undefined ? {} : { elector };
    @Module({
      imports: [LifecycleModule.forRoot(options)],
      providers: [ReportsWithBoth, Mailer, { provide: Redis, useValue: redis }],
    })
    class AppModule {}
    return NestFactory.createApplicationContext(AppModule, { logger: false });
  }
});
