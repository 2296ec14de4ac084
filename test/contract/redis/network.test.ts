import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { RedisElector } from 'nestjs-lifecycle/electors/redis';
import { ContractCandidate } from '../../../lib/testing/contract/contract-candidate.js';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { RedisServer } from '../../fixtures/engines/redis-server.js';
import { TcpProxy } from '../../fixtures/engines/tcp-proxy.js';
import { until } from '../../fixtures/until.js';
import { CLIENT_KINDS, type ClientOffer } from './client-kinds.js';
import { StoreRig } from './store-rig.js';
import { TIMING } from './timing.js';

const T = TIMING.requestTimeoutMs;

describeEngine('A network that is cut between Redis and', ['redis-server'], () => {
  let server: RedisServer;

  beforeAll(async () => {
    server = await RedisServer.start();
  });

  afterAll(() => server.stop());

  describe.each(CLIENT_KINDS)('$name', (kind) => {
    let proxy: TcpProxy;
    let rig: StoreRig;
    let offer: ClientOffer;

    beforeEach(async () => {
      proxy = await TcpProxy.open({ target: { port: server.port } });
      rig = new StoreRig(server.port);
      offer = kind.offer(proxy.port);
    });

    afterEach(async () => {
      await proxy.set('pass');
      await rig.close();
      offer.close();
      await proxy.close();
    });

    const open = () => rig.open({ source: offer.options, requestTimeoutMs: T });

    /** Calls of the scripts so far: what arrives is counted, whatever becomes of it. */
    const evals = async () => {
      const stats = await rig.admin.info('commandstats');
      return Number(/cmdstat_eval:calls=(\d+)/.exec(stats)?.[1] ?? 0);
    };

    test.each(['blackhole', 'blackhole-up'] as const)('an acquire that arrives late wins nothing: %s', async (cut) => {
      const store = open();
      const basis = await rig.read(store);
      await proxy.set(cut, 'deliver');

      const claim = { ...rig.holder('late'), basis, tokenAbove: 0n };
      await expect(store.acquire(claim, AbortSignal.timeout(T))).rejects.toThrow();
      await pause(4 * T);
      const before = await evals();
      await proxy.set('pass', 'deliver');
      await until(async () => (await evals()) > before || (await reads(store)));

      await pause(2 * T);
      expect(await rig.admin.exists(rig.leaseKey, rig.tokenKey)).toBe(0);
    });

    const reads = async (store: ReturnType<typeof open>) =>
      store.read('default', AbortSignal.timeout(1000)).then(
        () => true,
        () => false,
      );

    test('an acquire whose answer is lost is recognised, and can be given back without a token', async () => {
      const store = open();
      const basis = await rig.read(store);
      await proxy.set('blackhole-down', 'reset');

      const claim = { ...rig.holder('a'), basis, tokenAbove: 0n };
      await expect(store.acquire(claim, AbortSignal.timeout(T))).rejects.toThrow();
      await until(async () => (await rig.admin.exists(rig.leaseKey)) === 1);
      await proxy.set('pass', 'reset');

      await until(() => reads(store));
      expect(await rig.read(store)).toMatchObject({ kind: 'held', holder: 'a#1' });
      await store.release(rig.holder('a'), AbortSignal.timeout(5000));
      expect(await rig.read(store)).toMatchObject({ kind: 'released' });
    });

    test('what could not be sent is not sent later', async () => {
      const store = open();
      const basis = await rig.read(store);
      await proxy.set('refuse');
      // Until the client has noticed, it would write to a connection that is gone.
      await until(async () => !(await reads(store)));
      await pause(50);

      const claim = { ...rig.holder('late'), basis, tokenAbove: 0n };
      await expect(store.acquire(claim, AbortSignal.timeout(T))).rejects.toThrow();
      const before = await evals();
      await proxy.set('pass');
      await until(() => reads(store));
      await pause(T);

      // The reads that found the way, and nothing else.
      expect(await rig.admin.exists(rig.leaseKey, rig.tokenKey)).toBe(0);
      expect(await evals()).toBeGreaterThan(before);
    });

    test('a renewal whose answer is lost does not prolong the term, which ends before another begins', async () => {
      const timing = TIMING;
      const leader = new RedisElector({ namespace: rig.namespace, timing, ...offer.options });
      const rival = new RedisElector({ namespace: rig.namespace, timing, url: rig.url });
      const control = new AbortController();
      let overlap = false;
      const first = new ContractCandidate('a', () => undefined);
      const second = new ContractCandidate('b', () => (overlap = first.leads || first.working > 0));
      const campaigns = [leader.campaign('default', first, control.signal)];
      await until(() => first.leads);
      campaigns.push(rival.campaign('default', second, control.signal));
      await until(() => second.observed.at(-1) === 'a');

      await proxy.set('blackhole-down', 'reset');
      await until(() => !first.leads);
      await until(() => second.leads);

      assert.equal(overlap, false);
      await proxy.set('pass', 'reset');
      await until(() => first.observed.at(-1) === 'b');
      control.abort();
      await Promise.all(campaigns);
      await Promise.all([leader.close(), rival.close()]);
      // In mid-request the end of a campaign leaves nothing behind either.
      expect(await rig.admin.exists(rig.leaseKey)).toBe(0);
    });
  });
});
