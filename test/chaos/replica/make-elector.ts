import type { Elector } from '../../../lib/core/elector.js';
import { resolveLeaseTiming } from '../../../lib/core/lease/lease-timing.js';
import { TIMING } from '../timing.js';
import { givenMysqlPool, givenNatsClient, givenPool, givenRedisClient, type Given } from './given-clients.js';
import { makeMistake, settingsOfMistake } from './mistakes.js';
import type { ReplicaSettings } from './replica-settings.js';
import { WatchedElector } from './watched-elector.js';

export interface ReplicaElector {
  readonly elector: Elector;
  /** Ends the clients that it was given. */
  closeClients(): Promise<void>;
}

/** The elector of a replica, watched; with the mistake that the run is to find, if it is for that. */
export async function makeElector(
  settings: ReplicaSettings,
  journal: ConstructorParameters<typeof WatchedElector>[1],
): Promise<ReplicaElector> {
  const { elector, closeClients } = await plainElector(settings);
  const watched = new WatchedElector(elector, journal);
  return { closeClients, elector: settings.control === undefined ? watched : makeMistake(settings.control, watched) };
}

async function plainElector({ engine, slot, url, namespace, control }: ReplicaSettings): Promise<ReplicaElector> {
  const lease = { namespace, timing: TIMING, ...settingsOfMistake(control) };
  switch (engine) {
    case 'local': {
      const { LocalElector } = await import('../../../lib/electors/local/local-elector.js');
      return withoutClients(new LocalElector({ namespace, directory: url }));
    }
    case 'redis': {
      const { RedisElector } = await import('../../../lib/electors/redis/redis-elector.js');
      const given = await givenRedisClient(slot, url);
      if (given === undefined) return withoutClients(new RedisElector({ ...lease, url }));
      return withClient(new RedisElector({ ...lease, client: given.client }), given);
    }
    case 'postgres':
    case 'postgres-session': {
      const { PostgresElector } = await import('../../../lib/electors/postgres/postgres-elector.js');
      const all = { ...lease, crashDetection: engine === 'postgres' ? 'lease' : 'session' } as const;
      const given = await givenPool(slot, url);
      if (given === undefined) return withoutClients(new PostgresElector({ ...all, url }));
      return withClient(new PostgresElector({ ...all, pool: given.client }), given);
    }
    case 'etcd': {
      const { EtcdElector } = await import('../../../lib/electors/etcd/etcd-elector.js');
      return withoutClients(new EtcdElector({ ...lease, endpoints: url }));
    }
    case 'kubernetes': {
      const { resolveKubernetesOptions } =
        await import('../../../lib/electors/kubernetes/kubernetes-elector-options.js');
      const { storeOf } = await import('../../../lib/electors/kubernetes/kubernetes-elector.js');
      const { LeaseElector } = await import('../../../lib/core/lease/lease-elector.js');
      // Shorter times than this elector takes: they are for the rivals of client-go, which are not here.
      const timing = resolveLeaseTiming(TIMING, 'chaos');
      const store = storeOf(resolveKubernetesOptions({ namespace, url }), timing);
      return withoutClients(new LeaseElector({ ...settingsOfMistake(control), store, timing }));
    }
    case 'nats': {
      const { NatsElector } = await import('../../../lib/electors/nats/nats-elector.js');
      const given = await givenNatsClient(slot, url);
      if (given === undefined) return withoutClients(new NatsElector({ ...lease, servers: url }));
      return withClient(new NatsElector({ ...lease, client: given.client }), given);
    }
    case 'mysql': {
      const { MysqlElector } = await import('../../../lib/electors/mysql/mysql-elector.js');
      const given = await givenMysqlPool(slot, url);
      if (given === undefined) return withoutClients(new MysqlElector({ ...lease, url }));
      return withClient(new MysqlElector({ ...lease, pool: given.client }), given);
    }
  }
}

function withoutClients(elector: Elector): ReplicaElector {
  return { elector, closeClients: () => Promise.resolve() };
}

function withClient(elector: Elector, given: Given<unknown>): ReplicaElector {
  return { elector, closeClients: () => given.close() };
}
