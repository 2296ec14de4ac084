import { PostgresServer } from '../../fixtures/engines/postgres-server.js';
import type { ChaosEngine } from './chaos-engine.js';
import { ReplicaProxies } from './replica-proxies.js';

const CLIENTS = `pid <> pg_backend_pid() AND backend_type = 'client backend'`;

export async function openPostgresEngine(): Promise<ChaosEngine> {
  const server = await PostgresServer.start();
  const proxies = await ReplicaProxies.open(server.port);
  const losses = ['DELETE FROM nestjs_lifecycle_leases', 'DROP TABLE nestjs_lifecycle_leases'];
  return {
    urlFor: (slot) => server.urlOf({ port: proxies.at(slot).port }),
    proxyOf: (slot) => proxies.at(slot),
    kill: () => server.kill(),
    restart: ({ empty }) => server.restart({ keepData: !empty }),
    suspend: () => server.suspend(),
    resume: () => server.resume(),
    async loseData() {
      const [loss = '', other = ''] = losses;
      losses.splice(0, 2, other, loss);
      // The one before may have been a DROP TABLE, with nobody there since.
      await server.query(`DO $$ BEGIN ${loss}; EXCEPTION WHEN undefined_table THEN NULL; END $$`);
    },
    async killConnections() {
      await server.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${CLIENTS}`);
    },
    async close() {
      await proxies.close();
      await server.stop();
    },
  };
}
