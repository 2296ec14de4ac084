import { describe, expect, test } from '@jest/globals';
import { Deferred } from '../../../lib/core/deferred.js';
import type { LeadershipTerm } from '../../../lib/core/elector.js';
import { ElectionTerm } from '../../../lib/core/election-term.js';
import { aborted, errorOf, lead, leaderOnly, Replica, ScriptedElector, Worker } from './leadership-fixtures.js';

const MINUTE = 60_000;

describe('a campaign that breaks while its term is valid', () => {
  async function brokenInTerm(): Promise<{
    replica: Replica;
    worker: Worker;
    elector: ScriptedElector;
    settle: () => void;
  }> {
    const settling = new Deferred<void>();
    const connection = new Deferred<never>();
    const elector: ScriptedElector = new ScriptedElector((call) => {
      if (call.number > 1) return lead(call, elector.term());
      void call.candidate.onElected(elector.term());
      return connection.promise;
    });
    const replica = new Replica({ elector });
    const worker = leaderOnly(replica);
    worker.settling = settling.promise;
    await replica.boot();
    expect(worker.running).toBe(1);
    connection.reject(new Error('connection lost'));
    await replica.clock.settle();
    return { replica, worker, elector, settle: () => settling.resolve() };
  }

  test('ends the term for the work too: nothing can say any more that it is valid', async () => {
    const { replica, worker, settle } = await brokenInTerm();

    expect(replica.leadership.isLeader()).toBe(false);
    expect(worker.contexts[0]?.signal.aborted).toBe(true);
    expect(worker.contexts[0]?.term?.isValid()).toBe(false);
    expect(worker.contexts[0]?.term?.signal.aborted).toBe(true);
    settle();
    await replica.leadership.stop();
  });

  test('is an involuntary loss with the error as its reason', async () => {
    const { replica, settle } = await brokenInTerm();

    expect(replica.terms).toEqual(['+1', '-1']);
    expect(replica.losses).toMatchObject([{ voluntary: false, reason: { message: 'connection lost' } }]);
    settle();
    await replica.leadership.stop();
  });

  test('is begun again only when the work has settled', async () => {
    const { replica, worker, elector, settle } = await brokenInTerm();
    await replica.clock.advance(10 * MINUTE);
    expect(elector.calls).toHaveLength(1);

    settle();
    await replica.clock.advance(MINUTE);

    expect([elector.calls.length, worker.starts, worker.maxRunning]).toEqual([2, 2, 1]);
    expect(replica.leadership.isLeader()).toBe(true);
    await replica.leadership.stop();
  });
});

