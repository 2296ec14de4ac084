import { describe, expect, test } from '@jest/globals';
import { Deferred } from '../../../lib/core/deferred.js';
import { InvalidOptionError } from '../../../lib/core/errors.js';
import { MemoryElectionHub } from '../../../lib/electors/memory/memory-election-hub.js';
import { MemoryElector } from '../../../lib/electors/memory/memory-elector.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';
import { ContractCandidate } from '../../../lib/testing/contract/contract-candidate.js';

interface Rival {
  readonly candidate: ContractCandidate;
  end(): Promise<void>;
}

class Arena {
  readonly clock = new ManualClock();
  readonly hub = new MemoryElectionHub({ clock: this.clock });

  stand(candidate: ContractCandidate | string, election = 'default', hub = this.hub): Rival {
    const it = typeof candidate === 'string' ? new ContractCandidate(candidate) : candidate;
    const control = new AbortController();
    const campaign = new MemoryElector(hub).campaign(election, it, control.signal);
    return {
      candidate: it,
      end: () => {
        control.abort(new Error('over'));
        return campaign;
      },
    };
  }
}

const leading = (rivals: Rival[]) => rivals.filter((it) => it.candidate.leads).map((it) => it.candidate.identity);
const endAll = (rivals: Rival[]) => Promise.all(rivals.map((it) => it.end()));

