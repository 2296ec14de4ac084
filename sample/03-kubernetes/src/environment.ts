import { hostname } from 'node:os';
import { isIPv6 } from 'node:net';

/** What the Deployment tells a replica; what is missing is as on one's own machine. */
export interface Environment {
  readonly port: number;
  readonly podName: string;
  /** Where other replicas reach this one. */
  readonly address: string;
  readonly elector: 'kubernetes' | 'standalone';
}

/** @throws Error that names the variable */
export function readEnvironment(env: NodeJS.ProcessEnv): Environment {
  const port = Number(env.PORT ?? 3000);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error(`PORT is a port, not "${env.PORT}"`);
  const elector = env.ELECTOR ?? 'kubernetes';
  // A typing error must not make every replica a leader.
  if (elector !== 'kubernetes' && elector !== 'standalone') {
    throw new Error(`ELECTOR is "kubernetes" or "standalone", not "${elector}"`);
  }
  const ip = env.POD_IP ?? '127.0.0.1';
  const address = `http://${isIPv6(ip) ? `[${ip}]` : ip}:${port}`;
  return { port, podName: env.POD_NAME ?? hostname(), address, elector };
}
