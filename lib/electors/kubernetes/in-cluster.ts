import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorText } from '../../core/error-text.js';
import { EngineRefusalError } from '../../core/errors.js';
import type { ClusterAccess, LoadAccess } from './cluster-access.js';

/** Where kubelet puts what a pod needs to talk to the API server. */
export const SERVICE_ACCOUNT_DIRECTORY = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Whether this process seems to run in a pod. */
export function isInCluster(env: NodeJS.ProcessEnv): boolean {
  return Boolean(env['KUBERNETES_SERVICE_HOST'] && env['KUBERNETES_SERVICE_PORT']);
}

/** As the pod's service account. All files are read each time: kubelet replaces them. */
export function inClusterAccess(env: NodeJS.ProcessEnv, directory = SERVICE_ACCOUNT_DIRECTORY): LoadAccess {
  return async () => {
    const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '' } = env;
    const [token, ca, namespace] = await Promise.all(
      ['token', 'ca.crt', 'namespace'].map((file) => fileText(join(directory, file))),
    );
    return {
      url: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
      headers: bearer(token ?? ''),
      tls: { ca: ca ?? '' },
      namespace: (namespace ?? '').trim(),
    } satisfies ClusterAccess;
  };
}

export function bearer(token: string): { readonly authorization: string } {
  return { authorization: `Bearer ${token.trim()}` };
}

async function fileText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new EngineRefusalError(
      `The service account of this pod cannot be used: ${errorText(error)}. Do not set automountServiceAccountToken to ` +
        'false, or give the elector a kubeconfig or a url.',
      { cause: error },
    );
  }
}
