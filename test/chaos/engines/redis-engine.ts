import { RedisServer } from '../../fixtures/engines/redis-server.js';
import type { ChaosEngine } from './chaos-engine.js';
import { ReplicaProxies } from './replica-proxies.js';

/** Every write is on disk before it is answered, so that a crash loses nothing unless it is told to. */
export async function openRedisEngine(): Promise<ChaosEngine> {
  const server = await RedisServer.start({ appendonly: true });
  const proxies = await ReplicaProxies.open(server.port);
  return {
    urlFor: (slot) => `redis://127.0.0.1:${proxies.at(slot).port}`,
    proxyOf: (slot) => proxies.at(slot),
    kill: () => server.kill(),
    restart: ({ empty }) => server.restart({ keepData: !empty }),
    suspend: () => server.suspend(),
    resume: () => server.resume(),
    async loseData() {
      await server.command('FLUSHALL');
    },
    async killConnections() {
      for (const type of ['normal', 'pubsub']) await server.command('CLIENT', 'KILL', 'TYPE', type, 'SKIPME', 'yes');
    },
    async close() {
      await proxies.close();
      await server.stop();
    },
  };
}
