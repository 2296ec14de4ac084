import { describe, expect, test } from '@jest/globals';
import { everybodyLed, RunNotes } from './run-notes.js';

const A = 'replica-0.0';
const B = 'replica-1.0';

test('a run in which one leads after the other passes', () => {
  expect(everybodyLed().verdict.violations).toEqual([]);
});

describe('two leaders', () => {
  test('are found when the times at which they were seen to lead overlap by a nanosecond', () => {
    const notes = new RunNotes()
      .replica(A, { k: 'led', ms: 0, e: 'default', token: '1' }, { k: 'led', ms: 100, e: 'default', token: '1' })
      .replica(B, { k: 'led', ms: 100, e: 'default', token: '2' });

    expect(notes.failed).toEqual(['two-leaders']);
  });

  test('are not there when one was seen last before the other was seen first', () => {
    const notes = new RunNotes()
      .replica(A, { k: 'led', ms: 0, e: 'default', token: '1' }, { k: 'led', ms: 99.999999, e: 'default', token: '1' })
      .replica(B, { k: 'led', ms: 100, e: 'default', token: '2' });

    expect(notes.failed).toEqual([]);
  });

  test('are found when the first comes back after the second has ended', () => {
    const notes = new RunNotes()
      .replica(A, { k: 'led', ms: 0, e: 'default', token: '1' }, { k: 'led', ms: 500, e: 'default', token: '1' })
      .replica(B, { k: 'led', ms: 100, e: 'default', token: '2' }, { k: 'led', ms: 200, e: 'default', token: '2' });

    expect(notes.failed).toEqual(['two-leaders']);
  });

  test('are found by a side effect as well', () => {
    const notes = new RunNotes()
      .replica(A, { k: 'led', ms: 0, e: 'default', token: '1' }, { k: 'effect', ms: 150, e: 'default', token: '1' })
      .replica(B, { k: 'led', ms: 100, e: 'default', token: '2' }, { k: 'led', ms: 200, e: 'default', token: '2' });

    expect(notes.failed).toEqual(['two-leaders']);
  });

  test('of different elections are none', () => {
    expect(new RunNotes().term(A, 1, [0, 100]).term(B, 2, [0, 100], { e: 'reports' }).failed).toEqual([]);
  });
});

test('whoever leads after its own term has ended is found', () => {
  const notes = new RunNotes().term(A, 1, [0, 100]).replica(A, { k: 'led', ms: 101, e: 'default', token: '1' });

  expect(notes.failed).toEqual(['leader-after-end']);
});

test('a side effect that begins after its term has ended is found', () => {
  const notes = new RunNotes().term(A, 1, [0, 100]).replica(A, { k: 'effect', ms: 101, e: 'default', token: '1' });

  expect(notes.failed).toEqual(['effect-after-end']);
});

describe('tokens', () => {
  test('that go back are found', () => {
    expect(new RunNotes().term(A, 2, [0, 100]).term(B, 1, [200, 300]).failed).toContain('token-order');
  });

  test('that come twice are found', () => {
    expect(new RunNotes().term(A, 1, [0, 100]).term(B, 1, [200, 300]).failed).toContain('token-order');
  });
});

describe('the fenced resource', () => {
  test('must not take an older token after a newer one', () => {
    const notes = new RunNotes().harness(
      { k: 'taken', ms: 0, e: 'default', token: '2', who: B },
      { k: 'taken', ms: 1, e: 'default', token: '1', who: A },
    );

    expect(notes.failed).toEqual(['stale-taken']);
  });

  test('must not see one token from two processes', () => {
    const notes = new RunNotes().harness(
      { k: 'taken', ms: 0, e: 'default', token: '1', who: A },
      { k: 'taken', ms: 1, e: 'default', token: '1', who: B },
    );

    expect(notes.failed).toEqual(['token-reused']);
  });

  const refusal = { k: 'refused', ms: 3000, begunMs: 100, e: 'default', token: '1', who: A } as const;

  test('may refuse what was begun before a pause of its sender', () => {
    const notes = new RunNotes().replica(A, { k: 'lag', ms: 101, untilMs: 2990 }).harness(refusal);

    expect(notes.failed).toEqual([]);
    expect(notes.verdict.refusedStaleEffects).toBe(1);
  });

  test('may refuse what a process had sent that was killed', () => {
    const killed = { k: 'signal', ms: 101, who: A, signal: 'SIGKILL' } as const;

    expect(new RunNotes().harness(killed, refusal).failed).toEqual([]);
  });

  test('must not have to refuse anything else', () => {
    expect(new RunNotes().harness(refusal).failed).toEqual(['late-effect']);
  });
});

describe('a rival that is elected before the work has settled', () => {
  test('is found after a hand-over', () => {
    const notes = new RunNotes().term(A, 1, [0, 100], { settledMs: 300 }).term(B, 2, [200, 400]);

    expect(notes.failed).toEqual(['released-before-settled']);
  });

  test('is found after a loss when the work took no longer than its time', () => {
    const notes = new RunNotes().term(A, 1, [0, 100], { voluntary: false, settledMs: 180 }).term(B, 2, [170, 400]);

    expect(notes.failed).toEqual(['released-before-settled']);
  });

  test('is nobody to blame for after a loss when the work took longer than its time', () => {
    const notes = new RunNotes().term(A, 1, [0, 100], { voluntary: false, settledMs: 600 }).term(B, 2, [550, 700]);

    expect(notes.failed).toEqual([]);
  });

  test('is nobody to blame for when the process stood still for longer than the margin', () => {
    const notes = new RunNotes()
      .replica(A, { k: 'lag', ms: 110, untilMs: 3000 })
      .term(A, 1, [0, 100], { settledMs: 3010 })
      .term(B, 2, [2500, 4000]);

    expect(notes.failed).toEqual([]);
  });

  test('is nobody to blame for when the elector has said that the work overruns', () => {
    const notes = new RunNotes()
      .replica(
        A,
        { k: 'elected', ms: 0, e: 'default', token: '1' },
        { k: 'working', ms: 0, e: 'default', token: '1' },
        { k: 'ended', ms: 100, e: 'default', token: '1' },
        { k: 'report', ms: 200, e: 'default', operation: 'stop', error: 'overrun' },
        { k: 'settled', ms: 5000, e: 'default', token: '1' },
      )
      .term(B, 2, [3000, 4000]);

    expect(notes.failed).toEqual([]);
  });

  test('is found wherever it comes in the order of tokens', () => {
    const notes = new RunNotes()
      .term(A, 1, [0, 100], { settledMs: 350 })
      .term(B, 3, [200, 300])
      .term('replica-2.0', 2, [400, 500]);

    expect(notes.failed).toContain('released-before-settled');
  });
});
