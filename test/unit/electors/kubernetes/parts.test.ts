import { describe, expect, test } from '@jest/globals';
import { ManualClock } from '../../../../lib/testing/manual-clock.js';
import { linesOf } from '../../../../lib/core/lines.js';
import { KnownLeases } from '../../../../lib/electors/kubernetes/known-leases.js';
import {
  leaseObjectOf,
  microTime,
  timeAfter,
  type LeaseSpec,
} from '../../../../lib/electors/kubernetes/lease-object.js';
import { recordOf } from '../../../../lib/electors/kubernetes/lease-records.js';
import { Silence } from '../../../../lib/electors/kubernetes/silence.js';
import { watchEventOf } from '../../../../lib/electors/kubernetes/watch-event.js';

const leaseOf = (resourceVersion: string, spec: LeaseSpec = {}) =>
  leaseObjectOf('get', {
    metadata: { name: 'a', uid: 'u', resourceVersion },
    spec: { holderIdentity: 'go', leaseDurationSeconds: 15, ...spec },
  });

describe('A stream of lines', () => {
  test('is the same wherever it is cut', async () => {
    const bytes = Buffer.from('{"who":"zoë"}\n\n{"who":"李"}\n');
    for (let at = 0; at <= bytes.length; at++) {
      async function* pieces() {
        yield bytes.subarray(0, at);
        yield bytes.subarray(at);
      }
      const lines: string[] = [];
      for await (const line of linesOf(pieces())) lines.push(line);
      expect(lines).toEqual(['{"who":"zoë"}', '{"who":"李"}']);
    }
  });
});

describe('The time of a write', () => {
  test('has six digits after the point', () => {
    expect(microTime(Date.UTC(2026, 10, 30, 12, 44, 41, 7))).toBe('2026-11-30T12:44:41.007000Z');
  });

  test.each([
    ['now, after a second', '2026-11-30T12:44:41.900000Z', 42_100, '2026-11-30T12:44:42.100000Z'],
    ['the next second, within one', '2026-11-30T12:44:41.100000Z', 41_900, '2026-11-30T12:44:42.000000Z'],
    ['the next second, after a clock was set back', '2026-11-30T12:44:41.100000Z', 5000, '2026-11-30T12:44:42.000000Z'],
    ['now, after what is no time', 'yesterday', 41_900, '2026-11-30T12:44:41.900000Z'],
    ['now, after none', undefined, 41_900, '2026-11-30T12:44:41.900000Z'],
  ])('is %s', (_, previous, ms, expected) => {
    expect(timeAfter(previous, Date.UTC(2026, 10, 30, 12, 44) + ms)).toBe(expected);
  });
});

describe('What is known of a Lease', () => {
  test('says for how long its holder has not written, whoever else has', async () => {
    const clock = new ManualClock();
    const known = new KnownLeases(clock);
    known.note(leaseOf('1', { renewTime: '1' }));
    await clock.advance(1000);
    known.note(leaseOf('2', { renewTime: '1' }));
    await clock.advance(1000);
    expect(known.unchangedMs(leaseOf('3', { renewTime: '1' }))).toBe(2000);
    expect(known.unchangedMs(leaseOf('3', { renewTime: '2' }))).toBe(0);

    known.note(leaseOf('4', { renewTime: '2' }));
    known.note(leaseOf('3', { renewTime: '1' }));
    await clock.advance(500);
    expect(known.get('a')?.metadata.resourceVersion).toBe('4');
    known.forget('a');
    expect([known.get('a'), known.unchangedMs(leaseOf('4', { renewTime: '2' }))]).toEqual([undefined, 500]);
  });

  test('makes its lease run out at the end of its duration, and not before', () => {
    expect(recordOf(leaseOf('1'), 14_999)).toMatchObject({ kind: 'held', leaseMs: 15_000, remainingMs: 1 });
    expect(recordOf(leaseOf('1'), 15_000)).toMatchObject({ kind: 'vacant' });
    expect(recordOf(leaseOf('1', { holderIdentity: '' }), 20_000)).toMatchObject({ kind: 'released' });
  });
});

describe('A silence', () => {
  test('is told after two periods and each that follows, until something is heard, and is the end after ten', async () => {
    const clock = new ManualClock();
    const told: string[] = [];
    const silence = new Silence({
      clock,
      periodMs: 1000,
      onSilent: () => told.push('silent'),
      onDead: () => told.push('dead'),
    });
    await clock.advance(1999);
    expect(told).toEqual([]);
    await clock.advance(1001);
    expect(told).toEqual(['silent', 'silent']);
    silence.broken();
    await clock.advance(1999);
    expect(told.length).toBe(2);
    await clock.advance(8001);
    expect([told.slice(2), silence.isDead]).toEqual([[...Array<string>(8).fill('silent'), 'dead'], true]);
    silence.end();
    await clock.advance(20_000);
    expect(told.length).toBe(11);
  });
});

describe('An event of a watch', () => {
  test('is understood, or named as what cannot be used', () => {
    const object = { metadata: { name: 'a', uid: 'u', resourceVersion: '7' }, spec: {} };
    const of = (type: string, what: object = object) => watchEventOf(JSON.stringify({ type, object: what }));
    expect(of('ADDED')).toMatchObject({ type: 'written' });
    expect(of('MODIFIED')).toMatchObject({ type: 'written' });
    expect(of('DELETED')).toMatchObject({ type: 'deleted' });
    expect(of('BOOKMARK')).toEqual({ type: 'bookmark', resourceVersion: '7' });
    expect(of('ERROR', { code: 410, message: 'too old' })).toEqual({ type: 'error', status: 410, message: 'too old' });
    expect(of('SOMETHING')).toEqual({ type: 'unknown' });
    expect(() => of('ADDED', { metadata: { ...object.metadata, resourceVersion: 'abc' } })).toThrow(/is no number/);
    expect(() => watchEventOf('{')).toThrow(/no JSON/);
  });
});
