import { KubernetesApiProcess } from '../../fixtures/engines/kubernetes-api-process.js';
import type { ChaosEngine } from './chaos-engine.js';
import { ReplicaProxies } from './replica-proxies.js';

/** The double of the Lease API, on which single requests fail all the time, and others write to the Leases. */
export async function openKubernetesEngine(): Promise<ChaosEngine> {
  const server = await KubernetesApiProcess.start({ noise: true });
  const proxies = await ReplicaProxies.open(server.port);
  return {
    urlFor: (slot) => `http://127.0.0.1:${proxies.at(slot).port}`,
    proxyOf: (slot) => proxies.at(slot),
    kill: () => server.kill(),
    restart: ({ empty }) => server.restart({ keepData: !empty }),
    suspend: () => server.suspend(),
    resume: () => server.resume(),
    loseData: () => server.loseData(),
    killConnections() {
      server.killConnections();
      return Promise.resolve();
    },
    async close() {
      await proxies.close();
      await server.stop();
    },
  };
}
