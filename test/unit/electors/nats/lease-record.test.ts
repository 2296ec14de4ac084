import { describe, expect, test } from '@jest/globals';
import { EngineRefusalError } from '../../../../lib/core/errors.js';
import { leaseKey } from '../../../../lib/electors/nats/lease-key.js';
import { isStill } from '../../../../lib/core/lease/lease-basis.js';
import { heldText, microseconds, releasedText, slotOf } from '../../../../lib/electors/nats/lease-record.js';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const stored = (data: string, hdrs = '') => ({
  seq: 7,
  data: base64(data),
  hdrs: base64(hdrs),
  time: '2024-05-06T07:08:09.123456789Z',
});
const holder = { election: 'default', holder: 'a#1', identity: 'a', leaseMs: 8000 };

describe('a lease in a bucket', () => {
  test('is read as it was written', () => {
    const held = slotOf('key', stored(heldText({ ...holder, address: 'http://a' }, 12n)));
    const released = slotOf('key', stored(releasedText(holder, 12n)));

    const { election: _election, ...shown } = holder;
    expect(held.record).toEqual({ kind: 'held', ...shown, address: 'http://a', token: 12n, version: 7 });
    expect(released).toMatchObject({ record: { kind: 'released', token: 12n, version: 7 }, formerHolder: 'a#1' });
    expect(held.writtenAtUs).toBe(microseconds('2024-05-06T07:08:09.123456Z'));
  });

  test('that the tools of NATS have deleted is absent, and keeps when', () => {
    const slot = slotOf('key', stored('', 'NATS/1.0\r\nKV-Operation: DEL\r\n\r\n'));

    expect(slot).toMatchObject({ sequence: 7, record: { kind: 'absent' } });
    expect(slot.writtenAtUs).toBeGreaterThan(0n);
  });

  test.each(['', '[]', '7', '{"state":"held","token":"x"}', '{"state":"held","token":"1","holder":"a"}'])(
    'is not %j',
    (text) => expect(() => slotOf('key', stored(text))).toThrow(EngineRefusalError),
  );

  test.each([
    ['2024-01-01T00:00:00Z', 1_704_067_200_000_000n],
    ['2024-01-01T00:00:00.5Z', 1_704_067_200_500_000n],
    ['2024-01-01T00:00:00.000001999Z', 1_704_067_200_000_001n],
    ['2024-01-01T01:00:00.25+01:00', 1_704_067_200_250_000n],
  ])('has its time, %s, in microseconds', (text, us) => expect(microseconds(text)).toBe(us));

  test('is what it was when kind, holder, token and version are, as far as they are known', () => {
    const { record } = slotOf('key', stored(heldText(holder, 12n)));
    const free = slotOf('key', stored(releasedText(holder, 12n))).record;

    expect(isStill(record, record)).toBe(true);
    expect(isStill(free, { kind: 'released', token: 12n })).toBe(true);
    for (const other of [
      { ...record, version: 6 },
      { ...record, token: 11n },
      { ...record, holder: 'b#1' },
      { kind: 'released', token: 12n },
      { kind: 'absent' },
    ] as const) {
      expect(isStill(record, other as typeof record)).toBe(false);
    }
    expect(isStill(free, { kind: 'vacant', token: 12n })).toBe(false);
  });
});

describe('the key of an election', () => {
  test('has only what keys allow, and is never that of another one', () => {
    const names = ['a', 'A', 'a.b', 'a=2eb', 'a b', '*', '>', '', '=', 'ä', '\u{1f600}', 'a-b', 'a_b'];
    const keys = names.map((it) => leaseKey('ns', it));

    expect(new Set(keys).size).toBe(names.length);
    for (const key of keys) expect(key).toMatch(/^ns\.[-/_=a-zA-Z0-9]+$/);
    expect(leaseKey('orders', 'default')).toBe('orders.default');
  });
});
