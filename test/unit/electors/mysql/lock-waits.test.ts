import { describe, expect, test } from '@jest/globals';
import { LockStatements } from '../../../../lib/electors/mysql/lock-statements.js';
import { LockWaits } from '../../../../lib/electors/mysql/lock-waits.js';
import { ManualClock } from '../../../../lib/testing/manual-clock.js';
import { until } from '../../../fixtures/until.js';
import { DONE, scripted, serverError } from './scripted-pool.js';

/** A server of which a test says what a look and a wait show. */
function watching({ own, waitedUs = '0' }: { own?: AbortSignal; waitedUs?: string } = {}) {
  const clock = new ManualClock();
  const control = new AbortController();
  const state = { token: '5', isHeld: '1', got: '1', waitedUs, error: undefined as Error | undefined };
  const seen = { looks: 0, waits: 0, hints: 0, end: () => control.abort(), outcome: undefined as unknown };
  const { connections } = scripted((sql) => {
    if (sql === 'DO 0') return DONE;
    if (state.error !== undefined) throw state.error;
    if (sql.includes('GET_LOCK')) {
      seen.waits++;
      return [{ got: state.got, waitedUs: state.waitedUs }];
    }
    seen.looks++;
    return state.token === '' ? [] : [{ token: state.token, isHeld: state.isHeld }];
  });
  const settings = { connections, mostWaits: 1, clock, requestTimeoutMs: 100, leaseMs: 3000 };
  const waits = new LockWaits(new LockStatements('leases'), settings);
  const over = waits.watch(
    () => seen.hints++,
    'orders/default',
    control.signal,
    () => (own?.aborted === false ? own : undefined),
  );
  over.then(
    () => (seen.outcome = 'ended'),
    (error: unknown) => (seen.outcome = error),
  );
  const looksAgain = async () => {
    const { looks } = seen;
    await until(async () => {
      await clock.advance(1000);
      return seen.looks > looks;
    });
  };
  return { clock, state, seen, looksAgain };
}

describe('A wait for the lock of a term', () => {
  test('hints once of a lock that nobody has, however often it is found so', async () => {
    const { seen, looksAgain } = watching();
    await until(() => seen.hints === 1);

    for (let round = 0; round < 5; round++) await looksAgain();

    expect(seen.hints).toBe(1);
    seen.end();
  });

  test('hints of each lock that was let go while it waited', async () => {
    const { seen, looksAgain } = watching({ waitedUs: '900000' });
    await until(() => seen.hints === 1);

    await looksAgain();

    await until(() => seen.hints > 1);
    seen.end();
  });

  test('hints when a lease is found released that was held, and waits for no lock of it', async () => {
    const { seen, state, looksAgain } = watching();
    await until(() => seen.hints === 1);
    const { waits } = seen;

    state.isHeld = '0';
    await looksAgain();
    await until(() => seen.hints === 2);
    await looksAgain();

    expect([seen.hints, seen.waits]).toEqual([2, waits]);
    seen.end();
  });

  test('does not hint of an election that nobody has stood for, nor of a table that is not there', async () => {
    const { seen, state, looksAgain } = watching();
    state.token = '';
    await until(() => seen.looks > 0);
    await looksAgain();
    state.error = serverError(1146);

    expect([seen.hints, seen.waits, seen.outcome]).toEqual([0, 0, undefined]);
    seen.end();
  });

  test('breaks with an error of the server, and with a wait that was ended without an answer', async () => {
    const failed = watching();
    failed.state.error = serverError(1205);
    await until(() => failed.seen.outcome === failed.state.error);

    const ended = watching();
    ended.state.got = null as never;
    await until(() => String(ended.seen.outcome).includes('without an answer'));
  });

  test('does not ask while the election is led here', async () => {
    const own = new AbortController();
    const { seen } = watching({ own: own.signal });
    await Promise.resolve();
    expect(seen.looks).toBe(0);

    own.abort();

    await until(() => seen.looks > 0);
    seen.end();
  });

  test('ends when it is told to', async () => {
    const { seen } = watching();
    await until(() => seen.hints === 1);

    seen.end();

    await until(() => seen.outcome === 'ended');
  });
});
