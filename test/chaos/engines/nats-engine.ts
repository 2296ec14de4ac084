import { NatsServer } from '../../fixtures/engines/nats-server.js';
import type { ChaosEngine } from './chaos-engine.js';
import { ReplicaProxies } from './replica-proxies.js';

const STREAM = 'KV_nestjs-lifecycle';

export async function openNatsEngine(): Promise<ChaosEngine> {
  const server = await NatsServer.start();
  const proxies = await ReplicaProxies.open(server.port);
  const losses = ['DELETE', 'PURGE'];
  return {
    urlFor: (slot) => `127.0.0.1:${proxies.at(slot).port}`,
    proxyOf: (slot) => proxies.at(slot),
    kill: () => server.kill(),
    restart: ({ empty }) => server.restart({ keepData: !empty }),
    suspend: () => server.suspend(),
    resume: () => server.resume(),
    async loseData() {
      const [loss = '', other = ''] = losses;
      losses.splice(0, 2, other, loss);
      // The bucket may have been deleted before, with nobody there since.
      await server.ask(`STREAM.${loss}.${STREAM}`).catch((error: unknown) => {
        if (!String(error).includes('10059')) throw error;
      });
    },
    /** There is no request for that which users may make: the network does it. */
    killConnections() {
      proxies.resetAll();
      return Promise.resolve();
    },
    async close() {
      await proxies.close();
      await server.stop();
    },
  };
}
