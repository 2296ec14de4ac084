import { beforeEach, expect, test } from '@jest/globals';
import { TermEndedError } from '../../../lib/core/errors.js';
import { LeaseTerm, sentNow } from '../../../lib/core/lease/lease-term.js';
import { TestClock } from './lease-fixtures.js';

const DEADLINE_MS = 1000;
const DETAILS = { election: 'default', identity: 'me', fencingToken: 7n };
let clock: TestClock;

beforeEach(() => void (clock = new TestClock()));

const begin = (sentAt = sentNow(clock)) => new LeaseTerm(DETAILS, sentAt, DEADLINE_MS, clock);
/** Time goes on, and no code runs: neither timers nor answers. */
const block = (ms: number) => {
  const before = clock.now.bind(clock);
  clock.now = () => before() + ms;
  const wallBefore = clock.wallNow.bind(clock);
  clock.wallNow = () => wallBefore() + ms;
};

test('is valid until its deadline, counted from when the request was sent', async () => {
  const sentAt = sentNow(clock);
  await clock.advance(400);
  const term = begin(sentAt);

  await clock.advance(599);
  expect(term.isValid()).toBe(true);
  await clock.advance(1);
  expect(term.signal.aborted).toBe(true);
  expect(term.isValid()).toBe(false);
});

test('is over at the first read after a pause, before any timer has fired', () => {
  const term = begin();

  block(DEADLINE_MS);

  expect(term.signal.aborted).toBe(false);
  expect(term.isValid()).toBe(false);
  expect(term.signal.aborted).toBe(true);
});

test('is not revived by an acknowledgement that comes after its deadline', () => {
  const term = begin();
  const sentAt = sentNow(clock);
  block(DEADLINE_MS);

  term.extend(sentNow(clock));
  term.extend(sentAt);

  expect(term.isValid()).toBe(false);
});

test('is extended by an acknowledgement, to be counted from its sending', async () => {
  const term = begin();
  await clock.advance(300);
  const sentAt = sentNow(clock);
  await clock.advance(500);

  term.extend(sentAt);

  expect(term.remainingMs).toBe(500);
  await clock.advance(499);
  expect(term.isValid()).toBe(true);
  await clock.advance(1);
  expect(term.isValid()).toBe(false);
});

test('never begins when the answer took longer than its deadline', async () => {
  const sentAt = sentNow(clock);
  await clock.advance(DEADLINE_MS);

  expect(begin(sentAt).isValid()).toBe(false);
});

test('is not lengthened by a wall clock that is set back', async () => {
  const term = begin();
  clock.wallOffsetMs = -3_600_000;

  await clock.advance(DEADLINE_MS);

  expect(term.isValid()).toBe(false);
});

test('ends by the wall clock when the monotonic one stood still', () => {
  const term = begin();

  clock.sleptMs = DEADLINE_MS;

  expect(term.isValid()).toBe(false);
});

test('ends when a renewal finds that the host slept, though its wall clock was set back', async () => {
  const term = begin();
  clock.sleptMs = 5000;
  clock.wallOffsetMs = -5000;
  await clock.advance(100);
  expect(term.isValid()).toBe(true);

  term.extend(sentNow(clock));

  expect(term.isValid()).toBe(false);
  expect(String(term.signal.reason)).toContain('slept');
});

test('never begins when the host slept between request and answer', () => {
  const sentAt = sentNow(clock);
  clock.sleptMs = 5000;
  clock.wallOffsetMs = -5000;

  expect(begin(sentAt).isValid()).toBe(false);
});

test('does not take an uptime in whole seconds for a sleep', async () => {
  clock.bootNow = () => Math.ceil(clock.now() / 1000) * 1000;
  const term = begin();
  await clock.advance(900);

  term.extend(sentNow(clock));

  expect(term.isValid()).toBe(true);
});

test('survives a timer that fires early', async () => {
  const setTimer = clock.setTimer.bind(clock);
  clock.setTimer = (callback, delayMs) => setTimer(callback, Math.max(0.5, delayMs - 1));
  const term = begin();

  await clock.advance(DEADLINE_MS - 1);
  expect(term.isValid()).toBe(true);
  await clock.advance(1);
  expect(term.isValid()).toBe(false);
});

test('says what a side effect after its end would have been', () => {
  const term = begin();
  term.assertValid();
  block(DEADLINE_MS);

  expect(() => term.assertValid()).toThrow(TermEndedError);
  expect(() => term.assertValid()).toThrow(/Term 7 .*no side effect may begin/);
});

test('ends once, and leaves no timer', () => {
  const term = begin();

  term.end('first');
  term.end('second');

  expect(String(term.signal.reason)).toContain('first');
  expect(clock.pending).toBe(0);
});

test('does not keep the process alive', () => {
  const background: unknown[] = [];
  clock.setTimer = (_callback, _delayMs, options?: { background?: boolean }) => {
    background.push(options?.background);
    return () => undefined;
  };

  begin();

  expect(background).toEqual([true]);
});
