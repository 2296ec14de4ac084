// The engines of load.mjs: a server of one's own, electors on it, and how much it says was asked of it.
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { PostgresElector } from '../dist/electors/postgres/index.js';
import { RedisElector } from '../dist/electors/redis/index.js';
import { PostgresServer } from '../test/fixtures/engines/postgres-server.ts';
import { RedisServer } from '../test/fixtures/engines/redis-server.ts';

const COMMON = { timing: 'fast', emptyStoreWaitMs: 0 };

export const ENGINES = { redis: startRedis, postgres: startPostgres };

async function startRedis() {
  const server = await RedisServer.start();
  const client = new Redis({ port: server.port, host: '127.0.0.1' });
  return {
    port: server.port,
    elector: (namespace, port) => new RedisElector({ ...COMMON, namespace, url: `redis://127.0.0.1:${port}` }),
    /** Commands of all electors: each is one script. */
    async commands() {
      const stats = await client.info('commandstats');
      const calls = [...stats.matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+)/gm)];
      return calls.reduce((total, [, count]) => total + Number(count), 0);
    },
    async stop() {
      client.disconnect();
      await server.stop();
    },
  };
}

async function startPostgres() {
  // Each elector has two connections.
  const settings = { max_connections: '300', shared_preload_libraries: 'pg_stat_statements' };
  const server = await PostgresServer.start(settings);
  const client = new Client({ connectionString: server.url });
  await client.connect();
  await client.query('CREATE EXTENSION pg_stat_statements');
  return {
    port: server.port,
    elector: (namespace, port) => new PostgresElector({ ...COMMON, namespace, url: server.urlOf({ port }) }),
    /** Statements of all electors. */
    async commands() {
      const { rows } = await client.query(
        `SELECT coalesce(sum(calls), 0)::int AS total FROM pg_stat_statements
         WHERE toplevel AND query LIKE '%nestjs_lifecycle_lease%' AND query NOT LIKE '%pg_stat_statements%'`,
      );
      return rows[0].total;
    },
    async stop() {
      await client.end();
      await server.stop();
    },
  };
}
