import { systemClock } from '../../core/clock.js';
import type { Diagnosis } from '../../core/elector.js';
import { errorText } from '../../core/error-text.js';
import { requestInTime } from '../../core/lease/lease-requests.js';
import type { JetStream } from './jetstream.js';
import type { BucketInfo, LeaseBucket } from './lease-bucket.js';
import { asEngineError } from './nats-errors.js';

export interface NatsDiagnosisOptions {
  readonly jetStream: JetStream;
  readonly bucket: LeaseBucket;
  readonly requestTimeoutMs: number;
}

/** The first in which servers of a cluster compare the sequence of a key also with writes that they have not stored yet. */
const SERIALIZING = [2, 9, 21] as const;

/** What an operator should know about the server and the bucket. Never rejects: that nobody answers is a finding too. */
export async function diagnoseNats({
  jetStream,
  bucket,
  requestTimeoutMs,
}: NatsDiagnosisOptions): Promise<Diagnosis[]> {
  const send = async (signal: AbortSignal) => ({
    version: await jetStream.serverVersion(signal),
    info: await bucket.info(signal),
  });
  try {
    const request = { operation: 'diagnose', timeoutMs: requestTimeoutMs, send };
    const { version, info } = await requestInTime(systemClock, request);
    const found: Diagnosis[] = [{ level: 'ok', summary: `nats-server ${version} answers.` }];
    return [...found, ...(info === undefined ? [noBucket(bucket)] : aboutBucket(bucket, info, version))];
  } catch (error) {
    const summary = errorText(asEngineError('diagnose', error));
    return [
      {
        level: 'error',
        summary,
        remedy: 'Check the address of NATS, the network, the user, and that it has JetStream.',
      },
    ];
  }
}

function noBucket({ name }: LeaseBucket): Diagnosis {
  return {
    level: 'note',
    summary: `There is no bucket "${name}" yet.`,
    remedy: `It is created at the first campaign, or by hand: nats kv add ${name} --history 1 --replicas 3.`,
  };
}

function aboutBucket(bucket: LeaseBucket, info: BucketInfo, version: string): Diagnosis[] {
  return [...bucket.judge(info), ...aboutCluster(info, version), ...aboutRecreation(bucket)];
}

function aboutCluster({ config }: BucketInfo, version: string): Diagnosis[] {
  if ((config.num_replicas ?? 1) === 1 || !isOlder(version)) return [];
  return [
    {
      level: 'warning',
      summary: `nats-server ${version} in a cluster may store both of two writes of a key that come at once (nats-server issue 4320).`,
      remedy: `Leases are safe, since the elector has the stream's sequence compared too. Update to ${SERIALIZING.join('.')} or later all the same.`,
    },
  ];
}

function aboutRecreation({ name, recreated }: LeaseBucket): Diagnosis[] {
  if (recreated === undefined) return [];
  return [
    {
      level: 'warning',
      summary: `The bucket "${name}" was deleted, and created anew at ${recreated}: whoever led lost the lease, and the next term waited one.`,
      remedy: 'Find out who deletes it, or whether a server has lost its files.',
    },
  ];
}

function isOlder(version: string): boolean {
  const parts = version.split(/[.-]/).map(Number);
  for (const [index, needed] of SERIALIZING.entries()) {
    const part = parts[index] ?? 0;
    if (part !== needed) return part < needed;
  }
  return false;
}
