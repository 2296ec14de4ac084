import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Stage } from '../../../lib/testing/contract/stage.js';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { EtcdServer } from '../../fixtures/engines/etcd-server.js';
import { TcpProxy } from '../../fixtures/engines/tcp-proxy.js';
import { until } from '../../fixtures/until.js';
import { untilRenewed } from '../until-renewed.js';
import { EtcdArena } from './etcd-arena.js';
import { soon, StoreRig } from './store-rig.js';
import { STEADY, TIMING } from './timing.js';

const T = TIMING.requestTimeoutMs;

describeEngine('A network between an elector and etcd', ['etcd'], () => {
  let server: EtcdServer;
  let proxy: TcpProxy;
  let rig: StoreRig;

  beforeAll(async () => {
    server = await EtcdServer.start();
  });

  afterAll(() => server.stop());

  beforeEach(async () => {
    proxy = await TcpProxy.open({ target: { port: server.port } });
    rig = new StoreRig([server.url]);
  });

  afterEach(async () => {
    await proxy.set('pass');
    await rig.close();
    await proxy.close();
  });

  const throughProxy = () => rig.open({ endpoints: [`http://127.0.0.1:${proxy.port}`], requestTimeoutMs: T });

  test('that loses an answer makes no second holder: an acquire is recognised, and can be given back', async () => {
    const store = throughProxy();
    const other = rig.open();
    const basis = await rig.read(store);
    await proxy.set('blackhole-down', 'reset');

    const holder = rig.holder('a');
    await expect(store.acquire({ ...holder, basis, tokenAbove: 0n }, AbortSignal.timeout(T))).rejects.toThrow();
    await until(async () => (await rig.read(other)).kind === 'held');
    await proxy.set('pass', 'reset');

    expect(await rig.read(store)).toMatchObject({ kind: 'held', holder: holder.holder });
    await store.release(holder, soon());
    expect(await rig.read(other)).toMatchObject({ kind: 'released' });
  });

  test('that delivers an acquire late changes nothing when somebody else had the lease meanwhile', async () => {
    const store = throughProxy();
    const other = rig.open();
    const basis = await rig.read(store);
    await proxy.set('blackhole-up', 'deliver');
    const late = store.acquire({ ...rig.holder('late'), basis, tokenAbove: 0n }, AbortSignal.timeout(T));
    await expect(late).rejects.toThrow();
    await other.release(await rig.take(other, rig.holder('b')), soon());
    const before = await rig.read(other);

    await proxy.set('pass', 'deliver');
    await until(() =>
      rig.read(store, AbortSignal.timeout(1000)).then(
        () => true,
        () => false,
      ),
    );
    await pause(T);

    expect(await rig.read(other)).toEqual(before);
  });

  test('that delivers a renewal late does not bring back what was released', async () => {
    const store = throughProxy();
    const other = rig.open();
    const lease = await rig.take(store, rig.holder('a'));
    await proxy.set('blackhole-up', 'deliver');
    await expect(store.renew(lease, AbortSignal.timeout(T))).rejects.toThrow();
    await other.release(lease, soon());

    await proxy.set('pass', 'deliver');
    await until(() =>
      rig.read(store, AbortSignal.timeout(1000)).then(
        () => true,
        () => false,
      ),
    );
    await pause(T);

    expect(await rig.read(other)).toMatchObject({ kind: 'released', token: lease.token });
    expect(await store.renew(lease, soon())).toMatchObject({ renewed: false });
  });

  test('that loses the answer to a renewal, and the next endpoint’s does not: it counts as renewed', async () => {
    const lost = await TcpProxy.open({ target: { port: server.port } });
    const store = rig.open({ endpoints: [`http://127.0.0.1:${lost.port}`, server.url] });
    const lease = await rig.take(store, rig.holder('a'));
    await lost.set('blackhole-down', 'reset');

    const renewal = store.renew(lease, soon());
    const other = rig.open();
    await until(async () => ((await rig.read(other)) as { version?: string }).version !== lease.version);
    await lost.set('refuse');
    const renewed = await renewal;

    assert.ok(renewed.renewed);
    expect(await rig.read(other)).toMatchObject({ kind: 'held', version: renewed.version });
    await lost.close();
  });

  test('that closes idle connections fails no request', async () => {
    const store = throughProxy();
    let lease = await rig.take(store, rig.holder('a'));
    for (let round = 0; round < 10; round++) {
      if (round % 2 === 0) proxy.resetAll();
      const renewed = await store.renew(lease, soon());
      assert.ok(renewed.renewed);
      lease = { ...lease, ...(renewed.version !== undefined && { version: renewed.version }) };
    }
  });

  test('that keeps the watch mute is found out by reading, and the watch opened again', async () => {
    const quiet = rig.open({ endpoints: [`http://127.0.0.1:${proxy.port}`], requestTimeoutMs: T });
    const other = rig.open();
    const hints: unknown[] = [];
    const over = quiet
      .watch('default', (it) => hints.push(it), soon())
      .then(
        () => 'ended',
        (error: unknown) => String(error),
      );
    await until(() => hints.length === 1);
    // Only connections that are open now: later ones pass.
    proxy.halfOpen();
    await rig.take(other, rig.holder('a'));

    let outcome = '';
    void over.then((it) => (outcome = it));
    await until(async () => {
      await quiet.read('default', AbortSignal.timeout(T)).catch(() => undefined);
      return outcome !== '';
    });

    expect(outcome).toMatch(/has not told of a write that was read/);
  });

  test('that breaks every connection again and again ends no term', () =>
    Stage.play({ open: () => EtcdArena.open({ port: proxy.port, url: server.url }, STEADY) }, async (stage) => {
      const leader = await stage.leading({ identity: 'a' });
      const follower = stage.stand({ identity: 'b' });
      await stage.until(() => follower.candidate.observed.at(-1) === 'a');

      for (let round = 0; round < 5; round++) {
        proxy.resetAll();
        await untilRenewed(stage, leader);
      }
      assert.deepEqual([leader.leads, leader.candidate.terms.length], [true, 1]);

      await stage.end(leader);
      await stage.until(() => follower.leads);
    }));
});
