import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { KubernetesElector } from 'nestjs-lifecycle/electors/kubernetes';
import { onAbort } from '../../../lib/core/abort.js';
import type { LeadershipTerm } from '../../../lib/core/elector.js';
import { ContractCandidate } from '../../../lib/testing/contract/contract-candidate.js';
import { ClientGo, CLIENT_GO, type ClientGoTerm } from '../../fixtures/engines/kubernetes-client-go.js';
import { KubernetesRealApi, REAL_API } from '../../fixtures/engines/kubernetes-real-api.js';
import { LeaseClerk } from '../../fixtures/engines/kubernetes-requests.js';
import { TcpProxy } from '../../fixtures/engines/tcp-proxy.js';
import { until } from '../../fixtures/until.js';

const NAME = 'shared-lease';
const KEY = { namespace: 'default', name: NAME };
/** More of them by INTEROP_HANDOVERS. */
const HANDOVERS = Number(process.env['INTEROP_HANDOVERS'] ?? 30);
/** How often the rival is killed. */
const KILLS = 3;
/** Longer than the watch takes to tell of a release, and shorter than any lease. */
const SOON_MS = 3000;
/** The example of client-go, as it comes, looks every 5 to 11 s, and its lease lasts a minute. */
const ITS_POLL_MS = 20_000;
const ITS_LEASE_MS = 90_000;
const OUR_LEASE_MS = 15_000;
/** On top of a lease: the request that takes it, on a busy machine. Printed is what it really took. */
const TAKEN_WITHIN_MS = 1000;

const missing = Object.entries({ KUBE_APISERVER_BIN: REAL_API, KUBE_CLIENT_GO_BIN: CLIENT_GO }).flatMap(
  ([variable, path]) => (path === undefined ? [variable] : []),
);
const name = 'On one Lease with client-go';

if (missing.length > 0) describe.skip(`${name} (without ${missing.join(' and ')})`, interop);
else describe(name, interop);

