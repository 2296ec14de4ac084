import assert from 'node:assert/strict';
import type { ElectorCase } from './elector-case.js';

/** What holds when an elector's process vanishes. The referee sees to it that its term is over before another begins. */
export const CRASH_CASES: readonly ElectorCase[] = [
  {
    name: 'another candidate leads when the leader has vanished, with a larger token',
    async act(stage) {
      const first = await stage.leading();
      const rivals = [stage.stand(), stage.stand()];
      await stage.until(() => rivals.every((it) => it.candidate.observed.at(-1) === first.candidate.identity));

      await stage.crash(first);
      await stage.until(() => rivals.some((it) => it.leads));

      assert.equal(rivals.filter((it) => it.leads).length, 1);
    },
  },
  {
    name: 'a candidate with the identity of a leader that has vanished has not won by that',
    async act(stage) {
      const first = await stage.leading({ identity: 'same' });
      await stage.crash(first);

      const next = await stage.leading({ identity: 'same' });

      assert.ok(next.lastToken > first.lastToken, `${next.lastToken} after ${first.lastToken}`);
    },
  },
  {
    name: 'a follower that vanishes changes nothing',
    async act(stage) {
      const first = await stage.leading({ identity: 'a' });
      const follower = stage.stand();
      await stage.until(() => follower.candidate.observed.at(-1) === 'a');

      await stage.crash(follower);
      await stage.pass();

      assert.deepEqual([first.leads, first.candidate.terms.length], [true, 1]);
    },
  },
];

/** What holds while an elector does not reach its engine, and after. */
export const DISCONNECT_CASES: readonly ElectorCase[] = [
  {
    name: 'a leader that does not reach its engine ends its term before another leads, and follows later',
    async act(stage) {
      const first = await stage.leading({ identity: 'a' });
      const rival = stage.stand({ identity: 'b' });
      await stage.until(() => rival.candidate.observed.at(-1) === 'a');

      await stage.disconnect(first.elector);
      await stage.until(() => rival.leads);
      assert.deepEqual([first.leads, first.isOver, first.candidate.terms[0]?.signal.aborted], [false, false, true]);

      await stage.reconnect(first.elector);
      await stage.until(() => first.candidate.observed.at(-1) === 'b');
      await stage.pass();
      assert.deepEqual(stage.leaders(), [rival]);
    },
  },
  {
    name: 'a leader that did not reach its engine can lead again',
    async act(stage) {
      const it = await stage.leading();
      await stage.disconnect(it.elector);
      await stage.until(() => !it.leads && it.candidate.working === 0);
      const hasFailed = () => it.candidate.reports.some(({ kind }) => kind === 'error' || kind === 'refusal');
      await stage.until(hasFailed);
      assert.equal(it.candidate.terms.length, 1);

      await stage.reconnect(it.elector);

      await stage.until(() => it.leads);
      assert.equal(it.isOver, false);
    },
  },
  {
    name: 'a candidate that does not reach its engine from the start goes on, and leads when it does',
    async act(stage) {
      const elector = stage.createElector();
      await stage.disconnect(elector);
      const it = stage.stand({ elector });
      await stage.pass();
      assert.deepEqual([it.isOver, it.candidate.terms.length], [false, 0]);

      await stage.reconnect(elector);

      await stage.until(() => it.leads);
    },
  },
  {
    name: 'the campaign of a leader that does not reach its engine can be ended, and another one leads',
    async act(stage) {
      const first = await stage.leading({ identity: 'a' });
      const rival = stage.stand();
      await stage.until(() => rival.candidate.observed.at(-1) === 'a');
      await stage.disconnect(first.elector);

      await stage.end(first);

      await stage.until(() => rival.leads);
    },
  },
  {
    name: 'a follower that does not reach its engine changes nothing, and knows the leader again',
    async act(stage) {
      const first = await stage.leading({ identity: 'a' });
      const follower = stage.stand();
      await stage.until(() => follower.candidate.observed.at(-1) === 'a');

      await stage.disconnect(follower.elector);
      await stage.pass();
      assert.deepEqual([first.leads, first.candidate.terms.length], [true, 1]);

      await stage.reconnect(follower.elector);
      await stage.until(() => follower.candidate.observed.at(-1) === 'a');
    },
  },
];
