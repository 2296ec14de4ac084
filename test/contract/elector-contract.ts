import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Deferred } from '../../lib/core/deferred.js';
import { TermEndedError } from '../../lib/core/errors.js';
import type { ElectorFixture } from './elector-fixture.js';
import { rivalsContract } from './rivals-contract.js';
import { Stage } from './stage.js';
import { TestCandidate } from './test-candidate.js';

/** What every elector promises. */
export function electorContract(fixture: ElectorFixture): void {
  campaignContract(fixture);
  if (fixture.standalone !== true) rivalsContract(fixture);
}

/** What an elector promises to one candidate. */
function campaignContract({ name, open }: ElectorFixture): void {
  let stage: Stage;

  beforeEach(async () => {
    stage = new Stage(await open());
  });

  afterEach(() => stage.close());

  describe(`${name}: a campaign`, () => {
    test('elects the only candidate, with a term that says whose and what it is', async () => {
      const { candidate } = await stage.leading({ identity: 'a', election: 'orders' });

      const [term] = candidate.terms;
      expect(term).toMatchObject({ election: 'orders', identity: 'a' });
      expect(term?.fencingToken).toBeGreaterThan(0n);
      expect(term?.signal.aborted).toBe(false);
      expect(() => term?.assertValid()).not.toThrow();
      expect(candidate.observed.at(-1)).toBe('a');
    });

    test('goes on until it is told to end', async () => {
      const it = await stage.leading();

      await stage.pass();

      expect([it.isOver, it.leads, it.candidate.terms.length]).toEqual([false, true, 1]);
    });

    test('with a signal that is aborted already elects nobody', async () => {
      const candidate = new TestCandidate();

      await stage.createElector().campaign('default', candidate, AbortSignal.abort());

      expect(candidate.terms).toEqual([]);
    });

    test('of one election knows nothing of another on the same elector', async () => {
      const elector = stage.createElector();
      const orders = await stage.leading({ elector, election: 'orders' });
      const mails = await stage.leading({ elector, election: 'mails' });

      await orders.end();

      expect([orders.leads, mails.leads]).toEqual([false, true]);
    });

    test('can be begun again on the same elector', async () => {
      const elector = stage.createElector();
      const first = await stage.leading({ elector });
      await first.end();

      const second = await stage.leading({ elector });

      expect(second.candidate.terms[0]?.fencingToken).toBeGreaterThan(first.candidate.terms[0]?.fencingToken ?? 0n);
    });
  });

  describe(`${name}: the end of a campaign that leads`, () => {
    test('ends the term in the same tick, for good', async () => {
      const it = await stage.leading();
      const [term] = it.candidate.terms;

      const over = it.end();

      expect([term?.isValid(), term?.signal.aborted]).toEqual([false, true]);
      expect(() => term?.assertValid()).toThrow(TermEndedError);
      await over;
      expect(term?.isValid()).toBe(false);
    });

    test('waits for the work to settle', async () => {
      const it = await stage.leading();
      const settling = new Deferred<void>();
      it.candidate.settling = settling.promise;

      const over = it.end();
      await stage.pass();
      expect([it.isOver, it.candidate.working]).toEqual([false, 1]);

      settling.resolve();
      await over;
      expect(it.candidate.working).toBe(0);
    });

    test('is the end: no term follows', async () => {
      const it = await stage.leading();
      await it.end();

      await stage.pass();

      expect(it.candidate.terms).toHaveLength(1);
    });
  });

  describe(`${name}: a candidate that resigns`, () => {
    test('has its term ended, and is elected again later', async () => {
      const it = await stage.leading();
      it.candidate.resign();

      await stage.until(() => it.candidate.terms.length === 2);

      const [first, second] = it.candidate.terms;
      expect([first?.isValid(), first?.signal.aborted, second?.isValid()]).toEqual([false, true, true]);
      expect(second?.fencingToken).toBeGreaterThan(first?.fencingToken ?? 0n);
    });

    test('may do so by work that rejects', async () => {
      const it = await stage.leading();
      it.candidate.settling = Promise.reject(new Error('work is broken'));
      it.candidate.resign();
      await stage.until(() => !it.leads);
      it.candidate.settling = Promise.resolve();

      await stage.until(() => it.candidate.terms.length === 2);

      expect([it.isOver, it.leads]).toEqual([false, true]);
    });
  });
}
