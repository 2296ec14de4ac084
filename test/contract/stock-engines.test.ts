import { describe, expect, test } from '@jest/globals';
import { EtcdElector } from 'nestjs-lifecycle/electors/etcd';
import { KubernetesElector } from 'nestjs-lifecycle/electors/kubernetes';
import { LocalElector } from 'nestjs-lifecycle/electors/local';
import { MysqlElector } from 'nestjs-lifecycle/electors/mysql';
import { NatsElector } from 'nestjs-lifecycle/electors/nats';
import { PostgresElector } from 'nestjs-lifecycle/electors/postgres';
import { RedisElector } from 'nestjs-lifecycle/electors/redis';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Elector } from '../../lib/core/elector.js';
import { ContractCandidate } from '../../lib/testing/contract/contract-candidate.js';
import { describeEngine, type EngineBinary } from '../fixtures/engines/engine-binaries.js';
import { EtcdServer } from '../fixtures/engines/etcd-server.js';
import { KubernetesApi } from '../fixtures/engines/kubernetes-api.js';
import { MysqlServer } from '../fixtures/engines/mysql-server.js';
import { NatsServer } from '../fixtures/engines/nats-server.js';
import { PostgresServer } from '../fixtures/engines/postgres-server.js';
import { RedisServer } from '../fixtures/engines/redis-server.js';
import { until } from '../fixtures/until.js';

interface StockEngine {
  readonly name: string;
  readonly binaries: readonly EngineBinary[];
  /** With the settings that it comes with: those that the fixtures hurry by are taken back. */
  start(): Promise<{ url: string; stop(): unknown }>;
  elector(url: string): Elector;
}

/** All but how long a candidate waits where nobody has led yet. */
const common = { namespace: 'orders', emptyStoreWaitMs: 0 };

const ENGINES: readonly StockEngine[] = [
  {
    name: 'Redis',
    binaries: ['redis-server'],
    start: () => RedisServer.start(),
    elector: (url) => new RedisElector({ ...common, url }),
  },
  ...(['lease', 'session'] as const).map((crashDetection): StockEngine => ({
    name: `PostgreSQL (${crashDetection})`,
    binaries: ['postgres'],
    start: () => PostgresServer.start({ fsync: 'on' }),
    elector: (url) => new PostgresElector({ ...common, url, crashDetection }),
  })),
  {
    name: 'MySQL',
    binaries: ['mariadbd', 'mariadb-install-db'],
    start: () => MysqlServer.start({ 'innodb-flush-log-at-trx-commit': '1' }),
    elector: (url) => new MysqlElector({ ...common, url }),
  },
  {
    name: 'NATS',
    binaries: ['nats-server'],
    start: async () => {
      const server = await NatsServer.start();
      return { url: server.address, stop: () => server.stop() };
    },
    elector: (servers) => new NatsElector({ ...common, servers }),
  },
  {
    name: 'etcd',
    binaries: ['etcd'],
    start: () => EtcdServer.start(),
    elector: (endpoints) => new EtcdElector({ ...common, endpoints }),
  },
  {
    name: 'Kubernetes',
    binaries: [],
    start: () => KubernetesApi.start(),
    elector: (url) => new KubernetesElector({ ...common, url }),
  },
  {
    name: 'the host itself',
    binaries: [],
    start: async () => {
      const url = mkdtempSync(join(tmpdir(), 'stock-'));
      return { url, stop: () => rmSync(url, { recursive: true }) };
    },
    elector: (directory) => new LocalElector({ namespace: common.namespace, directory }),
  },
];

describe.each(ENGINES)('$name as it comes', ({ binaries, start, elector: electorOf }) => {
  describeEngine('under an elector as it comes', binaries, () => {
    test('is nothing that the doctor has to warn of', async () => {
      const server = await start();
      const elector = electorOf(server.url);
      const candidate = new ContractCandidate('me');
      const control = new AbortController();
      const campaign = elector.campaign('default', candidate, control.signal);
      await until(() => candidate.leads);

      const findings = (await elector.diagnose?.()) ?? [];
      control.abort(new Error('over'));
      await campaign;
      await elector.close?.();
      await server.stop();

      expect(findings.filter(({ level }) => level === 'warning' || level === 'error')).toEqual([]);
      expect(findings.map(({ level }) => level)).toContain('ok');
    });
  });
});
