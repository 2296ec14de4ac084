import { MysqlServer } from '../../fixtures/engines/mysql-server.js';
import type { ChaosEngine } from './chaos-engine.js';
import { ReplicaProxies } from './replica-proxies.js';

export async function openMysqlEngine(): Promise<ChaosEngine> {
  const server = await MysqlServer.start();
  const proxies = await ReplicaProxies.open(server.port);
  const losses = [
    // The one before may have been a DROP TABLE, with nobody there since.
    'BEGIN NOT ATOMIC DECLARE CONTINUE HANDLER FOR 1146 BEGIN END; DELETE FROM nestjs_lifecycle_leases; END',
    'DROP TABLE IF EXISTS nestjs_lifecycle_leases',
  ];
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
      await server.query(loss);
    },
    killConnections: () => server.killConnections(),
    async close() {
      await proxies.close();
      await server.stop();
    },
  };
}
