import { describe, expect, test } from '@jest/globals';
import { everybodyLed, RunNotes } from './run-notes.js';

const A = 'replica-0.0';
const B = 'replica-1.0';

describe('after all is well again', () => {
  const led = (notes: RunNotes, ms: number) =>
    notes.term(A, 9, [ms, ms + 100]).term(A, 9, [ms, ms + 100], { e: 'reports' });

  test('somebody has to lead every election in time', () => {
    const notes = led(new RunNotes(), 15_000).harness({ k: 'healed', ms: 10_000, withinMs: 6000 });

    expect(notes.failed).toEqual([]);
  });

  test('nobody in time is found', () => {
    const notes = led(new RunNotes(), 16_001).harness({ k: 'healed', ms: 10_000, withinMs: 6000 });

    expect(notes.failed).toEqual(['no-leader']);
  });

  test('nobody at all is found', () => {
    expect(new RunNotes().harness({ k: 'healed', ms: 10_000, withinMs: 6000 }).failed).toEqual(['no-leader']);
  });

  test('a leader that has stayed will do', () => {
    const notes = led(new RunNotes(), 9950).harness({ k: 'healed', ms: 10_000, withinMs: 6000 });

    expect(notes.failed).toEqual([]);
  });

  test('a lone survivor has to lead itself', () => {
    const notes = led(new RunNotes(), 11_000).harness({ k: 'healed', ms: 10_000, withinMs: 6000, who: B });

    expect(notes.failed).toEqual(['no-leader']);
  });

  test('a machine that stood still meanwhile gets that time on top', () => {
    const notes = led(new RunNotes(), 16_900)
      .harness({ k: 'healed', ms: 10_000, withinMs: 6000 })
      .replica(B, { k: 'lag', ms: 11_000, untilMs: 12_000 });

    expect(notes.failed).toEqual([]);
  });
});

test('a replica that never led is found', () => {
  const [violation] = new RunNotes().term(A, 1, [0, 1]).verdict.violations;

  expect(violation).toEqual({ check: 'never-led', detail: 'replica 1 never led default' });
});

describe('while all is quiet', () => {
  const quiet = { k: 'quiet', ms: 1000, untilMs: 2000 } as const;

  test('nothing may change', () => {
    expect(everybodyLed().harness(quiet).failed).toEqual(['change-in-quiet']);
  });

  test('a change before and one after are none of its business', () => {
    expect(new RunNotes().term(A, 1, [0, 500]).term(B, 2, [2500, 3000]).harness(quiet).failed).toEqual([]);
  });

  test('nothing is proven on a machine that stands still', () => {
    const notes = everybodyLed().harness(quiet, { k: 'lag', ms: 1100, untilMs: 1400 });

    expect(notes.failed).toEqual([]);
    expect(notes.verdict).toMatchObject({ quietPeriods: 1, starvedQuietPeriods: 1 });
  });
});

describe('the end of a process', () => {
  const exit = (code: number | null, signal: string | null, ms = 500) =>
    ({ k: 'exit', ms, who: A, code, signal }) as const;
  const sent = (signal: 'SIGTERM' | 'SIGKILL') => ({ k: 'signal', ms: 100, who: A, signal }) as const;

  test('with code 0 after SIGTERM is clean', () => {
    expect(new RunNotes().harness(sent('SIGTERM'), exit(0, null)).failed).toEqual([]);
  });

  test('with another code, or by the signal itself, is found', () => {
    expect(new RunNotes().harness(sent('SIGTERM'), exit(1, null)).failed).toEqual(['exit']);
    expect(new RunNotes().harness(sent('SIGTERM'), exit(null, 'SIGTERM')).failed).toEqual(['exit']);
  });

  test('that takes too long is found', () => {
    expect(new RunNotes().harness(sent('SIGTERM'), exit(0, null, 20_000)).failed).toEqual(['exit']);
  });

  test('that nobody asked for is found', () => {
    expect(new RunNotes().harness(exit(0, null)).failed).toEqual(['exit']);
  });

  test('by SIGKILL is what was asked for', () => {
    expect(new RunNotes().harness(sent('SIGKILL'), exit(null, 'SIGKILL')).failed).toEqual([]);
  });

  test('that cuts off work is found', () => {
    const notes = new RunNotes()
      .replica(A, { k: 'working', ms: 0, e: 'default', token: '1' })
      .harness(sent('SIGTERM'), exit(0, null));

    expect(notes.failed).toEqual(['never-settled']);
  });
});

test('"acquired" and "lost" have to alternate', () => {
  const acquired = { k: 'acquired', e: 'default', token: '1' } as const;
  const lost = { k: 'lost', e: 'default', token: '1', voluntary: true } as const;

  expect(new RunNotes().replica(A, { ...acquired, ms: 1 }, { ...lost, ms: 2 }, { ...acquired, ms: 3 }).failed).toEqual(
    [],
  );
  expect(new RunNotes().replica(A, { ...acquired, ms: 1 }, { ...acquired, ms: 2 }).failed).toEqual(['alternation']);
  expect(new RunNotes().replica(A, { ...lost, ms: 1 }).failed).toEqual(['alternation']);
});

test('an all-replica component may stop at the shutdown only', () => {
  const to = (ms: number, from: string, status: string) =>
    ({ k: 'status', ms, component: 'heartbeat', from, to: status }) as const;
  const booted = () => new RunNotes().replica(A, to(0, 'starting', 'running'));

  expect(booted().replica(A, to(5, 'running', 'stopping')).failed).toEqual(['all-replica-stopped']);
  expect(booted().replica(A, { k: 'closing', ms: 4 }, to(5, 'running', 'stopping')).failed).toEqual([]);
});

describe('a probe that fails', () => {
  const failed = { k: 'probe', ms: 5000, probe: 'live', reasons: ['election "default" is stuck'] } as const;

  test('is found', () => {
    expect(new RunNotes().replica(A, failed).failed).toEqual(['not-live']);
    expect(new RunNotes().replica(A, { ...failed, probe: 'ready' }).failed).toEqual(['not-ready']);
  });

  test('is nobody to blame for right after the process stood still, or when it stops', () => {
    expect(new RunNotes().replica(A, { k: 'lag', ms: 1000, untilMs: 4990 }, failed).failed).toEqual([]);
    expect(new RunNotes().replica(A, { k: 'closing', ms: 4000 }, failed).failed).toEqual([]);
  });
});

test('what a process complains about is found', () => {
  const trouble = { k: 'trouble', ms: 1, what: 'unhandled-rejection', message: 'Error: oops' } as const;

  expect(new RunNotes().replica(A, trouble).verdict.violations).toContainEqual({
    check: 'unhandled-rejection',
    detail: `${A}: Error: oops`,
    atMs: 0,
  });
});

test('gaps without a leader are told apart by whether something was wrong', () => {
  const notes = new RunNotes()
    .term(A, 1, [0, 1000])
    .term(B, 2, [1500, 20_000])
    .term(A, 3, [20_100, 21_000])
    .harness({ k: 'fault', ms: 900, id: 1, kind: 'kill', on: 'process 0' }, { k: 'fault-over', ms: 950, id: 1 });

  expect(notes.verdict.longestGapMs).toEqual({ withFaults: 500, withoutFaults: 100 });
  expect(notes.verdict).toMatchObject({ faults: { kill: 1 }, terms: { default: 3 } });
});
