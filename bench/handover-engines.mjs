// The engines of handover.mjs and load.mjs: how to start a server of one's own, what to tell an elector, and what one round
// trip to it takes.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectNats } from '@nats-io/transport-node';
import { Redis } from 'ioredis';
import { createConnection } from 'mysql2/promise';
import { Client } from 'pg';
import { LEASE_TIMINGS } from '../dist/core/lease/lease-timing.js';
import { EtcdServer } from '../test/fixtures/engines/etcd-server.ts';
import { kubeconfigOf } from '../test/fixtures/engines/kubeconfig.ts';
import { KubernetesApi } from '../test/fixtures/engines/kubernetes-api.ts';
import { freePort } from '../test/fixtures/engines/free-port.ts';
import { NatsServer } from '../test/fixtures/engines/nats-server.ts';
import { MysqlServer } from '../test/fixtures/engines/mysql-server.ts';
import { PostgresServer } from '../test/fixtures/engines/postgres-server.ts';
import { RedisServer } from '../test/fixtures/engines/redis-server.ts';
import { now } from './handover-marks.mjs';

const NAMESPACE = 'bench';
/** Its default, and that of client-go. */
const KUBERNETES = { leaseMs: 15_000, renewMs: 2000 };
/** Those of `crashDetection: 'session'`. */
const SESSION = { leaseMs: 1600, renewMs: 400, requestTimeoutMs: 200, stopBudgetMs: 500, marginMs: 250 };

export const ENGINES = {
  local: startLocal,
  redis: startRedis,
  postgres: () => startPostgres({ timing: 'fast' }, LEASE_TIMINGS.fast),
  nats: startNats,
  'postgres-session': () => startPostgres({ crashDetection: 'session' }, SESSION),
  etcd: startEtcd,
  kubernetes: startKubernetes,
  mysql: startMysql,
};

/** No server: a listener that is connected to stands for the round trip. */
async function startLocal() {
  const directory = mkdtempSync(join(tmpdir(), 'lifecycle-bench-'));
  const path = process.platform === 'linux' ? `\0bench-${randomUUID()}` : join(directory, 'floor');
  const server = createServer((socket) => socket.end()).listen(path);
  await once(server, 'listening');
  return {
    elector: 'local',
    settings: { namespace: `bench-${process.pid}`, directory },
    settleMs: 0,
    listeners: async () => Number.POSITIVE_INFINITY,
    roundTripMs: async () => timeOf(() => once(connect({ path }).resume(), 'close')),
    async stop() {
      server.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function startRedis() {
  const server = await RedisServer.start();
  const client = new Redis({ port: server.port, host: '127.0.0.1' });
  return {
    elector: 'redis',
    server,
    client,
    timing: LEASE_TIMINGS.fast,
    settings: { namespace: NAMESPACE, url: server.url, timing: 'fast' },
    peerSettings: { port: server.port },
    forget: () => client.flushall(),
    settleMs: LEASE_TIMINGS.fast.renewMs,
    listeners: async () => (await client.client('LIST', 'TYPE', 'PUBSUB')).trim().split('\n').filter(Boolean).length,
    roundTripMs: () => timeOf(() => client.eval('return 1', 0)),
    async stop() {
      client.disconnect();
      await server.stop();
    },
  };
}

async function startPostgres(settings, timing) {
  const server = await PostgresServer.start();
  const client = new Client({ connectionString: server.url });
  await client.connect();
  const count = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE query LIKE 'LISTEN %'`;
  return {
    elector: 'postgres',
    server,
    client,
    timing,
    settings: { namespace: NAMESPACE, url: server.url, ...settings },
    settleMs: timing.renewMs,
    listeners: async () => (await client.query(count)).rows[0].n,
    roundTripMs: () => timeOf(() => client.query('SELECT 1')),
    async stop() {
      await client.end();
      await server.stop();
    },
  };
}

async function startEtcd() {
  const server = await EtcdServer.start();
  const watchers = /^etcd_debugging_mvcc_watcher_total (\d+)/m;
  return {
    elector: 'etcd',
    server,
    port: server.port,
    timing: LEASE_TIMINGS.fast,
    settings: { namespace: NAMESPACE, endpoints: server.url, timing: 'fast' },
    settleMs: LEASE_TIMINGS.fast.renewMs,
    listeners: async () => Number(watchers.exec(await (await fetch(`${server.url}/metrics`)).text())?.[1] ?? 0),
    roundTripMs: () => timeOf(() => server.call('/v3/kv/range', { key: 'AA==' })),
    stop: () => server.stop(),
  };
}

/** The double of the Lease API, in this process. */
async function startKubernetes() {
  const api = await KubernetesApi.start();
  api.cutsLines = false;
  const path = '/apis/coordination.k8s.io/v1/namespaces/default/leases/none';
  const directory = mkdtempSync(join(tmpdir(), 'lifecycle-bench-'));
  const kubeconfig = join(directory, 'config');
  // Without that the client of Kubernetes refuses plain HTTP.
  writeFileSync(kubeconfig, kubeconfigOf({ server: api.url, 'insecure-skip-tls-verify': true }));
  return {
    elector: 'kubernetes',
    timing: KUBERNETES,
    settings: { namespace: NAMESPACE, url: api.url },
    peerSettings: { kubeconfig },
    settleMs: KUBERNETES.renewMs,
    listeners: async () => api.watches,
    roundTripMs: () => timeOf(async () => (await fetch(`${api.url}${path}`)).text()),
    async stop() {
      await api.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function startNats() {
  const monitor = `127.0.0.1:${await freePort()}`;
  const server = await NatsServer.start({ config: `http: "${monitor}"` });
  const client = await connectNats({ servers: server.address });
  const listens = ({ subscriptions_list: subjects = [] }) => subjects.some((it) => it.includes('.released.'));
  return {
    elector: 'nats',
    server,
    client,
    timing: LEASE_TIMINGS.fast,
    settings: { namespace: NAMESPACE, servers: server.address, timing: 'fast' },
    settleMs: LEASE_TIMINGS.fast.renewMs,
    async listeners() {
      const { connections } = await (await fetch(`http://${monitor}/connz?subs=1`)).json();
      return connections.filter(listens).length;
    },
    roundTripMs: () => timeOf(() => client.request('$JS.API.INFO')),
    async stop() {
      await client.close();
      await server.stop();
    },
  };
}

async function startMysql() {
  const server = await MysqlServer.start();
  const client = await createConnection(server.url);
  const count = `SELECT count(*) AS n FROM information_schema.PROCESSLIST WHERE state = 'User lock'`;
  return {
    elector: 'mysql',
    server,
    client,
    timing: LEASE_TIMINGS.fast,
    settings: { namespace: NAMESPACE, url: server.url, timing: 'fast' },
    settleMs: LEASE_TIMINGS.fast.renewMs,
    // The one that leads has a lock, and does not wait for one.
    listeners: async () => 1 + Number((await client.query(count))[0][0].n),
    roundTripMs: () => timeOf(() => client.query('SELECT 1')),
    async stop() {
      await client.end();
      await server.stop();
    },
  };
}

async function timeOf(call) {
  const before = now();
  await call();
  return now() - before;
}
