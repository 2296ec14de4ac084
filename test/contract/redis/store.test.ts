import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { EngineRefusalError } from '../../../lib/core/errors.js';
import { systemClock } from '../../../lib/core/clock.js';
import type { LeaseRecord } from '../../../lib/core/lease/lease-store.js';
import type { RedisLeaseStore } from '../../../lib/electors/redis/redis-lease-store.js';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { RedisServer } from '../../fixtures/engines/redis-server.js';
import { until } from '../../fixtures/until.js';
import { CLIENT_KINDS, type ClientOffer } from './client-kinds.js';
import { soon, StoreRig } from './store-rig.js';

describeEngine('RedisLeaseStore', ['redis-server'], () => {
  let server: RedisServer;

  beforeAll(async () => {
    server = await RedisServer.start();
  });

  afterAll(() => server.stop());

  describe.each(CLIENT_KINDS)('with $name', (kind) => {
    let rig: StoreRig;
    let store: RedisLeaseStore;
    let offer: ClientOffer;

    beforeEach(() => {
      rig = new StoreRig(server.port);
      offer = kind.offer(server.port);
      store = rig.open({ source: offer.options });
    });

    afterEach(async () => {
      await rig.close();
      offer.close();
    });

    test('knows nothing of an election that nobody has led', async () => {
      expect(await rig.read(store)).toEqual({ kind: 'absent' });
    });

    test('shows who holds a lease, for how long, and a version that changes with every renewal', async () => {
      const own = await rig.take(store, { ...rig.holder('a'), address: 'http://a:3000' });
      const first = await rig.read(store);

      const renewed = await store.renew(own, soon());
      const second = await rig.read(store);

      const shown = { kind: 'held', holder: 'a#1', identity: 'a', leaseMs: 30_000, token: own.token };
      expect(first).toMatchObject({ ...shown, address: 'http://a:3000', version: own.version });
      expect(second).toMatchObject({ ...shown, version: renewed.renewed ? renewed.version : 'none' });
      expect(second.kind === 'held' && first.kind === 'held' && second.version !== first.version).toBe(true);
      expect(first.kind === 'held' ? first.remainingMs : 0).toBeGreaterThan(20_000);
    });

    test('tells a lease that was released from one that has run out, and keeps the token of both', async () => {
      const first = await rig.take(store, rig.holder('a'));
      await store.release(first, soon());
      expect(await rig.read(store)).toEqual({ kind: 'released', token: first.token });

      const second = await rig.take(store, rig.holder('b', 30));
      await until(async () => (await rig.read(store)).kind !== 'held');
      expect(await rig.read(store)).toEqual({ kind: 'vacant', token: second.token });
      expect(second.token).toBeGreaterThan(first.token);
    });

    test('takes nothing on the strength of what is outdated', async () => {
      const outdated: LeaseRecord[] = [await rig.read(store)];
      const first = await rig.take(store, rig.holder('a'));
      outdated.push(await rig.read(store));
      await store.renew(first, soon());
      outdated.push(await rig.read(store));
      await store.release(first, soon());
      outdated.push(await rig.read(store), { kind: 'vacant', token: first.token });
      const second = await rig.take(store, rig.holder('b', 20));
      await until(async () => (await rig.read(store)).kind === 'vacant');
      outdated.push({ kind: 'released', token: second.token }, { kind: 'vacant', token: first.token });
      const now = await rig.read(store);

      for (const basis of outdated) {
        const result = await store.acquire({ ...rig.holder('late'), basis, tokenAbove: 0n }, soon());
        expect({ basis, result }).toEqual({ basis, result: { won: false, record: now } });
      }
      expect(await rig.admin.exists(rig.leaseKey)).toBe(0);
    });

    test('lets a holder whose answer was lost take its own lease again', async () => {
      const first = await rig.take(store, rig.holder('a'));

      const again = await rig.take(store, rig.holder('a'));

      expect(again.token).toBeGreaterThanOrEqual(first.token);
      expect(await rig.read(store)).toMatchObject({ kind: 'held', token: again.token, holder: 'a#1' });
    });

    test('takes over from a holder only what it was when it was read', async () => {
      const first = await rig.take(store, rig.holder('a'));
      const basis = await rig.read(store);

      const next = await store.acquire({ ...rig.holder('b'), basis, tokenAbove: 0n }, soon());

      expect(next.won && next.token > first.token).toBe(true);
      expect(await store.renew(first, soon())).toMatchObject({ renewed: false, record: { holder: 'b#1' } });
    });

    test('gives out tokens above the one before, the one that was asked for and the clock of the server', async () => {
      const [seconds = '0'] = (await rig.admin.time()) as unknown as string[];
      const first = await rig.take(store, rig.holder('a'));
      expect(first.token).toBeGreaterThanOrEqual(BigInt(seconds) * 1_000_000n);
      await store.release(first, soon());

      const farAhead = 2n ** 62n;
      const second = await rig.take(store, rig.holder('b'), farAhead);
      expect(second.token).toBe(farAhead + 1n);
      await store.release(second, soon());

      const third = await rig.take(store, rig.holder('c'));
      expect(third.token).toBe(farAhead + 2n);
    });

    test('gives out a token above the last one when the counter was deleted', async () => {
      const first = await rig.take(store, rig.holder('a'));
      await store.release(first, soon());
      await rig.admin.del(rig.tokenKey);

      const second = await rig.take(store, rig.holder('b'));

      expect(second.token).toBeGreaterThan(first.token);
    });

    test('puts a token back that was deleted under a lease', async () => {
      const own = await rig.take(store, rig.holder('a'));
      await rig.admin.del(rig.tokenKey);

      await store.renew(own, soon());

      expect(await rig.admin.hmget(rig.tokenKey, 'token', 'state')).toEqual([`${own.token}`, 'held']);
    });

    test('renews nothing for another holder, another token, or nobody', async () => {
      const own = await rig.take(store, rig.holder('a'));

      for (const other of [
        { ...own, holder: 'b#1' },
        { ...own, token: own.token - 1n },
      ]) {
        expect(await store.renew(other, soon())).toMatchObject({ renewed: false, record: { holder: 'a#1' } });
      }
      await rig.admin.del(rig.leaseKey);
      expect(await store.renew(own, soon())).toEqual({ renewed: false, record: { kind: 'absent' } });
    });

    test('shows a lease that is gone before its time as lost data, which nobody takes as one that has run out', async () => {
      const own = await rig.take(store, rig.holder('a'));
      await rig.admin.del(rig.leaseKey);

      expect(await rig.read(store)).toEqual({ kind: 'absent' });
      const early: LeaseRecord = { kind: 'vacant', token: own.token };
      const attempt = await store.acquire({ ...rig.holder('b'), basis: early, tokenAbove: 0n }, soon());
      expect(attempt).toEqual({ won: false, record: { kind: 'absent' } });

      const next = await rig.take(store, rig.holder('b'));
      expect(next.token).toBeGreaterThan(own.token);
    });

    test('shows a lease that was deleted as one that has run out when its time is over', async () => {
      const own = await rig.take(store, rig.holder('a', 200));
      await rig.admin.del(rig.leaseKey);

      await until(async () => (await rig.read(store)).kind !== 'absent');

      expect(await rig.read(store)).toEqual({ kind: 'vacant', token: own.token });
    });

    test('never shows one that has run out by itself as lost data', async () => {
      const kinds = new Set<string>();
      for (let round = 0; round < 10; round++) {
        await rig.take(store, rig.holder('a', 10 + round));
        let shown = 'held';
        while (shown === 'held') {
          ({ kind: shown } = await rig.read(store));
          kinds.add(shown);
        }
      }

      kinds.delete('held');
      expect([...kinds]).toEqual(['vacant']);
    });

    test('knows from every renewal until when a lease runs, also when an older version has written it', async () => {
      const own = await rig.take(store, rig.holder('a'));

      for (const before of ['1', undefined, '9000000000000000']) {
        if (before === undefined) await rig.admin.hdel(rig.tokenKey, 'until');
        else await rig.admin.hset(rig.tokenKey, 'until', before);
        await store.renew(own, soon());

        const [seconds = 0] = (await rig.admin.time()).map(Number);
        const leftS = Number(await rig.admin.hget(rig.tokenKey, 'until')) / 1e6 - seconds;
        expect(leftS).toBeGreaterThan(0);
        expect(leftS).toBeLessThanOrEqual(31);
      }
    });

    test('takes a lease that an older version has written, and that is gone, to have run out', async () => {
      const own = await rig.take(store, rig.holder('a'));
      await rig.admin.hdel(rig.tokenKey, 'until');
      await rig.admin.del(rig.leaseKey);

      expect(await rig.read(store)).toEqual({ kind: 'vacant', token: own.token });
    });

    test('can take a lease that runs out in a far future because the clock of the server was set back', async () => {
      const own = await rig.take(store, rig.holder('a', 20));
      await until(async () => (await rig.read(store)).kind === 'vacant');
      await rig.admin.hset(rig.tokenKey, 'until', '9000000000000000');

      expect(await rig.read(store)).toEqual({ kind: 'absent' });
      const next = await rig.take(store, rig.holder('b'));

      expect(next.token).toBeGreaterThan(own.token);
      expect(await rig.read(store)).toMatchObject({ kind: 'held', holder: 'b#1' });
    });

    test('releases nothing of another holder or another term, and does not mind what is gone', async () => {
      const own = await rig.take(store, rig.holder('a'));

      await store.release({ ...own, holder: 'b#1' }, soon());
      await store.release({ ...own, token: own.token - 1n }, soon());
      expect(await rig.read(store)).toMatchObject({ kind: 'held', holder: 'a#1' });

      await store.release(rig.holder('a'), soon());
      await store.release(own, soon());
      expect(await rig.read(store)).toEqual({ kind: 'released', token: own.token });
    });

    test('hints at a release, not at a renewal', async () => {
      const watching = new AbortController();
      const hints: unknown[] = [];
      const other = rig.open({ source: offer.options });
      const watch = other.watch('default', (released) => hints.push(released), watching.signal);
      await until(() => hints.length === 1);
      const own = await rig.take(store, rig.holder('a'));
      await store.renew(own, soon());
      await rig.read(store);
      expect(hints).toEqual([undefined]);

      await store.release(own, soon());
      await until(() => hints.length === 2);
      expect(hints[1]).toEqual({ token: own.token });

      watching.abort();
      await watch;
    });

    test('does without scripts that the server has forgotten', async () => {
      const own = await rig.take(store, rig.holder('a'));
      await rig.admin.script('FLUSH');

      expect(await store.renew(own, soon())).toMatchObject({ renewed: true });
      await rig.admin.script('FLUSH');
      await store.release(own, soon());
      expect(await rig.read(store)).toMatchObject({ kind: 'released' });
    });

    test('takes nothing later than a request may take', async () => {
      let now = 0;
      const clock = { ...systemClock, now: () => now };
      const slow = rig.open({ source: offer.options, clock, requestTimeoutMs: 100 });
      const basis = await rig.read(slow);
      const [seconds = 0, micros = 0] = (await rig.admin.time()).map(Number);
      await until(async () => {
        const [s = 0, us = 0] = (await rig.admin.time()).map(Number);
        return (s - seconds) * 1e6 + us - micros > 100_000;
      });

      const late = await slow.acquire({ ...rig.holder('a'), basis, tokenAbove: 0n }, soon());
      expect(late).toEqual({ won: false, record: { kind: 'absent' } });
      expect(await rig.admin.exists(rig.leaseKey, rig.tokenKey)).toBe(0);

      now += 60_000;
      expect(await slow.acquire({ ...rig.holder('a'), basis, tokenAbove: 0n }, soon())).toMatchObject({ won: true });
    });

    test('refuses keys that something else has written', async () => {
      await rig.admin.set(rig.leaseKey, 'not a lease');

      await expect(rig.read(store)).rejects.toThrow(EngineRefusalError);
      await expect(rig.read(store)).rejects.toThrow(/use another namespace or keyPrefix/);
    });

    test('sets the lifetime of a lease with it, and none on its token', async () => {
      await rig.take(store, rig.holder('a', 5000));

      expect(await rig.admin.pttl(rig.leaseKey)).toBeGreaterThan(0);
      expect(await rig.admin.pttl(rig.tokenKey)).toBe(-1);
    });

    test('judges a lease that was made permanent by its version', async () => {
      await rig.take(store, rig.holder('a'));
      await rig.admin.persist(rig.leaseKey);

      const record = await rig.read(store);

      expect(record).toMatchObject({ kind: 'held', version: '1' });
      expect(record).not.toHaveProperty('remainingMs');
    });
  });
});
