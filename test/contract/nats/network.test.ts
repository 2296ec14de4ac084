import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { NatsElector } from 'nestjs-lifecycle/electors/nats';
import type { NatsLeaseStore } from '../../../lib/electors/nats/nats-lease-store.js';
import { ContractCandidate } from '../../../lib/testing/contract/contract-candidate.js';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { NatsServer } from '../../fixtures/engines/nats-server.js';
import { TcpProxy } from '../../fixtures/engines/tcp-proxy.js';
import { until } from '../../fixtures/until.js';
import { CLIENT_KINDS, type ClientOffer } from './client-kinds.js';
import { holder, openStore, read, soon, take } from './store-rig.js';
import { STEADY, TIMING } from './timing.js';

const T = TIMING.requestTimeoutMs;

describeEngine('A network that is cut between NATS and', ['nats-server'], () => {
  let server: NatsServer;

  beforeAll(async () => {
    server = await NatsServer.start();
  });

  afterAll(() => server.stop());

  describe.each(CLIENT_KINDS)('$name', (kind) => {
    let proxy: TcpProxy;
    let offer: ClientOffer;
    let namespace: string;
    let near: NatsLeaseStore;
    let away: NatsLeaseStore;
    let opened = 0;

    beforeEach(async () => {
      proxy = await TcpProxy.open({ target: { port: server.port } });
      offer = await kind.offer(proxy.port);
      namespace = `cut-${++opened}-${kind === CLIENT_KINDS[0] ? 'own' : 'given'}`;
      const { servers, client } = offer.options;
      const source = client === undefined ? { options: { servers } } : { client };
      near = openStore({ source: { options: { servers: server.address } }, namespace, bucket: 'cut' });
      away = openStore({ source, namespace, bucket: 'cut', requestTimeoutMs: T });
      await read(near);
      await read(away);
    });

    afterEach(async () => {
      await proxy.set('pass');
      await Promise.all([near.close(), away.close()]);
      await offer.close();
      await proxy.close();
    });

    const timeout = () => AbortSignal.timeout(T);
    const readAway = () => away.read('default', timeout()).catch(() => undefined);

    test('loses the answer to one of the requests of an acquire, and wins with what the next read shows', async () => {
      const basis = await read(away);
      await proxy.set('blackhole-down');
      const claim = { ...holder('a'), basis, tokenAbove: 0n };
      await expect(away.acquire(claim, timeout())).rejects.toThrow();
      await proxy.set('pass', 'reset');

      await until(async () => (await readAway()) !== undefined);
      const record = await read(near);
      // The first of them reads, so that nothing need have been written.
      expect([undefined, 'a#1']).toContain('holder' in record ? record.holder : undefined);
      expect(await away.acquire({ ...claim, basis: record }, soon())).toMatchObject({ won: true });
    });

    test('delivers an acquire late, which takes nothing from who has led since', async () => {
      const basis = await read(away);
      await proxy.set('blackhole-up');
      await expect(away.acquire({ ...holder('late'), basis, tokenAbove: 0n }, timeout())).rejects.toThrow();
      const own = await take(near, holder('b'));

      await proxy.set('pass', 'deliver');
      await until(async () => (await readAway()) !== undefined);

      expect(await read(near)).toMatchObject({ kind: 'held', holder: 'b#1', version: own.version });
    });

    test('delivers a renewal and a release late, which touch nothing of who has led since', async () => {
      const first = await take(away, holder('a'));
      await proxy.set('blackhole-up');
      await expect(away.renew(first, timeout())).rejects.toThrow();
      await expect(away.release(first, timeout())).rejects.toThrow();
      const basis = await read(near);
      const next = await near.acquire({ ...holder('b'), basis, tokenAbove: first.token }, soon());

      await proxy.set('pass', 'deliver');
      await until(async () => (await readAway()) !== undefined);

      expect(await read(near)).toMatchObject({ holder: 'b#1', version: next.won ? next.version : 'none' });
    });

    test('keeps nothing to be sent when it is back', async () => {
      await proxy.set('refuse');
      const calls = [
        away.acquire({ ...holder('a'), basis: { kind: 'absent' }, tokenAbove: 0n }, timeout()),
        away.read('default', timeout()),
      ];
      for (const { status } of await Promise.allSettled(calls)) expect(status).toBe('rejected');

      await proxy.set('pass');
      await until(async () => (await readAway()) !== undefined);

      expect(await read(near)).toEqual({ kind: 'absent' });
    });

    test('ends a watch, which is opened again and hears of a release', async () => {
      const hints: unknown[] = [];
      const control = new AbortController();
      const broken = away.watch('default', (it) => hints.push(it), control.signal);
      await until(() => hints.length === 1);
      const over = expect(broken).rejects.toThrow(/lost/);
      proxy.resetAll();
      await over;

      const again = away.watch('default', (it) => hints.push(it), control.signal);
      await until(() => hints.length === 2);
      const own = await take(near, holder('a'));
      await near.release(own, soon());
      await until(() => hints.length === 3);
      expect(hints.at(-1)).toEqual({ token: own.token });
      control.abort();
      await again;
    });
  });

  test('a leader that is reset over and over keeps its term', async () => {
    const proxy = await TcpProxy.open({ target: { port: server.port } });
    const elector = new NatsElector({ namespace: 'resets', ...STEADY, servers: `127.0.0.1:${proxy.port}` });
    const candidate = new ContractCandidate('a');
    const control = new AbortController();
    const campaign = elector.campaign('default', candidate, control.signal);
    await until(() => candidate.leads);
    const renewals = () => candidate.reports.filter(({ kind }) => kind === 'renewal').length;

    for (let round = 0; round < 5; round++) {
      proxy.resetAll();
      const before = renewals();
      await until(() => renewals() > before + 1);
    }

    expect([candidate.leads, candidate.terms.length]).toEqual([true, 1]);
    control.abort();
    await campaign;
    await elector.close();
    await proxy.close();
  });
});
