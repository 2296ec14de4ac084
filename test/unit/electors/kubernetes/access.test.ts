import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '../../../../lib/testing/manual-clock.js';
import { ClusterAccessCache, type ClusterAccess } from '../../../../lib/electors/kubernetes/cluster-access.js';
import { givenAccess } from '../../../../lib/electors/kubernetes/given-kubeconfig.js';
import { inClusterAccess, isInCluster } from '../../../../lib/electors/kubernetes/in-cluster.js';
import { defaultKubeconfigPath, kubeconfigAccess } from '../../../../lib/electors/kubernetes/kubeconfig-access.js';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'access-'));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

const file = (name: string, content: string) => {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
};

describe('In a pod', () => {
  const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };

  test('access is that of its service account', async () => {
    file('token', 'secret\n');
    file('ca.crt', 'CA');
    file('namespace', 'orders');

    expect(isInCluster(env)).toBe(true);
    expect(isInCluster({})).toBe(false);
    expect(await inClusterAccess(env, directory)()).toEqual({
      url: 'https://[fd00::1]:443',
      headers: { authorization: 'Bearer secret' },
      tls: { ca: 'CA' },
      namespace: 'orders',
    });
  });

  test('without a service account it is a refusal that says what to do', async () => {
    await expect(inClusterAccess(env, directory)()).rejects.toThrow(/ENOENT.*automountServiceAccountToken/);
  });
});

describe('With a kubeconfig', () => {
  const config = (user: object, cluster: object = {}) => ({
    'current-context': 'one',
    contexts: [
      { name: 'one', context: { cluster: 'c', user: 'u', namespace: 'orders' } },
      { name: 'other', context: { cluster: 'c', user: 'nobody' } },
    ],
    clusters: [{ name: 'c', cluster: { server: 'https://10.0.0.1:6443/', ...cluster } }],
    users: [{ name: 'u', user }],
  });
  const accessOf = (user: object, cluster: object = {}, context?: string) =>
    kubeconfigAccess(file('config', JSON.stringify(config(user, cluster))), context)();

  test('access is that of the user of the current context', async () => {
    const cluster = { 'certificate-authority-data': Buffer.from('CA').toString('base64'), 'tls-server-name': 'api' };
    expect(await accessOf({ token: 'secret' }, cluster)).toEqual({
      url: 'https://10.0.0.1:6443',
      headers: { authorization: 'Bearer secret' },
      tls: { ca: Buffer.from('CA'), servername: 'api' },
      namespace: 'orders',
    });
  });

  test('access is that of another context where one is named', async () => {
    expect(await accessOf({ token: 'secret' }, {}, 'other')).toEqual({
      url: 'https://10.0.0.1:6443',
      headers: {},
      tls: {},
    });
  });

  test('files are read from where it is', async () => {
    mkdirSync(join(directory, 'pki'));
    file('pki/ca', 'CA');
    file('pki/cert', 'CERT');
    file('pki/key', 'KEY');
    file('token', 'from a file\n');
    const user = { 'client-certificate': 'pki/cert', 'client-key': 'pki/key', tokenFile: 'token', token: 'other' };

    const { headers, tls } = await accessOf(user, {
      'certificate-authority': 'pki/ca',
      'insecure-skip-tls-verify': true,
    });

    expect(headers).toEqual({ authorization: 'Bearer from a file' });
    expect(tls).toEqual({
      ca: Buffer.from('CA'),
      cert: Buffer.from('CERT'),
      key: Buffer.from('KEY'),
      rejectUnauthorized: false,
    });
  });

  test('a plugin is run, and its credentials end when it says', async () => {
    const plugin = file(
      'plugin.mjs',
      `const { spec, apiVersion } = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
       const token = [process.argv[2], process.env.PROFILE, spec.interactive, apiVersion].join(' ');
       const expirationTimestamp = '2030-01-01T00:00:00Z';
       console.log(JSON.stringify({ kind: 'ExecCredential', apiVersion, status: { token, expirationTimestamp } }));`,
    );
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1beta1',
      command: process.execPath,
      args: [plugin, 'argument'],
      env: [{ name: 'PROFILE', value: 'orders' }],
    };

    const { headers, expiresAt } = await accessOf({ exec });

    expect(headers).toEqual({ authorization: 'Bearer argument orders false client.authentication.k8s.io/v1beta1' });
    expect(expiresAt).toBe(Date.parse('2030-01-01T00:00:00Z'));
  });

  test('a plugin that fails is a refusal with what it said', async () => {
    const plugin = file('plugin.sh', '#!/bin/sh\necho "not logged in" >&2\nexit 1\n');
    chmodSync(plugin, 0o755);

    await expect(accessOf({ exec: { command: plugin, installHint: 'Log in first' } })).rejects.toThrow(
      /not logged in\. Log in first/,
    );
    await expect(accessOf({ exec: { command: join(directory, 'missing') } })).rejects.toThrow(/ENOENT.*is installed/);
    await expect(accessOf({ exec: { command: process.execPath, args: ['-e', 'console.log(1)'] } })).rejects.toThrow(
      /no ExecCredential/,
    );
  });

  test.each<[string, object, object, RegExp]>([
    ['a proxy', {}, { 'proxy-url': 'http://proxy' }, /proxy-url.*Reach the server directly/],
    ['an auth provider', { 'auth-provider': { name: 'gcp' } }, {}, /auth-provider.*exec plugin/],
    ['a file that is missing', { tokenFile: 'missing' }, {}, /ENOENT.*Correct the path/],
    ['no server', {}, { server: '' }, /has no server/],
  ])('%s in it is a refusal', async (_, user, cluster, text) => {
    await expect(accessOf(user, cluster)).rejects.toThrow(text);
  });

  test('a context that is not there, and YAML that is not read, are refusals', async () => {
    await expect(accessOf({}, {}, 'missing')).rejects.toThrow(/no context "missing"/);
    await expect(kubeconfigAccess(file('yaml', 'a: &x 1'))()).rejects.toThrow(/line 1.*kubectl config view/);
    await expect(kubeconfigAccess(join(directory, 'none'))()).rejects.toThrow(/ENOENT/);
  });

  test('the one that kubectl would read is the default', () => {
    expect(defaultKubeconfigPath({ KUBECONFIG: '/a:/b' })).toBe('/a');
    expect(defaultKubeconfigPath({})).toMatch(/\.kube.config$/);
  });
});

