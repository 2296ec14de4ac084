import assert from 'node:assert/strict';
import { Deferred } from '../../core/deferred.js';
import { TermEndedError } from '../../core/errors.js';
import { ContractCandidate } from './contract-candidate.js';
import type { ElectorCase } from './elector-case.js';

/** What an elector promises to one candidate. */
export const CAMPAIGN_CASES: readonly ElectorCase[] = [
  {
    name: 'a campaign elects the only candidate, with a term that says whose and what it is',
    async act(stage) {
      const { candidate } = await stage.leading({ identity: 'a', election: 'orders' });

      const [term] = candidate.terms;
      assert.deepEqual([term?.election, term?.identity], ['orders', 'a']);
      assert.ok((term?.fencingToken ?? 0n) > 0n, `the token is ${term?.fencingToken}`);
      assert.equal(term?.signal.aborted, false);
      assert.doesNotThrow(() => term.assertValid());
      await stage.until(() => candidate.observed.at(-1) === 'a');
    },
  },
  {
    name: 'a campaign goes on until it is told to end',
    async act(stage) {
      const it = await stage.leading();

      await stage.pass();

      assert.deepEqual([it.isOver, it.leads, it.candidate.terms.length], [false, true, 1]);
    },
  },
  {
    name: 'a campaign with a signal that is aborted already elects nobody',
    async act(stage) {
      const candidate = new ContractCandidate('a', () => undefined);

      await stage.createElector().campaign('default', candidate, AbortSignal.abort());

      assert.deepEqual(candidate.terms, []);
    },
  },
  {
    name: 'a campaign of one election knows nothing of another on the same elector',
    async act(stage) {
      const elector = stage.createElector();
      const orders = await stage.leading({ elector, election: 'orders' });
      const mails = await stage.leading({ elector, election: 'mails' });

      await stage.end(orders);
      await stage.pass();

      assert.deepEqual([orders.leads, mails.leads, mails.candidate.terms.length], [false, true, 1]);
    },
  },
  {
    name: 'a campaign can be begun again on the same elector, and has a larger token',
    async act(stage) {
      const elector = stage.createElector();
      const first = await stage.leading({ elector });
      await stage.end(first);

      const second = await stage.leading({ elector });

      assert.ok(second.lastToken > first.lastToken, `${second.lastToken} after ${first.lastToken}`);
    },
  },
  {
    name: 'a campaign that is told to end at once ends, and can be begun again',
    async act(stage) {
      const elector = stage.createElector();
      const first = stage.stand({ elector });
      await stage.end(first);

      await stage.leading({ elector });

      assert.equal(first.leads, false);
    },
  },
  {
    name: 'an elector that says how often it is heard of is heard of that often',
    async act(stage) {
      const elector = stage.createElector();
      if (elector.reportsWithinMs === undefined) return;
      const { candidate } = await stage.leading({ elector });
      for (let round = 0; round < 3; round++) {
        const { calls } = candidate;
        await stage.until(() => candidate.calls > calls);
      }
    },
  },
  {
    name: 'what an elector finds out about its engine is a level and a sentence',
    async act(stage) {
      const findings = (await stage.createElector().diagnose?.()) ?? [];

      for (const { level, summary } of findings) {
        assert.ok(['ok', 'note', 'warning', 'error'].includes(level), `the level is ${level}`);
        assert.notEqual(summary, '');
      }
    },
  },
  {
    name: 'the end of a campaign that leads ends the term in the same tick, for good',
    async act(stage) {
      const it = await stage.leading();
      const [term] = it.candidate.terms;

      it.tellToEnd();

      assert.deepEqual([term?.isValid(), term?.signal.aborted], [false, true]);
      assert.throws(() => term?.assertValid(), TermEndedError);
      await stage.until(() => it.isOver);
      assert.equal(term?.isValid(), false);
    },
  },
  {
    name: 'the end of a campaign that leads waits for the work to settle',
    async act(stage) {
      const it = await stage.leading();
      const settling = new Deferred<void>();
      it.candidate.settling = settling.promise;

      it.tellToEnd();
      await stage.pass();
      assert.deepEqual([it.isOver, it.candidate.working], [false, 1]);

      settling.resolve();
      await stage.until(() => it.isOver);
      assert.equal(it.candidate.working, 0);
    },
  },
  {
    name: 'the end of a campaign is the end: nothing more is heard of it',
    async act(stage) {
      const it = await stage.leading();
      await stage.end(it);
      const { calls } = it.candidate;

      await stage.pass();

      assert.equal(it.candidate.terms.length, 1);
      assert.equal(it.candidate.calls, calls);
      assert.equal(it.candidate.observed.at(-1), undefined, 'it still knows of a leader');
    },
  },
  {
    name: 'a candidate that resigns has its term ended, and is elected again later with a larger token',
    async act(stage) {
      const it = await stage.leading();
      it.candidate.resign();

      await stage.until(() => it.candidate.terms.length === 2);

      const [first, second] = it.candidate.terms;
      assert.deepEqual([first?.isValid(), first?.signal.aborted, second?.isValid()], [false, true, true]);
    },
  },
  {
    name: 'a candidate may resign by work that rejects',
    async act(stage) {
      const it = await stage.leading();
      const broken = Promise.reject(new Error('work is broken'));
      broken.catch(() => undefined);
      it.candidate.settling = broken;
      it.candidate.resign();
      await stage.until(() => !it.leads);
      it.candidate.settling = Promise.resolve();

      await stage.until(() => it.candidate.terms.length === 2);

      assert.deepEqual([it.isOver, it.leads], [false, true]);
    },
  },
];