function interop(): void {
  const ourTerms: ClientGoTerm[] = [];
  const rivals: ClientGo[] = [];
  const killed: ClientGoTerm[] = [];
  let api: KubernetesRealApi;
  let clerk: LeaseClerk;
  let proxy: TcpProxy;
  let elector: KubernetesElector;
  let ours: ContractCandidate;
  let campaign: Promise<void>;
  let control: AbortController;

  beforeAll(async () => {
    api = await KubernetesRealApi.start(REAL_API ?? '');
    clerk = new LeaseClerk(api.accessBy());
  }, 120_000);

  afterAll(() => api.stop());

  beforeEach(async () => {
    proxy = await TcpProxy.open({ target: { port: api.port }, held: 'reset' });
    elector = new KubernetesElector({ namespace: 'shared', leaseName: () => NAME, ...api.accessBy(proxy.port) });
    ours = new ContractCandidate('ours', noteTerm);
    control = new AbortController();
    campaign = elector.campaign('default', ours, control.signal);
  });

  afterEach(async () => {
    await proxy.set('pass', 'reset');
    control.abort();
    await campaign;
    await elector.close();
    await proxy.close();
    const terms = [...ourTerms, ...killed, ...rivals.flatMap((it) => it.term ?? [])];
    await Promise.all(rivals.map((it) => it.remove()));
    await clerk.delete(KEY);
    for (const list of [ourTerms, killed, rivals]) list.length = 0;
    expect(overlapsOf(terms)).toEqual([]);
    const { tokens } = ours;
    expect(tokens).toEqual(tokens.toSorted((a, b) => Number(a - b)));
  }, 60_000);

  function noteTerm({ signal }: LeadershipTerm): void {
    const term: { beganAt: number; endedAt?: number } = { beganAt: Date.now() };
    ourTerms.push(term);
    onAbort(signal, () => (term.endedAt = Date.now()));
  }

  const spec = async () => (await clerk.get(KEY)).spec ?? {};
  const renewedAt = async () => Date.parse(String((await spec())['renewTime']));

  const untilRenewed = async () => {
    const before = await renewedAt();
    await until(async () => (await renewedAt()) !== before, ITS_POLL_MS);
  };

  const startRival = async () => {
    const options = { command: CLIENT_GO ?? '', kubeconfig: api.kubeconfig(), name: NAME };
    const rival = await ClientGo.start({ ...options, identity: `go-${rivals.length}` });
    rivals.push(rival);
    return rival;
  };

  /** As a crash; the term ends by it, which its log does not say. */
  const kill = async (rival: ClientGo) => {
    const { term } = rival;
    await rival.kill();
    if (term !== undefined) killed.push({ ...term, endedAt: Date.now() });
    rivals.splice(rivals.indexOf(rival), 1);
    return rival.remove();
  };

  test(
    'every release is taken up by the other, and never do both lead',
    async () => {
      await until(() => ours.leads, ITS_LEASE_MS);
      const [byUs, byIt]: [number[], number[]] = [[], []];
      for (let round = 0; round < HANDOVERS / 2; round++) {
        const rival = await startRival();
        const transitions = Number((await spec())['leaseTransitions']);
        ours.resign();
        await until(() => rival.leads, ITS_POLL_MS);
        byIt.push((rival.term?.beganAt ?? 0) - (ourTerms.at(-1)?.endedAt ?? 0));
        expect(await spec()).toMatchObject({
          holderIdentity: `go-${round}`,
          leaseTransitions: transitions + 1,
        });

        // Whoever has given up a term stands back for half a lease, and then opens its watch.
        await until(() => Date.now() - (ourTerms.at(-1)?.endedAt ?? Infinity) > OUR_LEASE_MS / 2 + 1000, ITS_POLL_MS);
        const terms = ours.terms.length;
        await rival.release();
        await until(() => ours.leads, SOON_MS);
        byUs.push((ourTerms.at(-1)?.beganAt ?? 0) - (rival.term?.endedAt ?? 0));
        expect(ours.terms.length).toBe(terms + 1);
        expect(await spec()).toMatchObject({ leaseDurationSeconds: 15, leaseTransitions: transitions + 2 });
      }
      print('taken up by ours after ms', byUs);
      print('taken up by client-go after ms', byIt);
    },
    60_000 + HANDOVERS * ITS_POLL_MS,
  );

  test(
    'a rival that was killed is taken over from a lease after its last renewal',
    async () => {
      await until(() => ours.leads, ITS_LEASE_MS);
      const took: number[] = [];
      for (let round = 0; round < KILLS; round++) {
        const rival = await startRival();
        ours.resign();
        await until(() => rival.leads, ITS_POLL_MS);
        await untilRenewed();
        await kill(rival);
        const [last, leaseMs] = [await renewedAt(), Number((await spec())['leaseDurationSeconds']) * 1000];
        await until(() => ours.leads, ITS_LEASE_MS);
        const tookMs = (ourTerms.at(-1)?.beganAt ?? 0) - last;
        took.push(tookMs - leaseMs);
        expect(tookMs).toBeGreaterThanOrEqual(leaseMs);
        expect(tookMs).toBeLessThan(leaseMs + TAKEN_WITHIN_MS);
      }
      print('taken over from a killed client-go, ms after its lease', took);
    },
    KILLS * (ITS_LEASE_MS + 2 * ITS_POLL_MS),
  );

  test(
    'an elector of ours that is cut off is taken over from when its lease has run out, and not before',
    async () => {
      await until(() => ours.leads, ITS_LEASE_MS);
      const rival = await startRival();
      await untilRenewed();
      await proxy.set('blackhole');
      const last = await renewedAt();
      await until(() => rival.leads, ITS_LEASE_MS);
      expect(ours.leads).toBe(false);
      const tookMs = (rival.term?.beganAt ?? 0) - last;
      print('client-go took over from ours, ms after its lease', [tookMs - OUR_LEASE_MS]);
      print('ours had ended, ms before', [(rival.term?.beganAt ?? 0) - (ourTerms.at(-1)?.endedAt ?? Infinity)]);
      expect(tookMs).toBeGreaterThanOrEqual(OUR_LEASE_MS);
    },
    2 * ITS_LEASE_MS,
  );
}

function overlapsOf(terms: readonly ClientGoTerm[]): readonly [ClientGoTerm, ClientGoTerm][] {
  const sorted = terms.toSorted((a, b) => a.beganAt - b.beganAt);
  const pairs = sorted.slice(1).map((next, index): [ClientGoTerm, ClientGoTerm] => [sorted[index] ?? next, next]);
  return pairs.filter(([before, next]) => (before.endedAt ?? Number.POSITIVE_INFINITY) > next.beganAt);
}

function print(what: string, values: readonly number[]): void {
  process.stderr.write(`${what}: ${values.map((it) => Math.round(it)).join(' ')}\n`);
}
