import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { errorText } from '../../core/error-text.js';
import type { ClusterAccess, ClusterTls, LoadAccess } from './cluster-access.js';
import { execCredential } from './exec-credential.js';
import { bearer } from './in-cluster.js';
import { chosenContext, refused, type Kubeconfig, type KubeconfigCluster, type KubeconfigUser } from './kubeconfig.js';
import { parseKubeconfig } from './kubeconfig-yaml.js';

/** Who a user is. */
interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: Pick<ClusterTls, 'cert' | 'key'>;
  readonly expiresAt?: number;
}

/** The file that kubectl would read, the first of several. */
export function defaultKubeconfigPath(env: NodeJS.ProcessEnv): string {
  const first = (env['KUBECONFIG'] ?? '').split(delimiter).find((it) => it !== '');
  return first ?? join(homedir(), '.kube', 'config');
}

/** As the user of a context of that file. It is read each time, and so are the files that it names. */
export function kubeconfigAccess(path: string, contextName?: string): LoadAccess {
  return async () => {
    const text = await fileText(path, path);
    const { context, cluster, user } = chosenContext(parsed(text.toString(), path), path, contextName);
    // kubectl looks for the files beside the kubeconfig.
    const files = new Files(path);
    const { headers, tls, expiresAt } = await credentialsOf(user, cluster, files);
    return {
      url: cluster.server.replace(/\/+$/, ''),
      headers,
      tls: { ...(await tlsOf(cluster, files)), ...tls },
      ...(context.namespace && { namespace: context.namespace }),
      ...(expiresAt !== undefined && { expiresAt }),
    } satisfies ClusterAccess;
  };
}

function parsed(text: string, path: string): Kubeconfig {
  try {
    return parseKubeconfig(text) as Kubeconfig;
  } catch (error) {
    const remedy = 'Write it as kubectl does (kubectl config view --raw --flatten), or as JSON (with --output json)';
    throw refused(path, errorText(error), remedy, error);
  }
}

async function tlsOf(cluster: KubeconfigCluster, files: Files): Promise<ClusterTls> {
  if (cluster['proxy-url']) {
    throw refused(files.path, 'its cluster has a proxy-url', 'Reach the server directly, or give a url');
  }
  const ca = await files.content(cluster['certificate-authority-data'], cluster['certificate-authority']);
  const servername = cluster['tls-server-name'];
  return {
    ...(ca !== undefined && { ca }),
    ...(cluster['insecure-skip-tls-verify'] === true && { rejectUnauthorized: false }),
    ...(servername && { servername }),
  };
}

async function credentialsOf(user: KubeconfigUser, cluster: KubeconfigCluster, files: Files): Promise<Credentials> {
  const { token, tokenFile, username, password = '', exec } = user;
  if (user['auth-provider'] !== undefined) {
    const remedy = 'Use an exec plugin: gke-gcloud-auth-plugin, kubelogin';
    throw refused(files.path, 'its user has an auth-provider, which Kubernetes has given up', remedy);
  }
  if (exec) {
    const { status, expiresAt } = await execCredential(exec, cluster, files.path);
    const { token: given, clientCertificateData: cert, clientKeyData: key } = status;
    return {
      headers: given === undefined ? {} : bearer(given),
      tls: { ...(cert !== undefined && { cert }), ...(key !== undefined && { key }) },
      ...(expiresAt !== undefined && { expiresAt }),
    };
  }
  const cert = await files.content(user['client-certificate-data'], user['client-certificate']);
  const key = await files.content(user['client-key-data'], user['client-key']);
  const tls = { ...(cert !== undefined && { cert }), ...(key !== undefined && { key }) };
  // A file may be written anew, so kubectl prefers it.
  const held = tokenFile ? (await files.read(tokenFile)).toString() : token;
  if (held) return { headers: bearer(held), tls };
  if (!username) return { headers: {}, tls };
  return { headers: { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` }, tls };
}

/** The files that a kubeconfig names, by paths that begin where it is. */
class Files {
  constructor(readonly path: string) {}

  read(path: string): Promise<Buffer> {
    return fileText(resolve(dirname(this.path), path), this.path);
  }

  /** Of the data, which are Base64, or else of the file. */
  async content(data: string | undefined, path: string | undefined): Promise<Buffer | undefined> {
    if (data) return Buffer.from(data, 'base64');
    return path ? this.read(path) : undefined;
  }
}

async function fileText(path: string, kubeconfig: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw refused(kubeconfig, errorText(error), 'Correct the path', error);
  }
}
