import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EngineRefusalError } from '../../../lib/core/errors.js';
import type { Verb } from '../../fixtures/engines/kubernetes-api.js';
import { KEY, StoreRig, soon } from './store-rig.js';

describe('A double of the API server', () => {
  let rig: StoreRig;

  beforeEach(async () => {
    rig = await StoreRig.open();
  });

  afterEach(() => rig.close());

  test.each(['500-after-commit', 'drop-reply'] as const)(
    'that answers a renewal with %s has renewed, and the next renewal goes on from there',
    async (fault) => {
      const store = rig.store();
      const lease = await rig.take(store);
      rig.api.failNext('update', fault);

      await expect(store.renew(lease, soon())).rejects.toThrow();
      const next = await store.renew(lease, soon());

      expect(next.renewed).toBe(true);
      expect(await rig.read(store)).toMatchObject({ kind: 'held', holder: 'a#1', token: lease.token });
    },
  );

  test.each(['500-after-commit', 'drop-reply'] as const)(
    'that answers an acquire with %s has given the lease, which is taken again under a larger token',
    async (fault) => {
      const store = rig.store();
      rig.api.failNext('create', fault);
      await expect(rig.take(store)).rejects.toThrow();
      expect(await rig.read(store)).toMatchObject({ kind: 'held', holder: 'a#1' });
      const first = BigInt((await rig.lease()).metadata.resourceVersion ?? '');

      const lease = await rig.take(store);

      expect(lease.token).toBeGreaterThan(first);
      expect((await rig.lease()).spec).toMatchObject({ leaseTransitions: 0, holderIdentity: 'a#1' });
      expect((await store.renew(lease, soon())).renewed).toBe(true);
    },
  );

  test('that answers a release with an error after it was done has nothing left to release', async () => {
    const store = rig.store();
    const lease = await rig.take(store);
    rig.api.failNext('update', '500-after-commit');
    await expect(store.release(lease, soon())).rejects.toThrow(/status 500/);

    await store.release(lease, soon());

    expect(await rig.read(store)).toMatchObject({ kind: 'released', token: lease.token });
  });

  test('that answers a request late, when it was given up, takes no lease that somebody else has had since', async () => {
    const [late, other] = [rig.store(), rig.store()];
    await late.release(await rig.take(late), soon());
    const basis = await rig.read(late);
    rig.api.failNext('update', 'late');
    const control = new AbortController();
    const attempt = late.acquire({ ...rig.holder('late'), basis, tokenAbove: 0n }, control.signal);
    setTimeout(() => control.abort(new Error('given up')), 100);
    await expect(attempt).rejects.toThrow('given up');

    await other.release(await rig.take(other, 'b'), soon());
    const lease = await rig.take(other, 'c');
    await new Promise((resolve) => setTimeout(resolve, 1200));

    expect(await rig.read(other)).toMatchObject({ kind: 'held', holder: 'c#1' });
    expect((await other.renew(lease, soon())).renewed).toBe(true);
  });

  test('that asks for a pause is left alone for as long, and not longer than a request may take', async () => {
    const store = rig.store();
    rig.api.retryAfterSeconds = 60;
    rig.api.failNext('get', '429');
    await expect(rig.read(store)).rejects.toThrow(/"get leases" with status 429: Too many requests/);
    await expect(rig.read(store)).rejects.toThrow(/asked for a pause.*nothing was sent/);
    expect(rig.api.calls.get).toBe(1);

    await new Promise((resolve) => setTimeout(resolve, 650));

    expect(await rig.read(store)).toEqual({ kind: 'absent' });
  });

  test.each<[Verb, (store: ReturnType<StoreRig['store']>) => Promise<unknown>]>([
    ['get', (store) => rig.read(store)],
    ['create', (store) => rig.take(store)],
    ['watch', (store) => store.watch?.('default', () => undefined, soon()) ?? Promise.resolve()],
  ])('that forbids to %s leases is a refusal that names verb, resource and namespace', async (verb, call) => {
    rig.api.forbidden.add(verb);
    const text = new RegExp(
      `refused "${verb} leases" in namespace "default".*cannot ${verb} resource "leases" in API group "coordination.k8s.io".*` +
        `Let this user ${verb} leases.*docs/kubernetes.md`,
    );

    const refusal = call(rig.store());

    await expect(refusal).rejects.toThrow(EngineRefusalError);
    await expect(refusal).rejects.toThrow(text);
  });

  test('that forbids to update is a refusal, and leaves the lease as it is', async () => {
    const store = rig.store();
    const lease = await rig.take(store);
    rig.api.forbidden.add('update');

    await expect(store.renew(lease, soon())).rejects.toThrow(/cannot update resource "leases"/);

    expect(await rig.read(store)).toMatchObject({ kind: 'held', holder: 'a#1' });
  });

  test('that does not know leases is a refusal', async () => {
    const store = rig.store({ url: `${rig.api.url}/elsewhere` });

    await expect(rig.read(store)).rejects.toThrow(/does not know leases/);
  });

  describe('that has credentials replaced', () => {
    let directory: string;
    let tokenFile: string;

    beforeEach(() => {
      directory = mkdtempSync(join(tmpdir(), 'token-'));
      tokenFile = join(directory, 'token');
      writeFileSync(tokenFile, 'first\n');
      rig.api.tokens = ['first'];
    });

    afterEach(() => rmSync(directory, { recursive: true, force: true }));

    test('is asked with the new ones in the same call', async () => {
      const store = rig.store({ tokenFile });
      const lease = await rig.take(store);
      rig.api.tokens = ['second'];
      writeFileSync(tokenFile, 'second');

      expect((await store.renew(lease, soon())).renewed).toBe(true);
    });

    test('and does not accept the new ones either is a refusal', async () => {
      const store = rig.store({ tokenFile });
      rig.api.tokens = ['other'];

      await expect(rig.read(store)).rejects.toThrow(EngineRefusalError);
      expect(rig.api.calls.get).toBe(2);
    });
  });

  test('closes idle connections without anything that is asked failing', async () => {
    const store = rig.store();
    for (let round = 0; round < 5; round++) {
      await rig.read(store);
      rig.api.resetConnections();
      expect(await rig.read(store)).toEqual({ kind: 'absent' });
    }
  });

  test('is found to answer, and what this user may not do there', async () => {
    const store = rig.store();
    expect(await store.diagnose?.()).toEqual([{ level: 'ok', summary: 'Leases in namespace "default" can be read.' }]);

    rig.api.forbidden.add('watch');
    const summary = expect.stringContaining('cannot watch resource "leases"');
    expect(await store.diagnose?.()).toMatchObject([{ level: 'ok' }, { level: 'warning', summary }]);

    rig.api.forbidden.add('get');
    const [finding, ...others] = (await store.diagnose?.()) ?? [];
    expect([finding, others]).toMatchObject([{ level: 'error', summary: expect.stringContaining('"get leases"') }, []]);
    expect(finding?.summary).toContain('docs/kubernetes.md has the Role');
  });

  test.each(['create', 'update'] as const)('is found to forbid to %s, before anybody has tried', async (verb) => {
    const store = rig.store();
    rig.api.forbidden.add(verb);

    expect(await store.diagnose?.()).toMatchObject([
      { level: 'ok' },
      { level: 'error', summary: expect.stringContaining(`may not ${verb} leases in namespace "default"`) },
    ]);
    expect([await rig.isThere(), rig.api.calls.create, rig.api.calls.update]).toEqual([false, 0, 0]);
  });

  test('need not allow to create a Lease that is there', async () => {
    const store = rig.store();
    await rig.take(store);
    rig.api.forbidden.add('create');

    expect(await store.diagnose?.()).toMatchObject([{ level: 'ok' }]);
  });

  test('that does not tell who may do what is found to answer', async () => {
    const store = rig.store();
    rig.api.knowsReviews = false;
    rig.api.forbidden.add('update');

    expect(await store.diagnose?.()).toMatchObject([{ level: 'ok' }]);
  });

  test('that allows one Lease by its name is found to answer', async () => {
    const store = rig.store();
    rig.api.allowedName = KEY.name;

    expect(await store.diagnose?.()).toMatchObject([{ level: 'ok' }]);
  });

  test('that allows the Lease of another election by its name is found to answer once that was looked at', async () => {
    const store = rig.store();
    rig.api.allowedName = 'orders.nightly';
    expect(await store.diagnose?.()).toMatchObject([{ level: 'error' }]);
    await store.read('nightly', soon());

    expect(await store.diagnose?.()).toMatchObject([{ level: 'ok' }]);
  });
});
