import { expect, test } from '@jest/globals';
import { RequestTimeoutError } from '../../../lib/core/errors.js';
import { requestInTime } from '../../../lib/core/lease/lease-requests.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';
import { gate } from '../../fixtures/until.js';

const clock = new ManualClock();
const request = <T>(send: (signal: AbortSignal) => Promise<T>, cut?: AbortSignal) =>
  requestInTime(clock, { operation: 'renew', timeoutMs: 100, send, ...(cut && { cut }) });

test('hands on what was answered, and leaves no timer', async () => {
  await expect(request(() => Promise.resolve(7))).resolves.toBe(7);
  expect(clock.pending).toBe(0);
});

test.each([
  [
    'throws at once',
    () => {
      throw new Error('not connected');
    },
  ],
  ['rejects', () => Promise.reject(new Error('not connected'))],
])('fails as a client does that %s', async (_what, send) => {
  await expect(request(send)).rejects.toThrow('not connected');
  expect(clock.pending).toBe(0);
});

test('takes an answer that is no promise', async () => {
  await expect(request((() => 7) as never)).resolves.toBe(7);
});

test('sends in the tick in which it was called', () => {
  let sent = false;
  void request(async () => void (sent = true));

  expect(sent).toBe(true);
});

test('ends in time though the client never answers: its signal aborts', async () => {
  let ended: AbortSignal | undefined;
  const outcome = expect(request((signal) => new Promise(() => void (ended = signal)))).rejects.toThrow(
    RequestTimeoutError,
  );

  await clock.advance(100);

  await outcome;
  expect(ended?.aborted).toBe(true);
  expect(clock.pending).toBe(0);
});

test('drops an answer, or a failure, that comes too late', async () => {
  const late = gate<number>();
  const lateFailure = gate<number>();
  const outcomes = Promise.allSettled([request(() => late.promise), request(() => lateFailure.promise)]);
  await clock.advance(100);

  late.open(7);
  lateFailure.fail(new Error('too late'));

  expect((await outcomes).map((it) => it.status)).toEqual(['rejected', 'rejected']);
});

test('is cut short when nobody needs the answer any more', async () => {
  const control = new AbortController();
  const reason = new Error('not needed');
  let ended: AbortSignal | undefined;
  const outcome = request((signal) => new Promise(() => void (ended = signal)), control.signal).catch(
    (error: unknown) => error,
  );

  control.abort(reason);

  expect(await outcome).toBe(reason);
  expect(ended?.aborted).toBe(true);
  expect(clock.pending).toBe(0);
});

test('sends nothing that is not needed any more', async () => {
  let sent = false;

  await expect(request(async () => void (sent = true), AbortSignal.abort())).rejects.toThrow();

  expect(sent).toBe(false);
  expect(clock.pending).toBe(0);
});
