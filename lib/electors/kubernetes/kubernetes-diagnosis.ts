import { DEFAULT_ELECTION, type Diagnosis } from '../../core/elector.js';
import { errorText } from '../../core/error-text.js';
import { requestInTime } from '../../core/lease/lease-requests.js';
import type { KubernetesLeaseStoreOptions } from './kubernetes-lease-store.js';
import type { LeaseApi } from './lease-api.js';

/**
 * What an operator should know: whether the API is reached, and whether this user may read and watch leases.
 * Never rejects.
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
  const within = (operation: string, send: (signal: AbortSignal) => Promise<unknown>) =>
    requestInTime(clock, { operation, timeoutMs: requestTimeoutMs, send });
  const found: Diagnosis[] = [];
  try {
    await within('get', (signal) => api.get(name, signal));
    found.push({ level: 'ok', summary: `Leases in namespace "${await client.namespace()}" can be read.` });
  } catch (error) {
    const remedy = 'Check the address of the API server, the network, and the credentials.';
    return [{ level: 'error', summary: errorText(error), remedy }];
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
