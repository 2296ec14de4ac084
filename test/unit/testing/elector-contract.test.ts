import { describe, expect, test } from '@jest/globals';
import { electorContract, ManualClock, virtualTime, type ElectorFixture } from 'nestjs-lifecycle/testing';
import { Board, BoardElector, type Defect } from './board-elector.js';

const fixture = (defect?: Defect): ElectorFixture => ({
  faults: ['crash', 'disconnect'],
  open() {
    const clock = new ManualClock();
    const board = new Board();
    return {
      ...virtualTime(clock),
      createElector: () => new BoardElector(board, clock, defect),
      crash: (elector) => void board.cutOff.add(elector),
      disconnect: (elector) => void board.cutOff.add(elector),
      reconnect: (elector) => void board.cutOff.delete(elector),
      close: () => undefined,
    };
  },
});

/** What the suite finds, case by case; not what comes after the one that is looked for: a case that fails takes its time. */
async function complaints(defect?: Defect, wanted?: RegExp): Promise<string> {
  const found: string[] = [];
  for (const { name, run } of electorContract(fixture(defect))) {
    await run().catch((error: unknown) => found.push(`${name}: ${String(error)}`));
    if (wanted?.test(found.at(-1) ?? '') === true) break;
  }
  return found.join('\n');
}

test('a right elector passes', async () => {
  expect(await complaints()).toBe('');
}, 60_000);

const DEFECTS: Record<Defect, RegExp> = {
  'begins a term after the end': /aborted already elects nobody/,
  'closes the engine for all': /an elector that is closed leaves the others alone/,
  'ends its campaign before the work': /is over before its work has settled/,
  'ends its campaign on a loss': /ends without being told to/,
  'ends its campaign on an error': /rejects: .*the engine is not reached/,
  'ends the term a turn late': /ends the term in the same tick/,
  'has one lease for all elections': /several elections|knows nothing of another/,
  'has terms without a deadline': /begins while .* leads/,
  'keeps quiet': /is heard of that often/,
  'knows itself by its identity': /begins while same leads/,
  'lets a term be valid again': /is valid again after it was not/,
  'never stands again': /elected again later/,
  'releases before the work has settled': /begins while work of .* has not settled/,
  'reports no errors': /did not reach its engine can lead again: /,
  'speaks after the end': /nothing more is heard of it/,
  'takes what it wants': /begins while replica-\d leads/,
  'tells nobody who leads': /the others know who/,
  'uses a token twice': /has token 1 after 1/,
};

describe('an elector is found out that', () => {
  test.each(Object.entries(DEFECTS))(
    '%s',
    async (defect, complaint) => {
      expect(await complaints(defect as Defect, complaint)).toMatch(complaint);
    },
    60_000,
  );
});
