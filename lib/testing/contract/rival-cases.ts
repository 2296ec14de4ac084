import assert from 'node:assert/strict';
import { Deferred } from '../../core/deferred.js';
import type { ElectorCase } from './elector-case.js';
import type { Stand } from './stand.js';

/** What electors promise to candidates that compete on one engine. The referee sees to it that there is one leader. */
export const RIVAL_CASES: readonly ElectorCase[] = [
  {
    name: 'of several candidates exactly one leads, and the others know who',
    async act(stage) {
      const first = await stage.leading({ identity: 'a' });
      const rivals = [stage.stand({ identity: 'b' }), stage.stand({ identity: 'c' })];
      await stage.until(() => rivals.every((it) => it.candidate.observed.at(-1) === 'a'));

      await stage.pass();

      assert.deepEqual(stage.leaders(), [first]);
    },
  },
  {
    name: 'of several candidates that begin at once exactly one leads',
    async act(stage) {
      const all = Array.from({ length: 5 }, () => stage.stand());
      await stage.until(() => stage.leaders().length > 0);

      await stage.pass();

      assert.equal(stage.leaders().length, 1);
      assert.equal(all.flatMap((it) => it.candidate.terms).length, 1);
    },
  },
  {
    name: 'of several candidates exactly one leads also when all have one identity',
    async act(stage) {
      [1, 2, 3].forEach(() => stage.stand({ identity: 'same' }));
      await stage.until(() => stage.leaders().length > 0);

      await stage.pass();

      assert.equal(stage.leaders().length, 1);
    },
  },
  {
    name: 'of several candidates another one leads when the leader has ended its campaign, and each has its turn',
    async act(stage) {
      const all = [stage.stand(), stage.stand(), stage.stand()];
      const turns: Stand[] = [];
      for (let turn = 0; turn < all.length; turn++) {
        await stage.until(() => stage.leaders().length === 1);
        turns.push(...stage.leaders());
        await Promise.all(turns.slice(-1).map((it) => stage.end(it)));
      }

      assert.deepEqual(new Set(turns), new Set(all));
    },
  },
  {
    name: 'of several candidates another one leads when the leader resigns',
    async act(stage) {
      const first = await stage.leading();
      const rival = stage.stand({ identity: 'rival' });
      await stage.until(() => rival.candidate.observed.at(-1) === first.candidate.identity);

      first.candidate.resign();
      await stage.until(() => rival.leads);

      assert.deepEqual(stage.leaders(), [rival]);
    },
  },
  {
    name: 'of several candidates those that follow are told of each new leader',
    async act(stage) {
      const first = await stage.leading({ identity: 'a' });
      const rivals = [stage.stand({ identity: 'b' }), stage.stand({ identity: 'c' })];
      await stage.until(() => rivals.every((it) => it.candidate.observed.at(-1) === 'a'));

      await stage.end(first);
      await stage.until(() => rivals.some((it) => it.leads));

      const leader = stage.leaders()[0]?.candidate.identity;
      await stage.until(() => rivals.every((it) => it.candidate.observed.at(-1) === leader));
    },
  },
  {
    name: 'of several candidates none leads while the work of the former leader has not settled',
    async act(stage) {
      const first = await stage.leading();
      const rival = stage.stand();
      const settling = new Deferred<void>();
      first.candidate.settling = settling.promise;
      first.tellToEnd();

      await stage.pass();
      assert.deepEqual([first.leads, rival.leads, rival.candidate.terms.length], [false, false, 0]);

      settling.resolve();
      await stage.until(() => rival.leads);
    },
  },
  {
    name: 'of several candidates none leads while the work of one that resigns has not settled',
    async act(stage) {
      const first = await stage.leading();
      const rival = stage.stand();
      const settling = new Deferred<void>();
      first.candidate.settling = settling.promise;
      // It resigns when that settles, and not before.
      first.candidate.resign();

      await stage.pass();
      assert.deepEqual([first.leads, rival.candidate.terms.length], [true, 0]);

      settling.resolve();
      await stage.until(() => rival.leads);
    },
  },
  {
    name: 'of several candidates each later leader has a larger token',
    async act(stage) {
      const all = [stage.stand(), stage.stand(), stage.stand()];
      const turns = 6;
      for (let turn = 0; turn < turns; turn++) {
        await stage.until(() => stage.leaders().length === 1);
        const [leader] = stage.leaders();
        leader?.candidate.resign();
        await stage.until(() => leader?.leads === false);
      }

      // That they rise is for the referee.
      assert.ok(new Set(all.flatMap((it) => it.candidate.tokens)).size >= turns);
    },
  },
  {
    name: 'of several candidates one that waits can end its campaign, and never leads',
    async act(stage) {
      const first = await stage.leading({ identity: 'a' });
      const rival = stage.stand();
      await stage.until(() => rival.candidate.observed.at(-1) === 'a');

      await stage.end(rival);
      await stage.end(first);
      await stage.pass();

      assert.deepEqual(rival.candidate.terms, []);
    },
  },
  {
    name: 'of several candidates one that ends at once leaves the election to the others',
    async act(stage) {
      const first = stage.stand();
      first.tellToEnd();

      await stage.leading();

      assert.equal(first.leads, false);
    },
  },
  {
    name: 'an elector that is closed leaves the others alone',
    async act(stage) {
      const first = await stage.leading();
      const follower = stage.stand();
      await stage.until(() => follower.candidate.calls > 0);
      await stage.end(follower);

      await stage.close(follower.elector);
      await stage.pass();

      assert.deepEqual([first.leads, first.candidate.terms.length], [true, 1]);
    },
  },
  {
    name: 'several elections have leaders of their own',
    async act(stage) {
      const [one, other] = [stage.createElector(), stage.createElector()];
      const orders = await stage.leading({ elector: one, election: 'orders' });
      const mails = await stage.leading({ elector: other, election: 'mails' });
      const followers = [
        stage.stand({ elector: other, election: 'orders' }),
        stage.stand({ elector: one, election: 'mails' }),
      ];
      await stage.until(() => followers.every((it) => it.candidate.observed.at(-1) !== undefined));

      await stage.end(orders);
      await stage.until(() => followers[0]?.leads === true);

      assert.deepEqual([mails.leads, mails.candidate.terms.length, followers[1]?.leads], [true, 1, false]);
    },
  },
];
