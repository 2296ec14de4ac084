import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { KubernetesElector } from 'nestjs-lifecycle/electors/kubernetes';
import { ContractCandidate } from '../../../lib/testing/contract/contract-candidate.js';
import { GoRival } from '../../fixtures/engines/kubernetes-go-rival.js';
import { LeaseClerk } from '../../fixtures/engines/kubernetes-requests.js';
import { TcpProxy } from '../../fixtures/engines/tcp-proxy.js';
import { until } from '../../fixtures/until.js';
import { SharedApi, type ApiServer } from './shared-api.js';
import { TIMING } from './timing.js';

const NAME = 'shared-lease';
const GO = { leaseDurationMs: TIMING.leaseMs, renewDeadlineMs: 3000, retryPeriodMs: 500 };
/** More of them by INTEROP_HANDOVERS. */
const HANDOVERS = Number(process.env['INTEROP_HANDOVERS'] ?? 20);
/** Much longer than a follower of either kind takes to see a release, and shorter than a lease. */
const SOON_MS = 3000;

describe('On one Lease with a candidate that behaves as client-go does', () => {
  const shared = new SharedApi();
  let api: ApiServer;
  let proxy: TcpProxy;
  let elector: KubernetesElector;
  let rival: GoRival;
  let ours: ContractCandidate;
  let campaign: Promise<void>;
  const control = { current: new AbortController() };
  const overlaps: string[] = [];

  const key = { namespace: 'default', name: NAME };
  const spec = async () => (await new LeaseClerk(api.accessBy()).get(key)).spec ?? {};

  beforeEach(async () => {
    api = await shared.started();
    proxy = await TcpProxy.open({ target: { port: api.port }, held: 'reset' });
    overlaps.length = 0;
    control.current = new AbortController();
    ours = new ContractCandidate('ours', () => void (rival?.leads && overlaps.push('ours began while the rival led')));
    const access = api.accessBy(proxy.port);
    elector = new KubernetesElector({ namespace: 'shared', ...access, timing: TIMING, leaseName: () => NAME });
  }, 60_000);

  afterEach(async () => {
    await proxy.set('pass', 'reset');
    control.current.abort();
    await campaign;
    await rival.stop();
    await elector.close();
    await proxy.close();
    await new LeaseClerk(api.accessBy()).delete(key);
    expect(overlaps).toEqual([]);
    const tokens = ours.tokens;
    for (const [index, token] of tokens.slice(1).entries()) expect(token).toBeGreaterThan(tokens[index] ?? 0n);
  });

  afterAll(() => shared.stop());

  const startOurs = () => {
    campaign = elector.campaign('default', ours, control.current.signal);
  };
  const startRival = () => {
    const onStarted = () => void (ours.leads && overlaps.push('the rival began while ours led'));
    rival = new GoRival({ access: api.accessBy(), name: NAME, identity: 'go', ...GO, onStarted });
  };

  test(
    'every release is taken up by the other, and never do both lead',
    async () => {
      startOurs();
      await until(() => ours.leads);
      startRival();
      for (let round = 0; round < HANDOVERS / 2; round++) {
        const transitions = Number((await spec())['leaseTransitions']);
        const terms = ours.terms.length;
        ours.resign();
        await until(() => rival.leads, SOON_MS);
        expect(await spec()).toMatchObject({ holderIdentity: 'go', leaseTransitions: transitions + 1 });

        rival.stepDown();
        await until(() => ours.leads, SOON_MS);
        expect(ours.terms.length).toBe(terms + 1);
        expect(await spec()).toMatchObject({ leaseDurationSeconds: 4, leaseTransitions: transitions + 2 });
      }
    },
    60_000 + HANDOVERS * 3000,
  );

  test('neither takes over from the other while it renews', async () => {
    startOurs();
    await until(() => ours.leads);
    startRival();
    const end = performance.now() + 3 * TIMING.leaseMs;
    await until(() => performance.now() > end || rival.leads || !ours.leads);
    expect([ours.leads, rival.leads]).toEqual([true, false]);

    ours.resign();
    await until(() => rival.leads, SOON_MS);
    const next = performance.now() + 3 * TIMING.leaseMs;
    await until(() => performance.now() > next || ours.leads || !rival.leads, 30_000);
    expect([ours.leads, rival.leads]).toEqual([false, true]);
  }, 60_000);

  test('each takes over from the other when that has vanished, and not before its lease has run out', async () => {
    startRival();
    await until(() => rival.leads);
    startOurs();
    await until(() => ours.observed.at(-1) === 'go');
    const renewed = String((await spec())['renewTime']);
    await until(async () => (await spec())['renewTime'] !== renewed);
    const renewedAt = performance.now();
    rival.crash();
    await until(() => ours.leads);
    const tookMs = performance.now() - renewedAt;
    expect(tookMs).toBeGreaterThan(TIMING.leaseMs - 100);
    // The watch has shown the last renewal when it was written: no poll is waited for.
    expect(tookMs).toBeLessThan(TIMING.leaseMs + 1000);

    startRival();
    await proxy.set('blackhole');
    await until(() => rival.leads);
    expect(ours.leads).toBe(false);
  }, 60_000);

  test('a note that a former holder left says nothing of a rival that took the Lease and released it', async () => {
    startOurs();
    await until(() => ours.leads);
    const before = ours.terms.at(-1)?.fencingToken;
    control.current.abort();
    await campaign;
    startRival();
    await until(() => rival.leads);
    control.current = new AbortController();
    startOurs();
    await until(() => ours.observed.at(-1) === 'go');
    rival.stepDown();
    await until(() => ours.leads, SOON_MS);
    expect(ours.terms.at(-1)?.fencingToken).toBeGreaterThan(before ?? 0n);
  }, 60_000);
});
