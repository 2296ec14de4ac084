import { execFile } from 'node:child_process';
import { EngineAnswerError } from '../../core/errors.js';
import { errorText } from '../../core/error-text.js';
import { refused, type KubeconfigCluster, type KubeconfigExec } from './kubeconfig.js';

/** What a plugin prints: `status` of an ExecCredential. */
export interface ExecCredentialStatus {
  readonly token?: string;
  readonly clientCertificateData?: string;
  readonly clientKeyData?: string;
  readonly expirationTimestamp?: string;
}

const TIMEOUT_MS = 60_000;
const MAX_OUTPUT = 1024 * 1024;
const DEFAULT_VERSION = 'client.authentication.k8s.io/v1';

/** Runs the plugin that a kubeconfig names. @throws EngineRefusalError when it fails, with what it has printed */
export async function execCredential(
  exec: KubeconfigExec,
  cluster: KubeconfigCluster,
  where: string,
): Promise<{ readonly status: ExecCredentialStatus; readonly expiresAt?: number }> {
  const apiVersion = exec.apiVersion ?? DEFAULT_VERSION;
  const info = {
    kind: 'ExecCredential',
    apiVersion,
    spec: { interactive: false, ...(exec.provideClusterInfo === true && { cluster: clusterInfo(cluster) }) },
  };
  const own = Object.fromEntries((exec.env ?? []).map(({ name, value }) => [name, value]));
  const env = { ...process.env, ...own, KUBERNETES_EXEC_INFO: JSON.stringify(info) };
  const output = await run(exec, env, where);
  const { status } = parsed(output) as { status?: ExecCredentialStatus };
  if (status?.token === undefined && status?.clientCertificateData === undefined) {
    throw new EngineAnswerError(exec.command, 'it has neither a token nor a client certificate');
  }
  const expiresAt = Date.parse(status.expirationTimestamp ?? '');
  return { status, ...(!Number.isNaN(expiresAt) && { expiresAt }) };
}

function run(exec: KubeconfigExec, env: NodeJS.ProcessEnv, where: string): Promise<string> {
  const { command, args, installHint } = exec;
  return new Promise((resolve, reject) => {
    const options = { env, timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT };
    execFile(command, [...(args ?? [])], options, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      const said = stderr.trim().slice(0, 300) || errorText(error);
      const remedy = installHint ?? `See that ${command} is installed and works without a terminal`;
      reject(refused(where, `its plugin ${command} fails: ${said}`, remedy, error));
    });
  });
}

function clusterInfo(cluster: KubeconfigCluster): object {
  return {
    server: cluster.server,
    'certificate-authority-data': cluster['certificate-authority-data'],
    'insecure-skip-tls-verify': cluster['insecure-skip-tls-verify'],
    'tls-server-name': cluster['tls-server-name'],
  };
}

function parsed(output: string): object {
  try {
    const value: unknown = JSON.parse(output);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // What it has printed may be a secret: it stays out of the message.
  }
  throw new EngineAnswerError('exec plugin', 'it is no ExecCredential in JSON');
}
