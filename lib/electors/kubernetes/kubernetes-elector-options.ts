import { InvalidOptionError } from '../../core/errors.js';
import {
  LEASE_ELECTOR_SETTINGS,
  resolveLeaseElectorSettings,
  type LeaseElectorSettings,
} from '../../core/lease/lease-elector-settings.js';
import type { LeaseElectorOptions } from '../../core/lease/lease-elector.js';
import type { LeaseTimingRules } from '../../core/lease/lease-timing.js';
import { assertFunction, assertNonEmptyString, assertObject, rejectUnknownOptions } from '../../core/option-checks.js';
import type { LoadAccess } from './cluster-access.js';
import { givenAccess, isGivenKubeConfig, type GivenKubeConfig } from './given-kubeconfig.js';
import { inClusterAccess, isInCluster } from './in-cluster.js';
import { defaultKubeconfigPath, kubeconfigAccess } from './kubeconfig-access.js';
import { urlAccess } from './url-access.js';

/**
 * Options of the KubernetesElector. How to reach the API server: at most one of `url` and `kubeconfig`; without either as
 * the service account of the pod, or, outside of a cluster, as kubectl would.
 *
 * `timing` is by default a lease of 15000 ms, renewed every 2000 ms, with a request timeout and a stop budget of 3500 ms
 * each. `renewMs` is at least 1000, and the margin at least 1250 ms, since client-go compares whole seconds; `'fast'` is
 * not for this engine.
 *
 * @publicApi
 */
export interface KubernetesElectorOptions extends LeaseElectorSettings {
  /** Of an API server, or of a `kubectl proxy`: `https://` or `http://`. */
  readonly url?: string;
  /** With `url`: a file with a bearer token. Read anew at least every minute. */
  readonly tokenFile?: string;
  /** With `url`: a file with the certificates that the server's is checked against. @default those of Node */
  readonly caFile?: string;
  /**
   * The path of a kubeconfig, or a `KubeConfig` of `@kubernetes/client-node`. Of a file are read: token and tokenFile,
   * client certificates, exec plugins, and user name with password.
   *
   * @default in a pod its service account, else the file that KUBECONFIG names, else ~/.kube/config
   */
  readonly kubeconfig?: string | GivenKubeConfig;
  /** With a kubeconfig in a file: the context to use. @default its current context */
  readonly context?: string;
  /** The namespace of Kubernetes in which the Leases are. @default the pod's, or the context's, or "default" */
  readonly leaseNamespace?: string;
  /**
   * What the Lease of an election is called, where another program competes for it too.
   *
   * @default `namespace.election`
   */
  readonly leaseName?: (election: string) => string;
}

/** Options that are complete and checked. */
export interface ResolvedOptions {
  readonly lease: Omit<LeaseElectorOptions, 'store'> & { readonly namespace: string };
  readonly load: LoadAccess;
  readonly leaseNamespace: string | undefined;
  readonly nameOf: (election: string) => string;
}

const WHERE = 'KubernetesElector';
const OWN = ['url', 'tokenFile', 'caFile', 'kubeconfig', 'context', 'leaseNamespace', 'leaseName'];
const KNOWN = [...LEASE_ELECTOR_SETTINGS, ...OWN];
const RULES: LeaseTimingRules = {
  defaults: { leaseMs: 15_000, renewMs: 2000, requestTimeoutMs: 3500, stopBudgetMs: 3500 },
  smallestRenewMs: 1000,
  smallestMarginMs: 1250,
};
/** What Kubernetes allows as the name of a namespace, and of a Lease. */
const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const SUBDOMAIN = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** @throws InvalidOptionError */
export function resolveKubernetesOptions(given: KubernetesElectorOptions, env = process.env): ResolvedOptions {
  assertObject('options', given, WHERE, 'Pass at least { namespace: "orders" }.');
  rejectUnknownOptions(withoutObjects(given), KNOWN, WHERE);
  for (const option of ['url', 'tokenFile', 'caFile', 'context', 'leaseNamespace'] as const) {
    assertNonEmptyString(option, given[option], WHERE);
  }
  assertFunction('leaseName', given.leaseName, WHERE);
  if (given.timing === 'fast') {
    fail(
      'timing',
      'fast',
      'times with renewMs of at least 1000: client-go compares whole seconds',
      'Leave it out, or pass { leaseMs, renewMs, requestTimeoutMs, stopBudgetMs }.',
    );
  }
  const lease = resolveLeaseElectorSettings(given, WHERE, RULES);
  const { leaseNamespace, leaseName } = given;
  if (leaseNamespace !== undefined && !LABEL.test(leaseNamespace)) {
    fail('leaseNamespace', leaseNamespace, 'a namespace of Kubernetes', 'Correct it, or leave it out.');
  }
  return { lease, load: loadOf(given, env), leaseNamespace, nameOf: checkedName(lease.namespace, leaseName) };
}

