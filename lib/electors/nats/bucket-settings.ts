import type { Diagnosis } from '../../core/elector.js';

/** As much of a stream's configuration as leases depend on. */
export interface BucketConfig {
  readonly subjects?: readonly string[] | null;
  readonly retention?: string;
  readonly storage?: string;
  readonly num_replicas?: number;
  readonly max_msgs_per_subject?: number;
  readonly max_msgs?: number;
  readonly max_bytes?: number;
  /** In nanoseconds; 0: none. */
  readonly max_age?: number;
  readonly discard?: string;
  readonly discard_new_per_subject?: boolean;
  readonly no_ack?: boolean;
  readonly sealed?: boolean;
  readonly mirror?: unknown;
}

export interface BucketNeeds {
  readonly name: string;
  readonly leaseMs: number;
  readonly replicas?: number;
  /** Whether the server is one of a cluster, on which there could be more. */
  readonly isClustered: boolean;
  /** That the bucket has to take. */
  readonly subject: string;
}

const NS_PER_MS = 1_000_000;

/** What settings that somebody chose mean for leases. Those of level `error` cannot work. */
export function judgeBucket(config: BucketConfig, needs: BucketNeeds): Diagnosis[] {
  return [...cannotWork(config, needs), ...mayForget(config, needs)];
}

function cannotWork(config: BucketConfig, { name, leaseMs, subject }: BucketNeeds): Diagnosis[] {
  const maxAgeMs = (config.max_age ?? 0) / NS_PER_MS;
  const isPerSubject = config.discard === 'new' && config.discard_new_per_subject === true;
  const faults: readonly (readonly [boolean, string])[] = [
    [maxAgeMs > 0 && maxAgeMs <= leaseMs, `has a TTL of ${maxAgeMs} ms: it forgets leases of ${leaseMs} ms`],
    [isPerSubject, 'refuses a second value of a key (discard new per subject): no lease can be renewed'],
    [config.no_ack === true, 'does not acknowledge what is written'],
    [config.sealed === true, 'is sealed'],
    [config.mirror !== undefined && config.mirror !== null, 'is a mirror: leases are written to its origin'],
    [
      (config.retention ?? 'limits') !== 'limits',
      `keeps values by ${config.retention}, and forgets those that are read`,
    ],
    [!(config.subjects ?? []).includes(subject), `does not take what is written to ${subject}`],
  ];
  return faults
    .filter(([isSo]) => isSo)
    .map(([, what]) => ({
      level: 'error',
      summary: `The bucket "${name}" ${what}.`,
      remedy: 'Give the option "bucket" a name of its own, or create it anew: its settings are then right.',
    }));
}

function mayForget(config: BucketConfig, { name, leaseMs, replicas, isClustered }: BucketNeeds): Diagnosis[] {
  const has = config.num_replicas ?? 1;
  const maxAgeMs = (config.max_age ?? 0) / NS_PER_MS;
  const found: Diagnosis[] = [];
  const warn = (summary: string, remedy: string) => found.push({ level: 'warning', summary, remedy });
  if (config.storage === 'memory') {
    warn(
      `The bucket "${name}" is kept in memory: a restart of the server forgets who leads. The next term then waits a lease.`,
      'Create it anew with storage in files.',
    );
  }
  if (replicas !== undefined && has !== replicas) {
    warn(
      `The bucket "${name}" is kept on ${has} server(s), not on ${replicas}: it was there before, and keeps its settings.`,
      `nats stream edit KV_${name} --replicas ${replicas}`,
    );
  }
  if (has === 1) {
    found.push({
      level: isClustered ? 'warning' : 'note',
      summary: `The bucket "${name}" is kept on one server: while that is away nobody can lead.`,
      remedy: `On a cluster: nats stream edit KV_${name} --replicas 3, and the option replicas: 3.`,
    });
  }
  if (maxAgeMs > leaseMs) {
    warn(
      `The bucket "${name}" has a TTL of ${maxAgeMs} ms: a lease that nobody has for so long is forgotten, and the next term waits a lease.`,
      `nats stream edit KV_${name} --max-age 0`,
    );
  }
  if ((config.max_msgs ?? -1) > 0 || (config.max_bytes ?? -1) > 0) {
    warn(
      `The bucket "${name}" has a limit of size: when it is full it ${config.discard === 'new' ? 'takes no leases' : 'forgets old ones'}.`,
      `Keep nothing but leases in it, or lift the limit: nats stream edit KV_${name}.`,
    );
  }
  if (config.max_msgs_per_subject !== 1) {
    warn(
      `The bucket "${name}" keeps the history of its keys: ${config.max_msgs_per_subject ?? -1} value(s) of each, of which one is needed.`,
      `nats stream edit KV_${name} --max-msgs-per-subject 1`,
    );
  }
  return found;
}
