import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { kubeconfigOf } from '../../fixtures/engines/kubeconfig.js';
import { KubernetesApi } from '../../fixtures/engines/kubernetes-api.js';
import { until } from '../../fixtures/until.js';
import { deployment, leaseNames, probes } from './manifests.js';
import { killReplicas, startReplica } from './replica.js';

const GRACE_MS = deployment().template.spec.terminationGracePeriodSeconds * 1000;
/** Two boots, a hand-over and a whole grace period, on a machine that is busy. */
const LIMIT_MS = 60_000 + GRACE_MS;
const CLEAN = { code: 0, signal: null };
const PATHS = probes().map(({ httpGet }) => httpGet.path);

interface Lease {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly holderIdentity?: string };
}

type Replica = Awaited<ReturnType<typeof startReplica>>;

let api: KubernetesApi;
let folder: string;

beforeEach(async () => {
  api = await KubernetesApi.start();
  folder = await mkdtemp(join(tmpdir(), 'kubernetes-sample-'));
});

afterEach(async () => {
  killReplicas();
  await api.stop();
  await rm(folder, { recursive: true });
});

async function kubeconfig(): Promise<string> {
  const path = join(folder, 'config');
  await writeFile(path, kubeconfigOf({ server: api.url }));
  return path;
}

const leasesUrl = () => `${api.url}/apis/coordination.k8s.io/v1/namespaces/default/leases`;

/** As an operator may create them, with an empty spec: then nobody waits for a lease before the first term. */
async function createLeases(): Promise<void> {
  for (const name of leaseNames()) {
    const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name }, spec: {} };
    const headers = { 'content-type': 'application/json' };
    const { status } = await fetch(leasesUrl(), { method: 'POST', headers, body: JSON.stringify(body) });
    expect(status).toBe(201);
  }
}

async function holders(): Promise<Record<string, string>> {
  const { items } = (await (await fetch(leasesUrl())).json()) as { items: Lease[] };
  return Object.fromEntries(items.map(({ metadata, spec }) => [metadata.name, spec.holderIdentity ?? '']));
}

const statuses = (replica: Replica) => Promise.all(PATHS.map(replica.statusOf));
const isUp = async (replica: Replica) => (await statuses(replica)).every((it) => it === 200);

describe('sample/03-kubernetes', () => {
  test(
    'leads on one replica, which hands over at SIGTERM, drains and ends in order',
    async () => {
      await createLeases();
      const env = { KUBECONFIG: await kubeconfig() };
      const replicas = await Promise.all(['orders-a', 'orders-b'].map((name) => startReplica(name, env)));
      await until(async () => (await Promise.all(replicas.map(isUp))).every(Boolean));
      // The second invoice: by then the other replica could have begun too.
      await until(() => replicas.some((it) => it.tokens().length > 1));
      const [leader, follower] = replicas.toSorted((a, b) => b.tokens().length - a.tokens().length) as [
        Replica,
        Replica,
      ];
      expect(follower.tokens()).toEqual([]);
      // Each Lease that the Role names, and none besides.
      const held = await holders();
      expect(Object.keys(held)).toEqual(leaseNames());
      expect(Object.values(held).filter((it) => !it.startsWith(leader.name))).toEqual([]);

      const toldAt = performance.now();
      leader.terminate();

      await until(() => follower.tokens().length > 0);
      expect(follower.tokens()[0]).toBeGreaterThan(leader.tokens().at(-1)!);
      // Startup and liveness stay, readiness does not: the old leader drains.
      expect(await statuses(leader)).toEqual([200, 503, 200]);

      follower.terminate();

      expect(await Promise.all([leader.ended, follower.ended])).toEqual([CLEAN, CLEAN]);
      expect(performance.now() - toldAt).toBeLessThan(GRACE_MS);
      expect(Object.values(await holders())).toEqual(leaseNames().map(() => ''));
    },
    LIMIT_MS,
  );

  test(
    'leads by itself, without a cluster, when it is told to',
    async () => {
      const replica = await startReplica('laptop', { ELECTOR: 'standalone' });

      await until(() => replica.tokens().length > 0);
      await until(() => isUp(replica));
      replica.terminate();

      expect(await replica.ended).toEqual(CLEAN);
      expect(await holders()).toEqual({});
    },
    LIMIT_MS,
  );

  test.each([
    [{ ELECTOR: 'kubernets' }, 'ELECTOR is "kubernetes" or "standalone", not "kubernets"'],
    [{ PORT: 'http' }, 'PORT is a port, not "http"'],
  ])('does not start when it is given %j', async (env, message) => {
    const replica = await startReplica('orders-a', env);

    expect((await replica.ended).code).not.toBe(0);
    expect(replica.output()).toContain(message);
  });
});
