import type { EngineName } from '../records.js';
import type { ChaosEngine } from './chaos-engine.js';

/** @throws Error when its server is not installed */
export async function openEngine(engine: EngineName, directory: string): Promise<ChaosEngine> {
  switch (engine) {
    case 'local': {
      const { openLocalEngine } = await import('./local-engine.js');
      return openLocalEngine(directory);
    }
    case 'redis': {
      const { openRedisEngine } = await import('./redis-engine.js');
      return openRedisEngine();
    }
    case 'postgres':
    case 'postgres-session': {
      const { openPostgresEngine } = await import('./postgres-engine.js');
      return openPostgresEngine();
    }
    case 'etcd': {
      const { openEtcdEngine } = await import('./etcd-engine.js');
      return openEtcdEngine();
    }
    case 'kubernetes': {
      const { openKubernetesEngine } = await import('./kubernetes-engine.js');
      return openKubernetesEngine();
    }
    case 'nats': {
      const { openNatsEngine } = await import('./nats-engine.js');
      return openNatsEngine();
    }
    case 'mysql': {
      const { openMysqlEngine } = await import('./mysql-engine.js');
      return openMysqlEngine();
    }
  }
}
