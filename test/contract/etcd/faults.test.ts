import assert from 'node:assert/strict';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Stage } from '../../../lib/testing/contract/stage.js';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { EtcdServer, rangeOf } from '../../fixtures/engines/etcd-server.js';
import { untilRenewed } from '../until-renewed.js';
import { EtcdArena, type ArenaSettings } from './etcd-arena.js';
import { STEADY, TIMING } from './timing.js';

/** What befalls the server. The stage's referee fails a case in which two lead, or tokens do not rise. */
describeEngine('An etcd server', ['etcd'], () => {
  let server: EtcdServer;

  beforeEach(async () => {
    server = await EtcdServer.start();
  });

  afterEach(() => server.stop());

  const play = (act: (stage: Stage) => Promise<void>, settings: ArenaSettings = {}) =>
    Stage.play({ open: () => EtcdArena.open(server, settings) }, act);

  /** A leader and a follower that knows it. */
  const pair = async (stage: Stage) => {
    const leader = await stage.leading({ identity: 'a' });
    const follower = stage.stand({ identity: 'b' });
    await stage.until(() => follower.candidate.observed.at(-1) === 'a');
    return { leader, follower };
  };

  const revision = async () => {
    const { header } = await server.call('/v3/kv/range', { key: 'AA==' });
    return BigInt((header as { revision: string }).revision);
  };

  const lease = async () => {
    const { kvs } = await server.call('/v3/kv/range', rangeOf('nestjs-lifecycle/'));
    const [found] = kvs as [{ key: string; value: string }];
    return found;
  };

  test('that loses all data in mid-term has no leader for a lease, and then one', () =>
    play(async (stage) => {
      const { leader, follower } = await pair(stage);

      await server.deleteAll();
      const lostAt = performance.now();
      await stage.until(() => !leader.leads);
      await stage.until(() => stage.leaders().length === 1);

      expect(performance.now() - lostAt).toBeGreaterThanOrEqual(TIMING.leaseMs);
      assert.equal(leader.candidate.terms.length + follower.candidate.terms.length, 2);
    }));

  test.each([true, false])('that crashes and comes back, with its data: %s, has one leader again', (keepData) =>
    play(async (stage) => {
      const { leader, follower } = await pair(stage);
      for (let round = 0; round < 2; round++) {
        await server.kill();
        await stage.until(() => stage.leaders().length === 0);
        await server.restart({ keepData });
        await stage.until(() => stage.leaders().length === 1);
      }
      assert.equal(leader.candidate.terms.length + follower.candidate.terms.length, 3);
    }),
  );

  test('that stands still for longer than a lease ends the term, and has one leader when it goes on', () =>
    play(async (stage) => {
      const { leader } = await pair(stage);

      server.suspend();
      await stage.until(() => !leader.leads);
      await stage.pass();
      assert.deepEqual(stage.leaders(), []);

      server.resume();
      await stage.until(() => stage.leaders().length === 1);
    }));

  test('that compacts all revisions again and again ends no term, and its watch tells of the release', () =>
    play(async (stage) => {
      const { leader, follower } = await pair(stage);

      for (let round = 0; round < 5; round++) {
        await server.call('/v3/kv/compaction', { revision: `${await revision()}`, physical: true });
        await untilRenewed(stage, leader);
      }
      assert.deepEqual([leader.leads, leader.candidate.terms.length], [true, 1]);

      await stage.end(leader);
      await stage.until(() => follower.leads);
      const broken = follower.candidate.reports.filter((it) => it.kind === 'error' && it.operation === 'watch');
      assert.deepEqual(broken, []);
    }, STEADY));

  test('on which somebody else writes to the key ends the term, and has a leader again once the key is gone', () =>
    play(async (stage) => {
      const { leader } = await pair(stage);
      const { key } = await lease();

      await server.call('/v3/kv/put', { key, value: Buffer.from('mine').toString('base64') });
      await stage.until(() => !leader.leads);
      await stage.pass();
      assert.deepEqual(stage.leaders(), []);

      await server.call('/v3/kv/deleterange', { key });
      await stage.until(() => stage.leaders().length === 1);
    }));

  test('whose key was given to somebody else ends the term at once, and that one is waited for', () =>
    play(async (stage) => {
      const { leader } = await pair(stage);
      const { key, value } = await lease();
      const fields = JSON.parse(Buffer.from(value, 'base64').toString()) as { token: string };
      const token = `${BigInt(fields.token) + 1n}`;
      const theirs = Buffer.from(JSON.stringify({ ...fields, holder: 'somebody#1', token })).toString('base64');

      await server.call('/v3/kv/put', { key, value: theirs });
      const givenAt = performance.now();
      await stage.until(() => !leader.leads);
      assert.equal(leader.candidate.working, 0);

      await stage.until(() => stage.leaders().length === 1);
      expect(performance.now() - givenAt).toBeGreaterThanOrEqual(TIMING.leaseMs);
    }));
});