describe('MemoryElector', () => {
  test('elects the first one that came, and the others in their order', async () => {
    const arena = new Arena();
    const rivals = ['a', 'b', 'c'].map((it) => arena.stand(it));
    const order: string[][] = [];
    for (const rival of rivals) {
      await arena.clock.settle();
      order.push(leading(rivals));
      await rival.end();
    }

    expect(order).toEqual([['a'], ['b'], ['c']]);
  });

  test('lets one that resigned queue up at the end, after a second', async () => {
    const arena = new Arena();
    const rivals = ['a', 'b', 'c'].map((it) => arena.stand(it));
    await arena.clock.settle();
    rivals[0]?.candidate.resign();
    await arena.clock.advance(1000);
    expect(leading(rivals)).toEqual(['b']);

    await rivals[1]?.end();
    await rivals[2]?.end();
    await arena.clock.settle();

    expect(leading(rivals)).toEqual(['a']);
    await endAll(rivals);
  });

  test('asks a candidate that resigns at once once a second, not in a loop that blocks the process', async () => {
    const arena = new Arena();
    const hasty = new ContractCandidate('hasty');
    let asked = 0;
    hasty.onElected = async () => void asked++;
    const rival = arena.stand(hasty);

    await arena.clock.advance(10_000);

    expect(asked).toBe(11);
    await rival.end();
  });

  test('has nobody lead while the work of the former leader has not settled', async () => {
    const arena = new Arena();
    const rivals = ['a', 'b'].map((it) => arena.stand(it));
    await arena.clock.settle();
    const settling = new Deferred<void>();
    rivals[0]!.candidate.settling = settling.promise;

    const ended = rivals[0]?.end();
    await arena.clock.advance(60_000);
    expect(leading(rivals)).toEqual([]);
    expect(rivals[1]?.candidate.terms).toEqual([]);

    settling.resolve();
    await ended;
    await arena.clock.settle();
    expect(leading(rivals)).toEqual(['b']);
    await endAll(rivals);
  });

  test('hands out tokens that rise over all candidates, each election counting for itself', async () => {
    const arena = new Arena();
    const rivals = ['a', 'b', 'c'].map((it) => arena.stand(it));
    const other = arena.stand('a', 'other');
    await arena.clock.settle();
    for (const rival of rivals) await rival.end();
    await arena.clock.settle();

    expect(rivals.map((it) => it.candidate.terms.map((term) => term.fencingToken))).toEqual([[1n], [2n], [3n]]);
    expect(other.candidate.terms[0]?.fencingToken).toBe(1n);
    await other.end();
  });

  test('tells all who wait who leads', async () => {
    const arena = new Arena();
    const rivals = ['a', 'b', 'c'].map((it) => arena.stand(it));
    await arena.clock.settle();
    await rivals[0]?.end();
    await arena.clock.settle();

    expect(rivals.map((it) => it.candidate.observed)).toStrictEqual([
      ['a', undefined],
      ['a', 'b'],
      ['a', 'b'],
    ]);
    await endAll(rivals);
  });

  test('lets hubs know nothing of each other', async () => {
    const arena = new Arena();
    const rivals = [arena.stand('a'), arena.stand('b', 'default', new MemoryElectionHub())];
    await arena.clock.settle();

    expect(leading(rivals)).toEqual(['a', 'b']);
    await endAll(rivals);
  });

  test('takes one that leaves the queue out of it at once', async () => {
    const arena = new Arena();
    const rivals = ['a', 'b', 'c'].map((it) => arena.stand(it));
    await arena.clock.settle();

    await Promise.all([rivals[1]!.end(), rivals[0]!.end()]);
    await arena.clock.settle();

    expect(leading(rivals)).toEqual(['c']);
    expect(rivals[2]?.candidate.observed).toEqual(['a', 'c']);
    await endAll(rivals);
  });

  test('never elects one that has just been told to end', async () => {
    const arena = new Arena();
    const leader = { candidate: new ContractCandidate('a'), onTurn: () => undefined };
    arena.hub.join('default', leader);
    const rivals = ['b', 'c'].map((it) => arena.stand(it));

    const ended = rivals[0]!.end();
    arena.hub.leave('default', leader);
    await ended;
    await arena.clock.settle();

    expect(leading(rivals)).toEqual(['c']);
    expect(rivals[1]?.candidate.observed).toEqual(['a', 'c']);
    await endAll(rivals);
  });

  test('gives one that was elected and told to end in the same tick no work, and goes on', async () => {
    const arena = new Arena();
    const rivals = ['a', 'b'].map((it) => arena.stand(it));

    await rivals[0]?.end();
    await arena.clock.settle();

    expect(rivals[0]?.candidate.terms).toEqual([]);
    expect(leading(rivals)).toEqual(['b']);
    await endAll(rivals);
  });

  test('takes identities for names: two candidates with the same one never lead together', async () => {
    const arena = new Arena();
    const rivals = ['same', 'same', 'same'].map((it) => arena.stand(it));
    await arena.clock.settle();

    expect(leading(rivals)).toEqual(['same']);
    await endAll(rivals);
  });

  test('is not broken by a candidate that throws when it hears of a leader, be it the one that waits or the one that leads', async () => {
    const arena = new Arena();
    const hostile = new ContractCandidate('hostile');
    hostile.onLeaderObserved = () => {
      throw new Error('broken listener');
    };
    const rivals = [arena.stand('a'), arena.stand(hostile), arena.stand('c')];
    await arena.clock.settle();
    const order = [leading(rivals)];
    await rivals[0]?.end();
    await arena.clock.settle();
    order.push(leading(rivals));
    await rivals[1]?.end();
    await arena.clock.settle();
    order.push(leading(rivals));

    expect(order).toEqual([['a'], ['hostile'], ['c']]);
    expect(hostile.reports[0]).toMatchObject({ kind: 'error', operation: 'onLeaderObserved' });
    await endAll(rivals);
  });

  test.each(['throws', 'rejects'])('takes work that %s for a resignation, and reports it', async (how) => {
    const arena = new Arena();
    const hostile = new ContractCandidate('hostile');
    hostile.onElected = () => {
      if (how === 'throws') throw new Error('broken work');
      return Promise.reject(new Error('broken work'));
    };
    const rivals = [arena.stand(hostile), arena.stand('b')];
    await arena.clock.settle();

    expect(leading(rivals)).toEqual(['b']);
    expect(hostile.reports).toMatchObject([
      { kind: 'error', operation: 'onElected', error: { message: 'broken work' } },
    ]);
    await endAll(rivals);
  });

  test('rejects what is no hub', () => {
    expect(() => new MemoryElector(undefined as never)).toThrow(InvalidOptionError);
  });
});
