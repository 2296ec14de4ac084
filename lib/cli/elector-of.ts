import type { Elector } from '../core/elector.js';
import type { DoctorArguments } from './doctor-arguments.js';

/**
 * The elector that an app would have, of which only `diagnose()` and `close()` are called. The package of an engine is loaded
 * only when it is asked for.
 *
 * @throws InvalidOptionError
 */
export async function electorOf(given: DoctorArguments): Promise<Elector> {
  const { engine, namespace, session, kubeconfig, urls } = given;
  const [url = ''] = urls;
  switch (engine) {
    case 'local':
      return new (await import('../electors/local/index.js')).LocalElector({ namespace });
    case 'redis':
      return new (await import('../electors/redis/index.js')).RedisElector({ namespace, url });
    case 'postgres': {
      const { PostgresElector } = await import('../electors/postgres/index.js');
      return new PostgresElector({ namespace, url, ...(session && { crashDetection: 'session' }) });
    }
    case 'mysql':
      return new (await import('../electors/mysql/index.js')).MysqlElector({ namespace, url });
    case 'nats':
      return new (await import('../electors/nats/index.js')).NatsElector({ namespace, servers: urls });
    case 'etcd':
      return new (await import('../electors/etcd/index.js')).EtcdElector({ namespace, endpoints: urls });
    case 'kubernetes': {
      const { KubernetesElector } = await import('../electors/kubernetes/index.js');
      const access = { ...(url !== '' && { url }), ...(kubeconfig !== undefined && { kubeconfig }) };
      return new KubernetesElector({ namespace, ...access });
    }
  }
}
