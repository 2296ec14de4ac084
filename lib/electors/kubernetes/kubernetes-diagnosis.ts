import { DEFAULT_ELECTION, type Diagnosis } from '../../core/elector.js';
import { EngineRefusalError } from '../../core/errors.js';
import { errorText } from '../../core/error-text.js';
import { requestInTime } from '../../core/lease/lease-requests.js';
import type { KubernetesLeaseStoreOptions } from './kubernetes-lease-store.js';
import type { LeaseApi } from './lease-api.js';

/**
 * What an operator should know: whether the API is reached, and whether this user may do with leases what it takes.
 * Changes nothing there, and never rejects.
 *
 * @param name of a Lease that it may use: Roles allow Leases by their names
 */
export async function diagnoseKubernetes(
  {
    client,
    clock,
    requestTimeoutMs,
    nameOf,
  }: Pick<KubernetesLeaseStoreOptions, 'client' | 'clock' | 'requestTimeoutMs' | 'nameOf'>,
  api: LeaseApi,
  name = nameOf(DEFAULT_ELECTION),
): Promise<Diagnosis[]> {
  const within = <T>(operation: string, send: (signal: AbortSignal) => Promise<T>) =>
    requestInTime(clock, { operation, timeoutMs: requestTimeoutMs, send });
  const found: Diagnosis[] = [];
  const namespace = () => client.namespace();
  let isThere = false;
  try {
    isThere = (await within('get', (signal) => api.get(name, signal))) !== undefined;
    found.push({ level: 'ok', summary: `Leases in namespace "${await namespace()}" can be read.` });
  } catch (error) {
    // What a refusal says ends with what to do.
    if (error instanceof EngineRefusalError) return [{ level: 'error', summary: errorText(error) }];
    const remedy = 'Check the address of the API server, the network, and the credentials.';
    return [{ level: 'error', summary: errorText(error), remedy }];
  }
  // One that is there need not be created, and `create` cannot be limited to a name.
  const writes = isThere ? (['update'] as const) : (['create', 'update'] as const);
  for (const verb of writes) {
    const about = verb === 'create' ? undefined : name;
    // It is asked, and not tried: a Lease must not come to be by it.
    const permits = await within('permits', (signal) => api.permits(verb, about, signal)).catch(() => undefined);
    if (permits !== false) continue;
    found.push({
      level: 'error',
      summary: `This user may not ${verb} leases in namespace "${await namespace()}"${about === undefined ? '' : `, not even "${about}"`}: it cannot lead.`,
      remedy: `Let this user ${verb} leases of the API group coordination.k8s.io; docs/kubernetes.md has the Role.`,
    });
  }
  try {
    await within('watch', (signal) => opened(api, name, signal));
  } catch (error) {
    found.push({
      level: 'warning',
      summary: `${errorText(error)} Without a watch a hand-over takes up to a third of the lease.`,
      remedy: 'Let this user watch leases; docs/kubernetes.md has the Role.',
    });
  }
  return found;
}

async function opened(api: LeaseApi, name: string, signal: AbortSignal): Promise<void> {
  const stream = await api.watch(name, { resourceVersion: undefined, timeoutSeconds: 1 }, signal);
  stream.destroy();
}
