import { readFile } from 'node:fs/promises';
import { hasMethod } from '../../core/property.js';
import type { ClusterAccess, ClusterTls, LoadAccess } from './cluster-access.js';

/** A `KubeConfig` of `@kubernetes/client-node`, as far as it is used. @publicApi */
export interface GivenKubeConfig {
  getCurrentCluster(): GivenCluster | null;
  /** Fills in who one is: headers, certificates. */
  applyToHTTPSOptions(options: object): Promise<void> | void;
  getContextObject?(name: string): { readonly namespace?: string } | null;
  getCurrentContext?(): string;
}

/** @publicApi */
export interface GivenCluster {
  readonly server: string;
  readonly caData?: string;
  readonly caFile?: string;
  readonly skipTLSVerify?: boolean;
  readonly tlsServerName?: string;
}

interface AppliedOptions extends ClusterTls {
  headers: Record<string, string>;
  auth?: string;
}

export function isGivenKubeConfig(value: unknown): value is GivenKubeConfig {
  if (typeof value !== 'object' || value === null) return false;
  return hasMethod(value, 'getCurrentCluster') && hasMethod(value, 'applyToHTTPSOptions');
}

/** As whoever that object says, each time. */
export function givenAccess(config: GivenKubeConfig): LoadAccess {
  return async () => {
    const cluster = config.getCurrentCluster();
    if (cluster === null) throw new Error('The given KubeConfig has no current cluster.');
    const applied: AppliedOptions = { headers: {} };
    await config.applyToHTTPSOptions(applied);
    const namespace = config.getContextObject?.(config.getCurrentContext?.() ?? '')?.namespace;
    return {
      url: cluster.server.replace(/\/+$/, ''),
      headers: headersOf(applied),
      tls: await tlsOf(cluster, applied),
      ...(namespace !== undefined && { namespace }),
    } satisfies ClusterAccess;
  };
}

function headersOf({ headers, auth }: AppliedOptions): Record<string, string> {
  return auth === undefined ? headers : { authorization: `Basic ${Buffer.from(auth).toString('base64')}`, ...headers };
}

async function tlsOf(cluster: GivenCluster, applied: AppliedOptions): Promise<ClusterTls> {
  const { cert, key, pfx, passphrase } = applied;
  const ca = applied.ca ?? (await caOf(cluster));
  return {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(pfx !== undefined && { pfx }),
    ...(passphrase !== undefined && { passphrase }),
    ...(cluster.skipTLSVerify === true && { rejectUnauthorized: false }),
    ...(cluster.tlsServerName !== undefined && { servername: cluster.tlsServerName }),
  };
}

async function caOf({ caData, caFile }: GivenCluster): Promise<Buffer | undefined> {
  if (caData) return Buffer.from(caData, 'base64');
  return caFile ? readFile(caFile) : undefined;
}
