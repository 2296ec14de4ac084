import type { Clock } from '../../core/clock.js';
import type { Diagnosis } from '../../core/elector.js';
import { errorText } from '../../core/error-text.js';
import { requestInTime } from '../../core/lease/lease-requests.js';
import type { RedisConnection } from './redis-connection.js';
import type { RedisConnections } from './redis-connections.js';
import { asEngineError } from './redis-errors.js';
import type { ReplicaWait } from './replica-wait.js';

export interface RedisDiagnosisOptions {
  readonly connections: RedisConnections;
  readonly requestTimeoutMs: number;
  readonly wait: ReplicaWait | undefined;
  readonly clock: Clock;
}

type Info = ReadonlyMap<string, string>;

/** What an operator should know about the server and its settings, and about a client that we were given. Never rejects. */
export async function diagnoseRedis(options: RedisDiagnosisOptions): Promise<Diagnosis[]> {
  const { connections, requestTimeoutMs, clock, wait } = options;
  const send = async (signal: AbortSignal) => {
    const connection = await connections.commands();
    await connection.untilReady(signal);
    return { connection, info: await readInfo(connection, signal) };
  };
  try {
    const { connection, info } = await requestInTime(clock, { operation: 'info', timeoutMs: requestTimeoutMs, send });
    const found = info === undefined ? [INFO_DENIED] : [...aboutServer(info), ...aboutReplicas(info, wait)];
    return [...found, ...(connections.isGiven ? aboutClient(connection) : [])];
  } catch (error) {
    const summary = errorText(asEngineError('info', error));
    return [{ level: 'error', summary, remedy: 'Check the address of Redis, the network, and the credentials.' }];
  }
}

const INFO_DENIED: Diagnosis = {
  level: 'warning',
  summary: 'The settings of Redis cannot be checked: this user may not run INFO, or this client cannot send it.',
  remedy: 'Allow it (+info), or check maxmemory-policy, replicas and appendonly by hand.',
};

/** `undefined`: not permitted. */
async function readInfo(connection: RedisConnection, signal: AbortSignal): Promise<Info | undefined> {
  try {
    const text = String(await connection.command(['INFO'], signal));
    return new Map(
      text.split(/\r?\n/).map((line): [string, string] => {
        const [name = '', ...value] = line.split(':');
        return [name, value.join(':')];
      }),
    );
  } catch (error) {
    if (/\bNOPERM\b|clusters/.test(errorText(error))) return undefined;
    throw error;
  }
}

function aboutServer(info: Info): Diagnosis[] {
  const software = info.has('valkey_version') ? 'Valkey' : 'Redis';
  const version = info.get('valkey_version') ?? info.get('redis_version') ?? 'of unknown version';
  const found: Diagnosis[] = [{ level: 'ok', summary: `${software} ${version} answers.` }];
  const policy = info.get('maxmemory_policy') ?? 'noeviction';
  if (policy !== 'noeviction' && info.get('maxmemory') !== '0') {
    found.push({
      level: 'warning',
      summary: `maxmemory-policy is ${policy}: under memory pressure Redis may evict a lease that is held, or its token.`,
      remedy: 'CONFIG SET maxmemory-policy noeviction, or use a Redis for leases that is no cache.',
    });
  }
  if (info.get('aof_enabled') === '0') {
    found.push({
      level: 'note',
      summary:
        'appendonly is off: a restart forgets who leads. The next term then waits a lease, and fencing tokens go on by the clock.',
      remedy: 'CONFIG SET appendonly yes, or accept that wait.',
    });
  }
  return found;
}

function aboutReplicas(info: Info, wait: ReplicaWait | undefined): Diagnosis[] {
  if (info.get('role') === 'slave') {
    const remedy = 'Connect to the primary, or through Sentinel.';
    return [{ level: 'error', summary: 'This server is a replica: it cannot hold leases.', remedy }];
  }
  const replicas = Number(info.get('connected_slaves') ?? 0);
  if (wait === undefined && replicas > 0) {
    return [
      {
        level: 'warning',
        summary: `${replicas} replica(s) and no "wait": a failover may forget a lease, so that two replicas of the service lead for a while.`,
        remedy: 'Set wait: { replicas, timeoutMs }, and check fencing tokens at what the leader writes to.',
      },
    ];
  }
  if (wait !== undefined && replicas < wait.replicas) {
    return [
      {
        level: 'error',
        summary: `wait.replicas is ${wait.replicas}, and ${replicas} replica(s) are connected: nobody can lead.`,
        remedy: 'Connect replicas, or lower wait.replicas.',
      },
    ];
  }
  return [];
}

function aboutClient({ habits }: RedisConnection): Diagnosis[] {
  if (!habits.queuesOffline) return [];
  return [
    {
      level: 'warning',
      summary:
        'The given client queues commands while it is disconnected. They do no harm when they arrive late, but fail late.',
      remedy:
        'Pass "url" or "options", or turn the queue off (ioredis: enableOfflineQueue; node-redis: disableOfflineQueue).',
    },
  ];
}
