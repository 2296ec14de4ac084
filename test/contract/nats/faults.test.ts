import assert from 'node:assert/strict';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Stage } from '../../../lib/testing/contract/stage.js';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { NatsServer } from '../../fixtures/engines/nats-server.js';
import { CLIENT_KINDS, type ClientKind } from './client-kinds.js';
import { NatsArena, type ArenaSettings } from './nats-arena.js';
import { TIMING } from './timing.js';

const [SERVERS] = CLIENT_KINDS as [ClientKind];
const STREAM = 'KV_nestjs-lifecycle';

/** What befalls the server. The stage's referee fails a case in which two lead, or tokens do not rise. */
describeEngine('A NATS server', ['nats-server'], () => {
  let server: NatsServer;

  beforeEach(async () => {
    server = await NatsServer.start();
  });

  afterEach(() => server.stop());

  const play = (act: (stage: Stage) => Promise<void>, kind = SERVERS, settings: ArenaSettings = {}) =>
    Stage.play({ open: () => NatsArena.open(server.port, kind, settings) }, act);

  /** A leader and a follower that knows it. */
  const pair = async (stage: Stage) => {
    const leader = await stage.leading({ identity: 'a' });
    const follower = stage.stand({ identity: 'b' });
    await stage.until(() => follower.candidate.observed.at(-1) === 'a');
    return { leader, follower };
  };

  /** The only key that there is. */
  const subject = async () => {
    const { state } = await server.ask(`STREAM.INFO.${STREAM}`, { subjects_filter: '>' });
    return Object.keys((state as { subjects: object }).subjects)[0] ?? '';
  };

  const losses = {
    'the bucket': () => server.ask(`STREAM.DELETE.${STREAM}`),
    'all that is in the bucket': () => server.ask(`STREAM.PURGE.${STREAM}`),
  };

  test.each(Object.entries(losses))('that loses %s in mid-term has no leader for a lease, and then one', (_, lose) =>
    play(async (stage) => {
      const { leader, follower } = await pair(stage);

      await lose();
      const lostAt = performance.now();
      await stage.until(() => !leader.leads);
      await stage.until(() => stage.leaders().length === 1);

      expect(performance.now() - lostAt).toBeGreaterThanOrEqual(TIMING.leaseMs);
      assert.equal(leader.candidate.terms.length + follower.candidate.terms.length, 2);
    }),
  );

  test('whose bucket is deleted over and over gives out larger tokens every time', () =>
    play(
      async (stage) => {
        const tokens: bigint[] = [];
        for (let round = 0; round < 3; round++) {
          // One that knows of no token.
          const stand = await stage.leading();
          tokens.push(stand.lastToken);
          await stage.end(stand);
          await losses['the bucket']();
        }
        expect(tokens).toEqual([...new Set(tokens)].toSorted((a, b) => Number(a - b)));
      },
      SERVERS,
      { emptyStoreWaitMs: 0 },
    ));

  test('of which somebody deletes the key with the tools of NATS is one of which nothing is known', () =>
    play(async (stage) => {
      const { leader } = await pair(stage);
      const key = await subject();

      const { headers } = await import('@nats-io/transport-node');
      const marker = headers();
      marker.set('KV-Operation', 'DEL');
      await server.use((connection) => connection.request(key, '', { headers: marker, timeout: 5000 }));
      const lostAt = performance.now();
      await stage.until(() => !leader.leads);
      await stage.until(() => stage.leaders().length === 1);

      expect(performance.now() - lostAt).toBeGreaterThanOrEqual(TIMING.leaseMs);
    }));

  test('whose lease was given to somebody else ends the term at once', () =>
    play(async (stage) => {
      const { leader } = await pair(stage);
      const key = await subject();
      const token = `${leader.lastToken + 1n}`;
      const record = { state: 'held', holder: 'somebody#1', identity: 'somebody', leaseMs: 100, token };

      await server.use((connection) => connection.request(key, JSON.stringify(record), { timeout: 5000 }));
      await stage.until(() => !leader.leads);

      assert.equal(leader.candidate.working, 0);
      await stage.until(() => stage.leaders().length === 1);
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

  test.each(CLIENT_KINDS)('that comes back at once with its data has the leader that it had, with $name', (kind) =>
    play(async (stage) => {
      const { leader } = await pair(stage);
      const startedAt = performance.now();
      await server.restart({ keepData: true });
      // On a busy machine the restart may take longer than the term has.
      const wasQuick = performance.now() - startedAt < TIMING.renewMs;

      await stage.pass();
      await stage.until(() => stage.leaders().length === 1);

      if (wasQuick) assert.deepEqual(stage.leaders(), [leader]);
    }, kind),
  );

  test.each(CLIENT_KINDS)('that stands still for longer than a lease ends the term, with $name', (kind) =>
    play(async (stage) => {
      const { leader } = await pair(stage);

      server.suspend();
      await stage.until(() => !leader.leads);
      await stage.pass();
      assert.deepEqual(stage.leaders(), []);

      server.resume();
      await stage.until(() => stage.leaders().length === 1);
    }, kind),
  );

  test('has no lease left when every campaign has ended', () =>
    play(async (stage) => {
      const { leader, follower } = await pair(stage);

      await Promise.all([stage.end(follower), stage.end(leader)]);

      const { message } = await server.ask(`STREAM.MSG.GET.${STREAM}`, { last_by_subj: await subject() });
      const { data } = message as { data: string };
      expect(JSON.parse(Buffer.from(data, 'base64').toString())).toMatchObject({ state: 'released' });
    }));

  test('tells of a release by a message, long before anybody looks', () => {
    const timing = { leaseMs: 30_000, renewMs: 2000, requestTimeoutMs: 3000, stopBudgetMs: 1000 };
    const act = async (stage: Stage) => {
      const { leader, follower } = await pair(stage);
      const reads = () => follower.candidate.reports.filter(({ kind }) => kind === 'read').length;
      // The first look, and the one for what may have been missed before it listened.
      await stage.until(() => reads() >= 2);
      const before = reads();
      const startedAt = performance.now();

      await stage.end(leader);
      await stage.until(() => follower.leads);

      expect(performance.now() - startedAt).toBeLessThan(timing.leaseMs / 3);
      expect(reads()).toBe(before);
    };
    return play(act, SERVERS, { timing, emptyStoreWaitMs: 0 });
  });
});
