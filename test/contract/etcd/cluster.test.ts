import assert from 'node:assert/strict';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { EtcdElector, type EtcdElectorOptions } from 'nestjs-lifecycle/electors/etcd';
import type { Diagnosis } from '../../../lib/core/elector.js';
import { realTime } from '../../../lib/testing/contract/arena-time.js';
import { Stage } from '../../../lib/testing/contract/stage.js';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { EtcdCluster, untilAnswers } from '../../fixtures/engines/etcd-cluster.js';
import type { EtcdServer } from '../../fixtures/engines/etcd-server.js';
import { until } from '../../fixtures/until.js';
import { untilRenewed } from '../until-renewed.js';

/** A cluster of that election timeout is without a leader for up to a second. */
const TIMING = { leaseMs: 4000, renewMs: 300, requestTimeoutMs: 700, stopBudgetMs: 200 } as const;
/** For as long as an election of a cluster can last on a busy machine. */
const STEADY = { timing: { ...TIMING, leaseMs: 15_000 }, emptyStoreWaitMs: 0 } as const;

type ClusterSettings = Pick<EtcdElectorOptions, 'timing' | 'emptyStoreWaitMs'>;

/** What befalls members. The stage's referee fails a case in which two lead, or tokens do not rise. */
describeEngine('A cluster of three etcd servers', ['etcd'], () => {
  let cluster: EtcdCluster;

  beforeEach(async () => {
    cluster = await EtcdCluster.start();
  });

  afterEach(() => cluster.stop());

  const play = (act: (stage: Stage) => Promise<void>, settings: ClusterSettings = { timing: TIMING }) =>
    Stage.play(
      {
        open: () => ({
          ...realTime({ passMs: 2 * TIMING.leaseMs }),
          createElector: () => new EtcdElector({ namespace: 'orders', endpoints: cluster.urls, ...settings }),
          close: () => undefined,
        }),
      },
      act,
    );

  const pair = async (stage: Stage) => {
    const leader = await stage.leading({ identity: 'a' });
    const follower = stage.stand({ identity: 'b' });
    await stage.until(() => follower.candidate.observed.at(-1) === 'a');
    return { leader, follower };
  };

  test('whose leader is killed in mid-term, one after the other, goes on with the term', () =>
    play(async (stage) => {
      const { leader, follower } = await pair(stage);
      for (let round = 0; round < 2; round++) {
        const { leader: killed, others } = await cluster.leader();
        await killed.kill();
        await untilRenewed(stage, leader);
        await killed.restart({ keepData: true });
        await Promise.all([killed, ...others].map((it) => untilAnswers(it)));
      }
      assert.deepEqual([leader.leads, leader.candidate.terms.length, follower.candidate.terms.length], [true, 1, 0]);

      await stage.end(leader);
      await stage.until(() => follower.leads);
    }, STEADY));

  test('whose leader stands still and goes on, and revokes leases that were kept alive, goes on with the term', () =>
    play(async (stage) => {
      const { leader, follower } = await pair(stage);
      const { leader: paused, others } = await cluster.leader();
      const [other] = others as [EtcdServer];

      paused.suspend();
      await stage.pass();
      assert.deepEqual([leader.leads, leader.candidate.terms.length], [true, 1]);
      paused.resume();
      await untilAnswers(paused);
      await untilAnswers(other);
      await untilRenewed(stage, leader);

      assert.deepEqual([leader.leads, leader.candidate.terms.length, follower.candidate.terms.length], [true, 1, 0]);
    }, STEADY));

  test('without a majority has no leader beyond the deadline, and one when there is one again', () =>
    play(async (stage) => {
      const { leader } = await pair(stage);
      const [one, two] = cluster.servers as [EtcdServer, EtcdServer];

      await Promise.all([one.kill(), two.kill()]);
      await stage.until(() => !leader.leads);
      await stage.pass();
      assert.deepEqual(stage.leaders(), []);

      await one.restart({ keepData: true });
      await stage.until(() => stage.leaders().length === 1);
    }));

  test('is asked at the next endpoint when the first does not answer, also from the start', async () => {
    const [first, ...others] = cluster.servers as [EtcdServer, ...EtcdServer[]];
    await first.kill();
    await Promise.all(others.map((it) => untilAnswers(it)));

    await play(async (stage) => {
      const { leader, follower } = await pair(stage);
      await stage.end(leader);
      await stage.until(() => follower.leads);
    });
  });

  test('is said to be one of three, and what is missing of it', async () => {
    const [first] = cluster.servers as [EtcdServer];
    const elector = new EtcdElector({ namespace: 'orders', endpoints: cluster.urls });
    expect(await elector.diagnose()).toEqual([
      { level: 'ok', summary: expect.stringMatching(/^etcd 3\.\d+\.\d+ answers/) },
    ]);

    await first.kill();
    let findings: Diagnosis[] = [];
    // Where that one was the cluster's leader, the others have none for a moment, and say so.
    await until(async () => {
      findings = await elector.diagnose();
      return findings.every(({ level }) => level !== 'error');
    });
    await elector.close();

    expect(findings.map(({ level }) => level)).toEqual(['warning', 'ok']);
    expect(findings[0]?.summary).toContain(`${first.url} does not answer`);
  });
});
