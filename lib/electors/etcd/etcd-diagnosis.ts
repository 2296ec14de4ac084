import type { Clock } from '../../core/clock.js';
import type { Diagnosis } from '../../core/elector.js';
import { errorText } from '../../core/error-text.js';
import { requestInTime } from '../../core/lease/lease-requests.js';
import type { EtcdClient } from './etcd-client.js';
import type { EtcdEndpoint } from './etcd-endpoint.js';
import { asEngineError } from './etcd-errors.js';
import { isObject } from './gateway-error.js';
import { never, writeIf } from './lease-txn.js';
import { base64 } from './lease-value.js';

export interface EtcdDiagnosisOptions {
  readonly client: EtcdClient;
  readonly namespace: string;
  readonly keyPrefix: string;
  readonly requestTimeoutMs: number;
  readonly clock: Clock;
}

type Fields = Readonly<Record<string, unknown>>;

interface Member {
  readonly url: string;
  readonly status?: Fields;
  readonly error?: unknown;
}

const REACH_REMEDY = 'Check the URL, the network, and the certificates.';

/** What an operator should know about the cluster, and about the rights of this user. Never rejects. */
export async function diagnoseEtcd(options: EtcdDiagnosisOptions): Promise<Diagnosis[]> {
  const members = await Promise.all(options.client.endpoints.map((endpoint) => memberAt(endpoint, options)));
  const statuses = members.flatMap(({ status }) => (status === undefined ? [] : [status]));
  const unreached = members.filter(({ status }) => status === undefined);
  const level = statuses.length === 0 ? 'error' : 'warning';
  const found = unreached.map(({ url, error }): Diagnosis => {
    const summary = `${url} does not answer: ${errorText(asEngineError('status', error))}`;
    return { level, summary, remedy: REACH_REMEDY };
  });
  if (statuses.length === 0) return found;
  return [...found, ...aboutCluster(statuses), ...(await aboutMembers(options)), ...(await aboutRights(options))];
}

async function memberAt(endpoint: EtcdEndpoint, options: EtcdDiagnosisOptions): Promise<Member> {
  const { url } = endpoint;
  try {
    const { body } = await inTime(options, 'status', (signal) =>
      options.client.callOn(endpoint, '/v3/maintenance/status', {}, signal),
    );
    return { url, status: isObject(body) ? body : {} };
  } catch (error) {
    return { url, error };
  }
}

function aboutCluster(statuses: readonly Fields[]): Diagnosis[] {
  const versions = [...new Set(statuses.map(({ version }) => String(version)))];
  const found: Diagnosis[] = [{ level: 'ok', summary: `etcd ${versions.join(' and ')} answers.` }];
  const clusters = new Set(statuses.map(({ header }) => (isObject(header) ? header['cluster_id'] : undefined)));
  if (clusters.size > 1) {
    found.push({
      level: 'error',
      summary: 'The endpoints belong to different clusters: each of them may have a leader of its own.',
      remedy: 'Give all replicas endpoints of one cluster.',
    });
  }
  if (statuses.some(({ leader }) => leader === undefined || leader === '0')) {
    found.push({
      level: 'error',
      summary: 'A member has no leader: the cluster has lost its majority, or this member the way to it.',
      remedy: 'Start the members that are missing, or check the network between them.',
    });
  }
  const alarms = new Set(statuses.flatMap(({ errors }) => (Array.isArray(errors) ? errors.map(String) : [])));
  for (const alarm of alarms) {
    const remedy =
      'See etcdctl alarm list; with NOSPACE nothing can be written until space is freed and it is disarmed.';
    found.push({ level: 'error', summary: `The cluster has an alarm: ${alarm.trim()}`, remedy });
  }
  return found;
}

async function aboutMembers(options: EtcdDiagnosisOptions): Promise<Diagnosis[]> {
  try {
    const { body } = await inTime(options, 'member list', (signal) =>
      options.client.call('member list', '/v3/cluster/member/list', {}, signal),
    );
    const members = isObject(body) && Array.isArray(body['members']) ? body['members'] : [];
    const voters = members.filter((it) => !isObject(it) || it['isLearner'] !== true);
    if (voters.length >= 3) return [];
    const remedy = 'Run three or five members, on machines that do not fail together.';
    const fact = `The cluster has ${voters.length} voting member(s): it stands still when one of them is away.`;
    return [{ level: voters.length === 1 ? 'note' : 'warning', summary: fact, remedy }];
  } catch {
    // Not everybody may ask that, and nothing depends on it.
    return [];
  }
}

/** Whether this user may do what leading takes, by a transaction that can never write. */
async function aboutRights(options: EtcdDiagnosisOptions): Promise<Diagnosis[]> {
  const key = base64(`${options.keyPrefix}${options.namespace}/default`);
  try {
    await inTime(options, 'rights', (signal) =>
      options.client.call('rights', '/v3/kv/txn', writeIf(key, never(key), ''), signal),
    );
    return [];
  } catch (error) {
    const remedy = 'Without this nobody can lead.';
    return [{ level: 'error', summary: errorText(error), remedy }];
  }
}

function inTime<T>(
  { clock, requestTimeoutMs: timeoutMs }: EtcdDiagnosisOptions,
  operation: string,
  send: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return requestInTime(clock, { operation, timeoutMs, send });
}
