import { SLOTS } from '../records.js';
import { EtcdServer } from '../../fixtures/engines/etcd-server.js';
import type { ChaosEngine } from './chaos-engine.js';
import { ReplicaProxies } from './replica-proxies.js';

export async function openEtcdEngine(): Promise<ChaosEngine> {
  const server = await EtcdServer.start();
  const proxies = await ReplicaProxies.open(server.port);
  return {
    urlFor: (slot) => `http://127.0.0.1:${proxies.at(slot).port}`,
    proxyOf: (slot) => proxies.at(slot),
    kill: () => server.kill(),
    restart: ({ empty }) => server.restart({ keepData: !empty }),
    suspend: () => server.suspend(),
    resume: () => server.resume(),
    loseData: () => server.deleteAll(),
    /** etcd has nothing for that; to its clients a reset looks the same wherever it comes from. */
    killConnections() {
      for (const slot of SLOTS) proxies.at(slot).resetAll();
      return Promise.resolve();
    },
    async close() {
      await proxies.close();
      await server.stop();
    },
  };
}
