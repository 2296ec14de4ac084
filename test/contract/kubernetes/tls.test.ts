import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import type { KubernetesElectorOptions } from '../../../lib/electors/kubernetes/kubernetes-elector-options.js';
import { inClusterAccess } from '../../../lib/electors/kubernetes/in-cluster.js';
import { resolveKubernetesOptions } from '../../../lib/electors/kubernetes/kubernetes-elector-options.js';
import { storeOf } from '../../../lib/electors/kubernetes/kubernetes-elector.js';
import { kubeconfigOf } from '../../fixtures/engines/kubeconfig.js';
import { KubernetesApi } from '../../fixtures/engines/kubernetes-api.js';
import { soon } from './store-rig.js';

/** Certificates of an authority, of a server and of a client, for a day. */
function makeCertificates(directory: string): void {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: directory, stdio: 'ignore' });
  const key = (name: string) => [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-keyout',
    name,
  ];
  openssl('req', '-x509', ...key('ca.key'), '-out', 'ca.crt', '-days', '1', '-subj', '/CN=authority');
  writeFileSync(join(directory, 'extensions'), 'subjectAltName=IP:127.0.0.1');
  for (const name of ['server', 'client']) {
    openssl('req', ...key(`${name}.key`), '-out', `${name}.csr`, '-subj', `/CN=${name}`);
    const signed = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '1', '-extfile', 'extensions'];
    openssl('x509', '-req', '-in', `${name}.csr`, '-out', `${name}.crt`, ...signed);
  }
}

function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

(hasOpenssl() ? describe : describe.skip)('Over TLS', () => {
  const directory = mkdtempSync(join(tmpdir(), 'tls-'));
  const peers: string[] = [];
  let api: KubernetesApi;
  let server: Server;
  let port: number;

  beforeAll(async () => {
    makeCertificates(directory);
    const file = (name: string) => readFileSync(join(directory, name));
    api = await KubernetesApi.start();
    const keys = { key: file('server.key'), cert: file('server.crt'), ca: file('ca.crt') };
    server = createServer({ ...keys, requestCert: true, rejectUnauthorized: false }, serve).listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  });

  afterAll(async () => {
    server.close();
    await api.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  function serve(client: TLSSocket): void {
    const { subject } = client.getPeerCertificate() as { subject?: { CN: string } };
    peers.push(subject?.CN ?? 'nobody');
    const upstream = connect(api.port, '127.0.0.1');
    client.pipe(upstream).pipe(client);
    client.on('error', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
  }

  const kubeconfig = (user: object, cluster: object, host = '127.0.0.1') => {
    const path = join(directory, 'config');
    writeFileSync(path, kubeconfigOf({ server: `https://${host}:${port}`, ...cluster }, user));
    return path;
  };

  /** Reads and watches; whom the server has seen meanwhile. */
  const seenBy = async (options: Partial<KubernetesElectorOptions>, load?: ReturnType<typeof inClusterAccess>) => {
    peers.length = 0;
    const resolved = resolveKubernetesOptions({ namespace: 'orders', ...options });
    const store = storeOf({ ...resolved, ...(load && { load }) }, resolved.lease.timing);
    try {
      expect(await store.read('default', soon())).toEqual({ kind: 'absent' });
      const control = new AbortController();
      await store.watch?.('default', () => control.abort(), control.signal);
      return [...peers];
    } finally {
      await store.close?.();
    }
  };

  test('the server is checked against the certificates of the cluster', async () => {
    const url = `https://127.0.0.1:${port}`;
    expect(await seenBy({ url, caFile: join(directory, 'ca.crt') })).toEqual(['nobody', 'nobody']);
    await expect(seenBy({ url })).rejects.toThrow(/certificate/);
  });

  test('the user of a kubeconfig is known by its certificate', async () => {
    const key = readFileSync(join(directory, 'client.key')).toString('base64');
    const user = { 'client-certificate': 'client.crt', 'client-key-data': key };

    const seen = await seenBy({ kubeconfig: kubeconfig(user, { 'certificate-authority': 'ca.crt' }) });

    expect(seen).toEqual(['client', 'client']);
  });

  test('the server is not checked where the kubeconfig says so, or by the name that it says', async () => {
    const user = {};
    const unchecked = kubeconfig(user, { 'insecure-skip-tls-verify': true }, 'localhost');
    expect(await seenBy({ kubeconfig: unchecked })).toHaveLength(2);
    const named = kubeconfig(user, { 'certificate-authority': 'ca.crt', 'tls-server-name': 'other' });
    await expect(seenBy({ kubeconfig: named })).rejects.toThrow(/altnames/);
  });

  test('a pod is known by the token of its service account', async () => {
    writeFileSync(join(directory, 'token'), 'of the pod');
    writeFileSync(join(directory, 'namespace'), 'orders');
    api.tokens = ['of the pod'];
    const env = { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: String(port) };

    expect(await seenBy({}, inClusterAccess(env, directory))).toHaveLength(2);
  });
});
