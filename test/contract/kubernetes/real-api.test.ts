import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EngineRefusalError } from '../../../lib/core/errors.js';
import { KubernetesRealApi, REAL_API } from '../../fixtures/engines/kubernetes-real-api.js';
import { askApi } from '../../fixtures/engines/kubernetes-requests.js';
import { until } from '../../fixtures/until.js';
import { KEY, soon, StoreRig } from './store-rig.js';

const RBAC = 'rbac.authorization.k8s.io';
const LEASES = { apiGroups: ['coordination.k8s.io'], resources: ['leases'] };
/** The Role of docs/kubernetes.md. */
const ROLE = [
  { ...LEASES, resourceNames: [KEY.name], verbs: ['get', 'update', 'watch', 'delete'] },
  { ...LEASES, verbs: ['create'] },
];

if (REAL_API === undefined) describe.skip('A real API server (without KUBE_APISERVER_BIN)', realApi);
else describe('A real API server', realApi);

function realApi(): void {
  let api: KubernetesRealApi;
  let rig: StoreRig;

  beforeAll(async () => {
    api = await KubernetesRealApi.start(REAL_API ?? '');
  }, 120_000);

  afterAll(() => api.stop());

  beforeEach(async () => {
    rig = await StoreRig.open(api);
  });

  afterEach(async () => {
    await rig.close();
    await ask('DELETE', 'rolebindings/election');
    await ask('DELETE', 'roles/election');
  });

  const ask = (method: 'POST' | 'DELETE', what: string, body?: object) => {
    const path = `/apis/${RBAC}/v1/namespaces/default/${what}`;
    return askApi(api.accessBy(), { method, path, ...(body !== undefined && { body }) });
  };

  const allow = async (rules: readonly object[]) => {
    const metadata = { name: 'election' };
    const subjects = [{ kind: 'User', name: 'user', apiGroup: RBAC }];
    const roleRef = { apiGroup: RBAC, kind: 'Role', name: 'election' };
    expect((await ask('POST', 'roles', { metadata, rules })).code).toBe(201);
    expect((await ask('POST', 'rolebindings', { metadata, subjects, roleRef })).code).toBe(201);
  };

  const refusalOf = (verb: string) =>
    new RegExp(
      `refused "${verb} leases" in namespace "default".*cannot ${verb} resource "leases" in API group "coordination.k8s.io".*` +
        `Let this user ${verb} leases.*docs/kubernetes.md`,
    );

  /** A Role counts when the server's own watch has told of it. */
  const untilAllowed = (store: ReturnType<StoreRig['store']>) =>
    until(() =>
      rig.read(store).then(
        () => true,
        () => false,
      ),
    );

  test('lets whoever has the Role of the documentation do all that the elector needs', async () => {
    await allow(ROLE);
    const [store, other] = [rig.store(api.userAccess), rig.store(api.userAccess)];
    await untilAllowed(store);
    expect(await store.diagnose?.()).toEqual([{ level: 'ok', summary: 'Leases in namespace "default" can be read.' }]);
    const { hints } = rig.watch(other);
    await until(() => hints.length > 0);

    const lease = await rig.take(store);
    expect((await store.renew(lease, soon())).renewed).toBe(true);
    await store.release(lease, soon());
    await until(() => hints.some((it) => it?.token === lease.token));

    const next = await rig.take(store);
    await rig.clerk.delete(KEY);
    expect(await store.renew(next, soon())).toEqual({ renewed: false, record: { kind: 'absent' } });
    expect(await rig.isThere()).toBe(false);
  });

  test('that forbids to get leases is a refusal that says so', async () => {
    const refusal = rig.read(rig.store(api.userAccess));
    await expect(refusal).rejects.toThrow(EngineRefusalError);
    await expect(refusal).rejects.toThrow(refusalOf('get'));
  });

  test.each(['create', 'watch', 'update'])('that forbids to %s leases only is a refusal that says so', async (verb) => {
    const verbs = ['get', 'create', 'update', 'watch'].filter((it) => it !== verb);
    await allow([{ ...LEASES, verbs }]);
    const store = rig.store(api.userAccess);
    await untilAllowed(store);
    const calls: Record<string, () => Promise<unknown>> = {
      create: () => rig.take(store),
      watch: async () => store.watch?.('default', () => undefined, soon()),
      update: async () => store.renew(await rig.take(store), soon()),
    };

    await expect(calls[verb]?.()).rejects.toThrow(refusalOf(verb));
  });

  test.each(['create', 'update'])(
    'that forbids to %s leases only is found to, before anybody has tried',
    async (verb) => {
      const verbs = ['get', 'create', 'update', 'watch'].filter((it) => it !== verb);
      await allow([{ ...LEASES, verbs }]);
      const store = rig.store(api.userAccess);
      await untilAllowed(store);

      const missing = { level: 'error', summary: expect.stringContaining(`may not ${verb} leases`) };
      expect(await store.diagnose?.()).toMatchObject([{ level: 'ok' }, missing]);
      expect(await rig.isThere()).toBe(false);
    },
  );

  test('that does not know leases is a refusal', async () => {
    const store = rig.store({ url: `${api.accessBy().url}/elsewhere` });

    await expect(rig.read(store)).rejects.toThrow(/does not know leases/);
  });

  test('refuses a token that it does not know, and is asked with a new one by the next call', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'token-'));
    try {
      const tokenFile = join(folder, 'token');
      writeFileSync(tokenFile, 'of nobody');
      const store = rig.store({ ...api.accessBy(), tokenFile });
      await expect(rig.read(store)).rejects.toThrow(/does not accept the credentials/);
      writeFileSync(tokenFile, 'of-an-admin\n');
      expect(await rig.read(store)).toEqual({ kind: 'absent' });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('that was restarted goes on with a lease where it was', async () => {
    const store = rig.store();
    const lease = await rig.take(store);
    await store.renew(lease, soon());

    await api.restart();

    expect((await store.renew(lease, soon())).renewed).toBe(true);
    expect(await rig.read(store)).toMatchObject({ kind: 'held', holder: 'a#1', token: lease.token });
  }, 120_000);
}
