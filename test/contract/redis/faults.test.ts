import assert from 'node:assert/strict';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { ElectorReport } from '../../../lib/core/elector.js';
import { EngineStandbyError } from '../../../lib/core/errors.js';
import { Stage } from '../../../lib/testing/contract/stage.js';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { RedisServer } from '../../fixtures/engines/redis-server.js';
import { until } from '../../fixtures/until.js';
import { untilRenewed } from '../until-renewed.js';
import { CLIENT_KINDS, type ClientKind } from './client-kinds.js';
import { RedisArena, type ArenaSettings } from './redis-arena.js';
import { STEADY, TIMING } from './timing.js';

const [URL] = CLIENT_KINDS as [ClientKind];

/** What befalls the server. The stage's referee fails a case in which two lead, or tokens do not rise. */
describeEngine('A Redis server', ['redis-server'], () => {
  let server: RedisServer;

  beforeEach(async () => {
    server = await RedisServer.start({ appendonly: true });
  });

  afterEach(() => server.stop());

  const play = (act: (stage: Stage) => Promise<void>, kind = URL, settings: ArenaSettings = {}) =>
    Stage.play({ open: () => RedisArena.open(server.port, kind, settings) }, act);

  /** A leader and a follower that knows it. */
  const pair = async (stage: Stage) => {
    const leader = await stage.leading({ identity: 'a' });
    const follower = stage.stand({ identity: 'b' });
    await stage.until(() => follower.candidate.observed.at(-1) === 'a');
    return { leader, follower };
  };

  const keys = async (pattern: string) => (await server.command('keys', pattern)) as string[];

  test.each(CLIENT_KINDS)('that kills all connections ends no term of $name', (kind) =>
    play(
      async (stage) => {
        const { leader, follower } = await pair(stage);

        for (let round = 0; round < 5; round++) {
          await server.command('client', 'kill', 'type', 'normal');
          await server.command('client', 'kill', 'type', 'pubsub');
          await untilRenewed(stage, leader);
        }
        assert.deepEqual([leader.leads, leader.candidate.terms.length], [true, 1]);

        await stage.end(leader);
        await stage.until(() => follower.leads);
      },
      kind,
      STEADY,
    ),
  );

  test.each(CLIENT_KINDS)('that kills what listens is listened to again by $name', (kind) =>
    play(async (stage) => {
      const { leader, follower } = await pair(stage);
      const listening = async () => ((await server.command('pubsub', 'channels')) as string[]).length > 0;
      const listeners = async () => {
        const [channel = ''] = (await server.command('pubsub', 'channels')) as string[];
        return Number(((await server.command('pubsub', 'numsub', channel)) as unknown[])[1]);
      };
      await until(async () => (await listening()) && (await listeners()) === 2);

      await server.command('client', 'kill', 'type', 'pubsub');
      await until(async () => (await listeners()) === 2);

      await stage.end(leader);
      await stage.until(() => follower.leads);
    }, kind),
  );

  test('whose listeners are killed as often as they come is taken over by polling', () =>
    play(async (stage) => {
      const { leader, follower } = await pair(stage);
      const kill = () => void server.command('client', 'kill', 'type', 'pubsub').catch(() => undefined);
      const killing = setInterval(kill, 20);

      try {
        await stage.end(leader);
        await stage.until(() => follower.leads);
      } finally {
        clearInterval(killing);
      }
    }));

  test('that loses all data in mid-term has no leader for a lease, and then one', () =>
    play(async (stage) => {
      const { leader, follower } = await pair(stage);

      await server.command('flushall');
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

  test('that comes back at once with its data has the leader that it had', () =>
    play(async (stage) => {
      const { leader } = await pair(stage);
      const startedAt = performance.now();
      await server.restart({ keepData: true });
      // On a busy machine the restart may take longer than the term has.
      const wasQuick = performance.now() - startedAt < TIMING.renewMs;

      await stage.pass();
      await stage.until(() => stage.leaders().length === 1);

      if (wasQuick) assert.deepEqual(stage.leaders(), [leader]);
    }));

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

  test('that forgets its scripts ends no term', () =>
    play(
      async (stage) => {
        const { leader } = await pair(stage);

        await server.command('script', 'flush');
        await untilRenewed(stage, leader);

        assert.deepEqual([leader.leads, leader.candidate.terms.length], [true, 1]);
      },
      URL,
      STEADY,
    ));

  test('whose token was deleted in mid-term gives out a larger one', () =>
    play(async (stage) => {
      const { leader, follower } = await pair(stage);
      await server.command('del', ...(await keys('*:token')));

      await stage.end(leader);
      await stage.until(() => follower.leads);

      assert.ok(follower.lastToken > leader.lastToken);
    }));

  test('whose lease was given to somebody else ends the term at once', () =>
    play(async (stage) => {
      const { leader } = await pair(stage);
      const [lease = ''] = await keys('*:lease');

      await server.command('hset', lease, 'holder', 'somebody#1', 'token', '1');
      await stage.until(() => !leader.leads);

      assert.equal(leader.candidate.working, 0);
      await server.command('del', lease);
      await stage.until(() => stage.leaders().length === 1);
    }));

  test('that becomes a replica is a standby to all, and has one leader again as a primary', () =>
    play(async (stage) => {
      const { leader } = await pair(stage);

      await server.command('replicaof', '127.0.0.1', '1');
      const errors = () => leader.candidate.reports.flatMap((it) => (it.kind === 'error' ? [it.error] : []));
      await stage.until(() => !leader.leads && errors().some((it) => it instanceof EngineStandbyError));
      expect(leader.candidate.reports.filter(({ kind }) => kind === 'refusal')).toEqual([]);

      await server.command('replicaof', 'no', 'one');
      await stage.until(() => stage.leaders().length === 1);
    }));

  test('that becomes a primary again in the middle of a release is told of it', () => {
    const timing = { leaseMs: 12_000, renewMs: 1000, requestTimeoutMs: 3000, stopBudgetMs: 500 };
    const act = async (stage: Stage) => {
      const leader = await stage.leading({ identity: 'a' });
      await server.command('replicaof', '127.0.0.1', '1');

      leader.tellToEnd();
      const hasFailed = (it: ElectorReport) => it.kind === 'error' && it.operation === 'release';
      await stage.until(() => leader.candidate.reports.some(hasFailed));
      await server.command('replicaof', 'no', 'one');
      await stage.until(() => leader.isOver);

      const [token = ''] = await keys('*:token');
      expect(await server.command('hget', token, 'state')).toBe('released');
    };
    return play(act, URL, { timing, emptyStoreWaitMs: 0 });
  });

  test('whose lease was deleted is not led by one that has just started while the leader does not know', () => {
    const timing = { leaseMs: 3000, renewMs: 1200, requestTimeoutMs: 300, stopBudgetMs: 200 };
    const act = async (stage: Stage) => {
      const leader = await stage.leading({ identity: 'a' });
      const renewals = () => leader.candidate.reports.filter(({ kind }) => kind === 'renewal').length;
      const before = renewals();
      await stage.until(() => renewals() > before);

      await server.command('del', ...(await keys('*:lease')));
      stage.stand({ identity: 'b' });
      // That no two lead is what the stage sees to.
      await stage.until(() => !leader.leads);
      await stage.until(() => stage.leaders().length === 1);
    };
    return play(act, URL, { timing });
  });

  test('has no lease left when every campaign has ended', () =>
    play(async (stage) => {
      const { leader, follower } = await pair(stage);

      await Promise.all([stage.end(follower), stage.end(leader)]);

      assert.deepEqual(await keys('*:lease'), []);
    }));
});