function loadOf(given: KubernetesElectorOptions, env: NodeJS.ProcessEnv): LoadAccess {
  const { url, tokenFile, caFile, kubeconfig, context } = given;
  assertTogether(given);
  if (url !== undefined) {
    assertUrl(url);
    return urlAccess({ url, tokenFile, caFile });
  }
  if (isGivenKubeConfig(kubeconfig)) return givenAccess(kubeconfig);
  if (typeof kubeconfig === 'string' && kubeconfig !== '') return kubeconfigAccess(kubeconfig, context);
  if (kubeconfig !== undefined) {
    const expected = 'the path of a kubeconfig, or a KubeConfig of @kubernetes/client-node';
    fail('kubeconfig', kubeconfig === '' ? '' : typeof kubeconfig, expected, 'Pass one, or leave it out.');
  }
  if (context === undefined && isInCluster(env)) return inClusterAccess(env);
  return kubeconfigAccess(defaultKubeconfigPath(env), context);
}

function assertTogether({ url, tokenFile, caFile, kubeconfig, context }: KubernetesElectorOptions): void {
  if (url !== undefined && (kubeconfig !== undefined || context !== undefined)) {
    fail('url', 'given together with a kubeconfig or a context', 'one of them', 'Leave one of them out.');
  }
  if (url === undefined && (tokenFile ?? caFile) !== undefined) {
    const option = tokenFile === undefined ? 'caFile' : 'tokenFile';
    fail(option, 'given without "url"', 'a url beside it', 'Give a url, or leave it out.');
  }
  if (context !== undefined && typeof kubeconfig === 'object') {
    fail('context', context, 'none beside a KubeConfig object', 'Set the context of that object instead.');
  }
}

function assertUrl(url: string): void {
  const parsed = URL.parse?.(url) ?? urlOf(url);
  const isHttp = parsed?.protocol === 'http:' || parsed?.protocol === 'https:';
  if (isHttp && parsed.username === '' && parsed.search === '') return;
  const shown = url.replace(/\/\/.*@/, '//***@');
  fail('url', shown, 'https:// or http:// with a host, and no user or query', "Write 'https://10.0.0.1:6443'.");
}

/** For Node 20, of which the first ones have no `URL.parse`. */
function urlOf(url: string): URL | null {
  try {
    return new URL(url);
  } catch {
    return null;
  }
}

function checkedName(namespace: string, leaseName?: (election: string) => string): (election: string) => string {
  return (election) => {
    const name: unknown = leaseName === undefined ? `${namespace}.${election}` : leaseName(election);
    if (typeof name === 'string' && SUBDOMAIN.test(name)) return name;
    return fail('leaseName', name, `a name for the Lease of "${election}"`, 'Return lower-case letters, digits, "-".');
  };
}

/** Values stay out of the message about a name that is not known, unless they are plain. */
function withoutObjects(options: object): object {
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => [name, typeof value === 'object' ? '...' : value]),
  );
}

function fail(option: string, value: unknown, expected: string, remedy: string): never {
  throw new InvalidOptionError({ option, value, where: WHERE, expected, remedy });
}
