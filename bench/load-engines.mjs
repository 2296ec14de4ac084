// The engines of load.mjs: a server of one's own, electors on it, and how much it says was asked of it.
import { Redis } from 'ioredis';
import { createConnection } from 'mysql2/promise';
import { Client } from 'pg';
import { LEASE_TIMINGS } from '../dist/core/lease/lease-timing.js';
import { EtcdElector } from '../dist/electors/etcd/index.js';
import { KubernetesElector } from '../dist/electors/kubernetes/index.js';
import { MysqlElector } from '../dist/electors/mysql/index.js';
import { NatsElector } from '../dist/electors/nats/index.js';
import { PostgresElector } from '../dist/electors/postgres/index.js';
import { RedisElector } from '../dist/electors/redis/index.js';
import { EtcdServer } from '../test/fixtures/engines/etcd-server.ts';
import { freePort } from '../test/fixtures/engines/free-port.ts';
import { KubernetesApi } from '../test/fixtures/engines/kubernetes-api.ts';
import { MysqlServer } from '../test/fixtures/engines/mysql-server.ts';
import { NatsServer } from '../test/fixtures/engines/nats-server.ts';
import { PostgresServer } from '../test/fixtures/engines/postgres-server.ts';
import { RedisServer } from '../test/fixtures/engines/redis-server.ts';

const COMMON = { timing: 'fast', emptyStoreWaitMs: 0 };

/** The shortest that the elector takes. */
const KUBERNETES = { leaseMs: 4000, renewMs: 1000, requestTimeoutMs: 600, stopBudgetMs: 100 };

const ENGINES = {
  redis: startRedis,
  postgres: startPostgres,
  mysql: startMysql,
  nats: startNats,
  etcd: startEtcd,
  kubernetes: startKubernetes,
};

export const NAMES = Object.keys(ENGINES);

/** With the lease times, and with what a read and a renewal are in the engine's own count. */
export async function startEngine(name) {
  return { timing: LEASE_TIMINGS.fast, costs: { read: 1, renewal: 1 }, ...(await ENGINES[name]()) };
}

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

async function startMysql() {
  const server = await MysqlServer.start({ 'performance-schema': 'ON', 'max-connections': '500' });
  const client = await createConnection(server.url);
  return {
    port: server.port,
    elector: (namespace, port) => new MysqlElector({ ...COMMON, namespace, url: server.urlOf({ port }) }),
    /** Statements of all electors about leases. Those that wait for a release come besides. */
    async commands() {
      const [rows] = await client.query(
        `SELECT coalesce(sum(count_star), 0) AS total FROM performance_schema.events_statements_summary_by_digest
         WHERE digest_text LIKE '%nestjs_lifecycle_lease%' AND digest_text NOT LIKE '%performance_schema%'
           AND digest_text NOT LIKE '%GET_LOCK%'`,
      );
      return Number(rows[0].total);
    },
    async stop() {
      await client.end();
      await server.stop();
    },
  };
}

async function startNats() {
  const monitor = `127.0.0.1:${await freePort()}`;
  const server = await NatsServer.start({ config: `http: "${monitor}"` });
  return {
    port: server.port,
    // A renewal looks first.
    costs: { read: 1, renewal: 2 },
    elector: (namespace, port) => new NatsElector({ ...COMMON, namespace, servers: `127.0.0.1:${port}` }),
    /** Messages of all electors. */
    commands: async () => (await (await fetch(`http://${monitor}/varz`)).json()).in_msgs,
    stop: () => server.stop(),
  };
}

async function startEtcd() {
  const server = await EtcdServer.start();
  const handled = /^grpc_server_handled_total\{grpc_code="OK",grpc_method="(?:Range|Txn)",.*\} (\d+)/gm;
  return {
    port: server.port,
    elector: (namespace, port) => new EtcdElector({ ...COMMON, namespace, endpoints: `http://127.0.0.1:${port}` }),
    /** Reads and transactions of all electors. Watches come besides, one for each follower. */
    async commands() {
      const metrics = await (await fetch(`${server.url}/metrics`)).text();
      return [...metrics.matchAll(handled)].reduce((total, [, count]) => total + Number(count), 0);
    },
    stop: () => server.stop(),
  };
}

/** The double of the Lease API, in this process. */
async function startKubernetes() {
  const api = await KubernetesApi.start();
  api.cutsLines = false;
  return {
    port: api.port,
    timing: KUBERNETES,
    elector: (namespace, port) =>
      new KubernetesElector({ ...COMMON, timing: KUBERNETES, namespace, url: `http://127.0.0.1:${port}` }),
    /** Requests of all electors. Watches come besides, one for each follower. */
    commands: async () => api.calls.get + api.calls.create + api.calls.update + api.calls.delete,
    stop: () => api.stop(),
  };
}
