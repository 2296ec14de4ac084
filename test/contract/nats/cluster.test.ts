import assert from 'node:assert/strict';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { NatsElector } from 'nestjs-lifecycle/electors/nats';
import type { Elector } from '../../../lib/core/elector.js';
import { EngineRefusalError } from '../../../lib/core/errors.js';
import { realTime } from '../../../lib/testing/contract/arena-time.js';
import { Stage } from '../../../lib/testing/contract/stage.js';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { NatsCluster } from '../../fixtures/engines/nats-cluster.js';
import type { NatsServer } from '../../fixtures/engines/nats-server.js';
import { until } from '../../fixtures/until.js';
import { holder, openStore, read, soon } from './store-rig.js';

const TIMING = { leaseMs: 4000, renewMs: 400, requestTimeoutMs: 600, stopBudgetMs: 300 } as const;
/** Servers elect a leader after four to nine seconds without one. */
const ELECTION_MS = 20_000;
const LIMIT_MS = ELECTION_MS + 2 * TIMING.leaseMs + 2000;
/** Enough to see two winners, with servers that may store both, if their sequence of the key alone decided. */
const ROUNDS = 200;
const STREAM = 'KV_nestjs-lifecycle';

/** The stage's referee fails a case in which two lead, or tokens do not rise. */
describeEngine('A cluster of three NATS servers', ['nats-server'], () => {
  let cluster: NatsCluster;

  beforeEach(async () => {
    cluster = await NatsCluster.start();
  }, 90_000);

  afterEach(() => cluster.stop());

  const play = (act: (stage: Stage) => Promise<void>) => {
    const electors: Elector[] = [];
    const createElector = () => {
      const settings = { namespace: 'cluster', timing: TIMING, replicas: 3 };
      const elector = new NatsElector({ ...settings, servers: cluster.addresses });
      electors.push(elector);
      return elector;
    };
    const time = realTime({ passMs: 2 * TIMING.leaseMs, limitMs: LIMIT_MS });
    return Stage.play({ open: () => ({ ...time, createElector, close: () => undefined }) }, act);
  };

  const LEADERS: readonly (readonly [string, () => Promise<NatsServer | undefined>])[] = [
    ['the leader of the bucket', () => cluster.leaderOf(STREAM)],
    ['the leader of the cluster', () => cluster.metaLeader()],
  ];

  test.each(LEADERS)(
    'that loses %s in mid-term has one leader again',
    (_, find) =>
      play(async (stage) => {
        const stands = [await stage.leading({ identity: 'a' }), stage.stand(), stage.stand()];
        await stage.until(() => stands.slice(1).every((it) => it.candidate.observed.length > 0));
        for (let round = 0; round < 2; round++) {
          const terms = stands.reduce((sum, it) => sum + it.candidate.terms.length, 0);
          let killed: NatsServer | undefined;
          await until(async () => (killed = await find()) !== undefined, ELECTION_MS);
          assert.ok(killed);

          await cluster.kill(killed);
          // A renewal that is sent after that, or a term.
          const renewals = () =>
            stands.flatMap((it) => it.candidate.reports).filter(({ kind }) => kind === 'renewal').length;
          const before = renewals();
          await stage.until(() => renewals() > before + 2 && stage.leaders().length === 1);

          expect(stands.reduce((sum, it) => sum + it.candidate.terms.length, 0)).toBeLessThanOrEqual(terms + 2);
          await cluster.restart(killed);
          await cluster.untilUsable();
        }
      }),
    4 * LIMIT_MS,
  );

  test(
    'that has lost its majority has no leader, and one again when it is back',
    () =>
      play(async (stage) => {
        const stand = await stage.leading({ identity: 'a' });
        stage.stand({ identity: 'b' });
        await until(async () => (await cluster.leaderOf(STREAM)) !== undefined, ELECTION_MS);
        const first = await cluster.leaderOf(STREAM);
        assert.ok(first);
        await cluster.kill(first);
        let second: NatsServer | undefined;
        await until(async () => (second = await cluster.metaLeader()) !== undefined && second !== first, ELECTION_MS);
        assert.ok(second);

        await cluster.kill(second);
        await stage.until(() => stage.leaders().length === 0);
        await stage.pass();
        expect(stage.leaders()).toEqual([]);

        await Promise.all([cluster.restart(first), cluster.restart(second)]);
        await stage.until(() => stage.leaders().length === 1);
        expect(stand.candidate.working).toBeLessThanOrEqual(1);
      }),
    4 * LIMIT_MS,
  );

  test('gives a lease to one of those who try at once, also where the servers would store two of them', async () => {
    const ways = [...cluster.addresses, ...cluster.addresses];
    const stores = ways.map((address) => {
      const options = { servers: address, ignoreClusterUpdates: true };
      return openStore({
        source: { options },
        namespace: 'race',
        bucket: 'race',
        replicas: 3,
        requestTimeoutMs: 20_000,
      });
    });
    const winners: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      // A new one now and then: one that is absent.
      const election = `race-${Math.floor(round / 10)}`;
      const [first] = stores;
      assert.ok(first);
      const basis = await first.read(election, soon());
      const claim = (index: number) => ({ ...holder(`${index}-${round}`), election, basis, tokenAbove: 0n });
      const results = await Promise.all(stores.map((store, index) => store.acquire(claim(index), soon())));

      winners.push(results.filter(({ won }) => won).length);
      for (const [index, store] of stores.entries()) await store.release(claim(index), soon());
    }
    await Promise.all(stores.map((it) => it.close()));

    expect(winners).toEqual(winners.map(() => 1));
  }, 120_000);

  test('keeps a bucket on all three, and says so when the servers are too old for that', async () => {
    await play(async (stage) => {
      const stand = await stage.leading();
      const findings = (await stand.elector.diagnose?.()) ?? [];
      const version = findings[0]?.summary ?? '';
      expect(findings.some(({ summary }) => summary.includes('on one server'))).toBe(false);
      const isOld = /nats-server 2\.([0-8]\.|9\.(1?\d|20)\b)/.test(version);
      expect(findings.some(({ summary }) => summary.includes('issue 4320'))).toBe(isOld);
    });
  }, 60_000);

  test('that has fewer servers than a bucket is to have replicas is a refusal that says what to do', async () => {
    const store = openStore({
      source: { options: { servers: cluster.addresses } },
      namespace: 'ns',
      bucket: 'five',
      replicas: 5,
      requestTimeoutMs: 10_000,
    });

    const error: unknown = await read(store).catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(EngineRefusalError);
    expect(String(error)).toMatch(/as many servers/);
    await store.close();
  });
});