describe('With a KubeConfig object', () => {
  test('access is what it applies', async () => {
    const config = {
      getCurrentCluster: () => ({
        server: 'https://api/',
        caData: Buffer.from('CA').toString('base64'),
        skipTLSVerify: true,
      }),
      getCurrentContext: () => 'one',
      getContextObject: (name: string) => ({ namespace: `namespace-${name}` }),
      async applyToHTTPSOptions(options: { headers?: Record<string, string>; cert?: string }) {
        options.headers = { Authorization: 'Bearer secret' };
        options.cert = 'CERT';
      },
    };
    expect(await givenAccess(config)()).toEqual({
      url: 'https://api',
      headers: { Authorization: 'Bearer secret' },
      tls: { ca: Buffer.from('CA'), cert: 'CERT', rejectUnauthorized: false },
      namespace: 'namespace-one',
    });
  });
});

describe('Access', () => {
  const counting = (expiresAt?: number) => {
    const loads = { count: 0 };
    const load = async (): Promise<ClusterAccess> => {
      loads.count++;
      return { url: `https://${loads.count}`, headers: {}, tls: {}, ...(expiresAt !== undefined && { expiresAt }) };
    };
    return { loads, load };
  };

  test('is looked up again after a minute, after it was not accepted, and once for all who ask at once', async () => {
    const clock = new ManualClock();
    const { loads, load } = counting();
    const cache = new ClusterAccessCache(load, clock);
    const [first, same] = await Promise.all([cache.current(), cache.current()]);
    expect([first === same, loads.count]).toEqual([true, 1]);

    await clock.advance(59_000);
    expect(await cache.current()).toBe(first);
    await clock.advance(1000);
    const second = await cache.current();
    expect(loads.count).toBe(2);

    cache.reject(first);
    expect(await cache.current()).toBe(second);
    cache.reject(second);
    await cache.current();
    expect(loads.count).toBe(3);
  });

  test('is looked up again before its credentials end', async () => {
    const clock = new ManualClock();
    const { loads, load } = counting(clock.wallNow() + 30_000);
    const cache = new ClusterAccessCache(load, clock);
    await cache.current();
    await clock.advance(19_000);
    await cache.current();
    expect(loads.count).toBe(1);
    await clock.advance(1000);
    await cache.current();
    expect(loads.count).toBe(2);
  });
});
