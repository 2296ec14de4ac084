import { describe, expect, test } from '@jest/globals';
import { LeaseSight } from '../../../../lib/electors/etcd/lease-sight.js';
import { ManualClock } from '../../../../lib/testing/manual-clock.js';

const LEASE_MS = 8000;
const PATIENCE_MS = 1500;
const held = (version: string) => ({
  ...({ kind: 'held', holder: 'a#1', identity: 'a', leaseMs: LEASE_MS, token: 7n } as const),
  version,
});

function setUp() {
  const clock = new ManualClock();
  const sight = new LeaseSight(clock, PATIENCE_MS);
  const muted: string[] = [];
  const unwatch = sight.watched(10n, () => muted.push('mute'));
  return { clock, sight, muted, unwatch };
}

describe('What a watch has told of a lease', () => {
  test('says how long ago it was renewed, and that it has run out after a lease', async () => {
    const { clock, sight } = setUp();
    sight.tell(11n, '11 a');
    await clock.advance(LEASE_MS - 1);
    expect(sight.judged(held('11 a'))).toMatchObject({ kind: 'held', remainingMs: 1, version: '11 a' });

    await clock.advance(1);
    expect(sight.judged(held('11 a'))).toEqual({ kind: 'vacant', version: '11 a', token: 7n });
  });

  test('says nothing of another write, whatever its age', async () => {
    const { clock, sight } = setUp();
    sight.tell(11n, '11 a');
    await clock.advance(2 * LEASE_MS);

    for (const record of [held('12 b'), held('11 b'), { kind: 'released', token: 7n, version: '11 a' } as const]) {
      expect(sight.judged(record)).toBe(record);
    }
    expect(sight.judged({ kind: 'absent' })).toEqual({ kind: 'absent' });
  });

  test('counts from the last write that it was told of', async () => {
    const { clock, sight } = setUp();
    sight.tell(11n, '11 a');
    await clock.advance(2000);
    sight.tell(12n, '12 b');
    await clock.advance(2000);
    expect(sight.judged(held('12 b'))).toMatchObject({ remainingMs: LEASE_MS - 2000 });
  });

  test('shows it to be mute when it has long not told of a write that was read', async () => {
    const { clock, sight, muted } = setUp();
    sight.noteRead('read', held('12 b'));
    await clock.advance(PATIENCE_MS - 1);
    sight.noteRead('read', held('13 c'));
    expect(muted).toEqual([]);

    await clock.advance(1);
    sight.noteRead('read', held('13 c'));
    expect(muted).toEqual(['mute']);
  });

  test('may come after the read, and is waited for anew with the next write', async () => {
    const { clock, sight, muted } = setUp();
    sight.noteRead('read', held('11 a'));
    sight.tell(11n, '11 a');
    await clock.advance(PATIENCE_MS);
    sight.noteRead('read', held('12 b'));
    await clock.advance(PATIENCE_MS - 1);
    sight.noteRead('read', held('12 b'));
    expect(muted).toEqual([]);
  });

  test('is of no interest once the watch has ended, nor is what was read before it', async () => {
    const { clock, sight, muted, unwatch } = setUp();
    sight.noteRead('read', held('12 b'));
    unwatch();
    await clock.advance(PATIENCE_MS);
    sight.noteRead('read', held('12 b'));
    sight.watched(12n, () => muted.push('mute'));
    sight.noteRead('read', held('12 b'));
    await clock.advance(PATIENCE_MS);
    sight.noteRead('read', held('12 b'));
    expect(muted).toEqual([]);
  });

  test('is not expected of a cluster that began its revisions anew', async () => {
    const { clock, sight, muted } = setUp();
    for (const record of [{ kind: 'absent' } as const, held('2 a'), held('9 a')]) {
      sight.noteRead('read', record);
      await clock.advance(PATIENCE_MS);
    }
    expect(muted).toEqual([]);
  });
});
