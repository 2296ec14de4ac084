import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Deferred } from '../../lib/core/deferred.js';
import type { ElectorFixture } from './elector-fixture.js';
import { Stage } from './stage.js';
import type { Stand } from './stand.js';

/** What electors promise to candidates that compete on one engine. */
export function rivalsContract({ name, open }: ElectorFixture): void {
  let stage: Stage;

  beforeEach(async () => {
    stage = new Stage(await open());
  });

  afterEach(() => stage.close());

  describe(`${name}: of several candidates`, () => {
    test('exactly one leads, and the others know who', async () => {
      const first = await stage.leading({ identity: 'a' });
      const rivals = [stage.stand({ identity: 'b' }), stage.stand({ identity: 'c' })];
      await stage.until(() => rivals.every((it) => it.candidate.observed.at(-1) === 'a'));

      await stage.pass();

      expect(stage.leaders()).toEqual([first]);
    });

    test('exactly one leads also when all have one identity', async () => {
      [1, 2, 3].forEach(() => stage.stand({ identity: 'same' }));
      await stage.until(() => stage.leaders().length > 0);

      await stage.pass();

      expect(stage.leaders()).toHaveLength(1);
    });

    test('another one leads when the leader has ended its campaign, and each has its turn', async () => {
      const all = [stage.stand(), stage.stand(), stage.stand()];
      const turns: Stand[] = [];
      for (let turn = 0; turn < all.length; turn++) {
        await stage.until(() => stage.leaders().length === 1);
        turns.push(...stage.leaders());
        await turns.at(-1)?.end();
      }

      expect(new Set(turns)).toEqual(new Set(all));
    });

    test('another one leads when the leader resigns', async () => {
      const first = await stage.leading();
      const rival = stage.stand();
      await stage.pass();

      first.candidate.resign();
      await stage.until(() => rival.leads);

      expect(stage.leaders()).toEqual([rival]);
    });

    test('none leads while the work of the former leader has not settled', async () => {
      const first = await stage.leading();
      const rival = stage.stand();
      const settling = new Deferred<void>();
      first.candidate.settling = settling.promise;
      const over = first.end();

      await stage.pass();
      expect([first.leads, rival.leads, rival.candidate.terms.length]).toEqual([false, false, 0]);

      settling.resolve();
      await over;
      await stage.until(() => rival.leads);
    });

    test('each later leader has a larger token', async () => {
      [1, 2, 3].forEach(() => stage.stand());
      const tokens: bigint[] = [];
      for (let turn = 0; turn < 6; turn++) {
        await stage.until(() => stage.leaders().length === 1);
        const [leader] = stage.leaders();
        tokens.push(leader?.candidate.terms.at(-1)?.fencingToken ?? 0n);
        leader?.candidate.resign();
        await stage.until(() => leader?.leads === false);
      }

      expect(tokens.slice(1).every((token, index) => token > (tokens[index] ?? 0n))).toBe(true);
    });

    test('one that waits can end its campaign, and never leads', async () => {
      const first = await stage.leading();
      const rival = stage.stand();
      await stage.pass();

      await rival.end();
      await first.end();
      await stage.pass();

      expect(rival.candidate.terms).toEqual([]);
    });
  });
}