describe('an elector that breaks the contract', () => {
  test('by electing twice never gets two runs: the second term waits for the end of the first', async () => {
    const terms: ElectionTerm[] = [];
    const elector: ScriptedElector = new ScriptedElector(async ({ candidate, signal }) => {
      terms.push(elector.term(), elector.term());
      signal.addEventListener('abort', () => terms.forEach((it) => it.end('told to')));
      await Promise.all(terms.map((it) => candidate.onElected(it)));
    });
    const replica = new Replica({ elector });
    const worker = leaderOnly(replica);
    await replica.boot();
    expect(replica.terms).toEqual(['+1']);

    terms[0]?.end('over');
    await replica.clock.settle();

    expect(replica.terms).toEqual(['+1', '-1', '+2']);
    expect([worker.starts, worker.maxRunning]).toEqual([2, 1]);
    await replica.leadership.stop();
  });

  test('by electing twice gets no second run once the replica was told to stop', async () => {
    const elector: ScriptedElector = new ScriptedElector(async ({ candidate }) => {
      await Promise.all([1, 2].map(() => candidate.onElected(elector.term())));
    });
    const replica = new Replica({ elector });
    const worker = leaderOnly(replica);
    await replica.boot();

    await replica.leadership.stop();

    expect([replica.terms, worker.starts]).toEqual([['+1', '-1'], 1]);
  });

  test('by electing with a term that has ended starts nothing and publishes nothing', async () => {
    const elector: ScriptedElector = new ScriptedElector(async ({ candidate, signal }) => {
      const term = elector.term();
      term.end('too late');
      await candidate.onElected(term);
      await aborted(signal);
    });
    const replica = new Replica({ elector });
    const worker = leaderOnly(replica);
    await replica.boot();

    expect([replica.terms, worker.starts]).toEqual([[], 0]);
    await replica.leadership.stop();
  });

  test('by electing with a term whose signal is aborted and that calls itself valid publishes nothing', async () => {
    const elector = new ScriptedElector(async ({ candidate, signal }) => {
      const term: LeadershipTerm = {
        election: 'default',
        identity: 'me',
        fencingToken: 1n,
        signal: AbortSignal.abort('gone'),
        isValid: () => true,
        assertValid: () => undefined,
      };
      await candidate.onElected(term);
      await aborted(signal);
    });
    const replica = new Replica({ elector });
    const worker = leaderOnly(replica);
    await replica.boot();

    expect([replica.terms, worker.starts]).toEqual([[], 0]);
    await replica.leadership.stop();
  });

  test('by electing after the abort starts nothing', async () => {
    const elector: ScriptedElector = new ScriptedElector(async ({ candidate, signal }) => {
      await aborted(signal);
      await candidate.onElected(elector.term());
    });
    const replica = new Replica({ elector });
    const worker = leaderOnly(replica);
    await replica.boot();

    await replica.leadership.stop();

    expect([replica.terms, worker.starts]).toEqual([[], 0]);
  });

  test('by electing for a campaign that is over starts nothing in the campaign that follows', async () => {
    const elector = new ScriptedElector(({ number, signal }) => (number === 1 ? Promise.resolve() : aborted(signal)));
    const replica = new Replica({ elector });
    const worker = leaderOnly(replica);
    await replica.boot();
    await replica.clock.advance(2000);
    const [old, current] = elector.calls;
    expect(current).toBeDefined();

    await old?.candidate.onElected(elector.term());
    old?.candidate.onLeaderObserved({ identity: 'ghost', since: 0 });
    current?.candidate.onReport({ kind: 'attempt', won: false, latencyMs: 1 });
    old?.candidate.onReport({ kind: 'error', operation: 'renew', error: new Error('ghost') });
    await replica.clock.settle();

    expect([replica.terms, worker.starts]).toEqual([[], 0]);
    expect(replica.leadership.leader()).toBeUndefined();
    expect(errorOf(replica)).toBeUndefined();
    await replica.leadership.stop();
  });

  test('by not ending its term when told to cannot keep the replica leading, nor the work running', async () => {
    const elector: ScriptedElector = new ScriptedElector(async ({ candidate }) => candidate.onElected(elector.term()));
    const replica = new Replica({ elector });
    const worker = leaderOnly(replica);
    await replica.boot();

    const stopping = replica.leadership.stop();
    expect(replica.leadership.isLeader()).toBe(false);
    expect(worker.contexts[0]?.term?.isValid()).toBe(false);
    expect(worker.contexts[0]?.signal.aborted).toBe(true);
    await stopping;

    expect(replica.terms).toEqual(['+1', '-1']);
    expect(replica.losses).toMatchObject([{ voluntary: true }]);
  });

  test('by never releasing is named in the log and in the election', async () => {
    const elector: ScriptedElector = new ScriptedElector(async (call) => {
      await lead(call, elector.term());
      await new Promise(() => undefined);
    });
    const replica = await new Replica({ elector }).boot();

    void replica.leadership.stepDown('maintenance');
    await replica.clock.advance(MINUTE);

    expect(replica.logger.matching(/has not ended its campaign/)).toHaveLength(1);
    expect(errorOf(replica)).toBeDefined();
    expect(elector.calls).toHaveLength(1);
  });
});
