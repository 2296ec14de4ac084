import { describe, expect, test } from '@jest/globals';
import { EngineRefusalError } from '../../../../lib/core/errors.js';
import { LeaseRows } from '../../../../lib/electors/postgres/lease-rows.js';
import { PostgresSessionStore } from '../../../../lib/electors/postgres/postgres-session-store.js';
import { EngineClock } from '../../../../lib/core/lease/engine-clock.js';
import { ManualClock } from '../../../../lib/testing/manual-clock.js';
import { scripted, serverError, type Answer } from './scripted-connections.js';

const never = new AbortController().signal;
const holder = { election: 'default', holder: 'me#1', identity: 'me', leaseMs: 1000 };
const claim = { ...holder, basis: { kind: 'released' }, tokenAbove: 0n } as const;
const lease = { ...holder, token: 5n };

function open(answer: Answer) {
  const { connections, clients } = scripted(answer);
  const clock = new ManualClock();
  const store = new PostgresSessionStore({
    rows: new LeaseRows('leases', 'orders', new EngineClock(clock, 250)),
    settings: { table: 'leases', createTable: true },
    connections,
    notifications: undefined,
    requestTimeoutMs: 250,
    clock,
    idleSessionTimeoutMs: 1500,
  });
  return { store, clients, clock };
}

/** Of what was not taken over. */
const NOTHING = { token: null, version: null };

/** A server that gives the lock and the lease; one row for each of the statements. */
const server =
  ({ lockPid = '17', locked = 't', renewPid = '17', token = '5', unlocked = 't' } = {}): Answer =>
  (text) => {
    const lock = { pid: lockPid, locked, idle: '1min' };
    if (text.includes('SKIP LOCKED')) return { rows: [{ ...lock, ...(token ? { token, version: '2' } : NOTHING) }] };
    if (text.includes('pg_try_advisory_lock')) return { rows: [lock] };
    if (text.includes('INSERT')) return { rows: [{ token, version: '2' }] };
    if (text.includes('pg_advisory_unlock')) return { rows: [{ unlocked }] };
    if (text.includes('pg_backend_pid() AS pid')) return { rows: [{ version: '3', pid: renewPid }] };
    return { rows: [] };
  };

describe('A lease with a session', () => {
  test('is taken, renewed and given back on one connection, which others may use then', async () => {
    const { store, clients } = open(server());

    expect(await store.acquire(claim, never)).toEqual({ won: true, token: 5n, version: '2' });
    expect(await store.renew(lease, never)).toEqual({ renewed: true, version: '3' });
    await store.release(lease, never);

    expect(clients).toHaveLength(1);
    expect(clients[0]?.statements).toHaveLength(3);
    expect(clients[0]?.values.at(-1)?.at(-1)).toBe('1min');
    expect(clients[0]?.released).toBe('returned');
  });

  test('that nobody has had yet is taken on the connection that has got the lock', async () => {
    const { store, clients } = open(server());

    expect(await store.acquire({ ...claim, basis: { kind: 'absent' } }, never)).toMatchObject({ won: true, token: 5n });

    expect(clients).toHaveLength(1);
    expect(clients[0]?.statements.map((it) => it.includes('INSERT'))).toEqual([false, true]);
  });

  test('that was not taken over leaves no lock behind', async () => {
    const { store, clients } = open(server({ token: '' }));

    expect(await store.acquire(claim, never)).toEqual({ won: false });

    expect(clients[0]?.released).toBe('destroyed');
  });

  test('whose lock was not there to be given back leaves no session behind that may have another one', async () => {
    const { store, clients } = open(server({ unlocked: 'f' }));
    await store.acquire(claim, never);

    await store.release(lease, never);

    expect(clients[0]?.released).toBe('destroyed');
  });

  test('that was just released keeps the connections open for a moment, so that it is taken over first', async () => {
    const { store, clock } = open(server());
    await store.acquire(claim, never);
    await store.release(lease, never);
    let isClosed = false;

    const closed = store.close().then(() => (isClosed = true));
    await clock.advance(24);
    expect(isClosed).toBe(false);
    await clock.advance(1);

    await closed;
  });

  test('is not even tried for while another session has the lock', async () => {
    const { store, clients } = open(server({ locked: 'f' }));

    expect(await store.acquire(claim, never)).toEqual({ won: false });

    expect(clients[0]?.statements).toHaveLength(1);
    expect(clients[0]?.released).toBe('returned');
  });

  test('is refused when the server process is not the one of the connection', async () => {
    const { store } = open(server({ lockPid: '18', locked: 'f' }));

    await expect(store.acquire(claim, never)).rejects.toThrow(EngineRefusalError);
  });

  test('is refused when the server process changes in mid-term, and the connection is not used again', async () => {
    const { store, clients } = open(server({ renewPid: '18' }));
    await store.acquire(claim, never);

    await expect(store.renew(lease, never)).rejects.toThrow('pooler');

    expect(clients[0]?.released).toBe('destroyed');
  });

  test('is refused by a server that cannot end silent sessions', async () => {
    const unknown = serverError('42704', 'unrecognized configuration parameter "idle_session_timeout"');
    const { store, clients } = open(() => Promise.reject(unknown));

    await expect(store.acquire(claim, never)).rejects.toThrow('version 14 or later');
    await expect(store.renew(lease, never)).rejects.toThrow('version 14 or later');

    // By then it has the lock.
    expect(clients.map((it) => it.released)).toEqual(['destroyed', 'destroyed']);
  });

  test.each([
    ['is ours: it is tried again', { holder: 'me#1', token: '5' }, 'throws'],
    ['is somebody else’s', { holder: 'you#1', token: '5' }, 'not renewed'],
    ['is of another term', { holder: 'me#1', token: '6' }, 'not renewed'],
    ['is released', { holder: '', token: '5' }, 'not renewed'],
  ])('without the lock is not renewed, and the row says that it %s', async (_what, row, outcome) => {
    const read = {
      standby: 'f',
      version: '7',
      leaseMs: '1000',
      remainingMs: '500',
      identity: 'x',
      address: null,
      ...row,
    };
    const { store } = open((text) => (text.includes('LEFT JOIN') ? { rows: [read] } : server({ locked: 'f' })(text)));

    const renewal = store.renew(lease, never).then(({ renewed }) => renewed || 'not renewed');

    await (outcome === 'throws'
      ? expect(renewal).rejects.toThrow('Another session has the lock')
      : expect(renewal).resolves.toBe(outcome));
  });

  test('is taken over the session that there is, when an attempt before has won unnoticed', async () => {
    const { store, clients } = open(server());
    await store.acquire(claim, never);

    expect(await store.acquire(claim, never)).toMatchObject({ won: true });

    expect(clients).toHaveLength(1);
    expect(clients[0]?.statements.filter((it) => it.includes('pg_try_advisory_lock'))).toHaveLength(1);
  });

  test('gets a new connection with the lock when the old one has ended', async () => {
    const { store, clients } = open(server());
    await store.acquire(claim, never);
    clients[0]?.emit('error', new Error('57P01'));

    expect(await store.renew(lease, never)).toEqual({ renewed: true, version: '3' });

    expect(clients[1]?.statements[0]).toContain('pg_try_advisory_lock');
  });

  test('loses its session when it turns out to be somebody else’s', async () => {
    const { store, clients } = open((text) => (text.startsWith('UPDATE') ? { rows: [] } : server()(text)));
    await store.acquire(claim, never);

    expect(await store.renew(lease, never)).toEqual({ renewed: false });

    expect(clients[0]?.released).toBe('destroyed');
  });

  test('is given back by an ordinary connection when the session has ended', async () => {
    const { store, clients } = open(server());
    await store.acquire(claim, never);
    clients[0]?.emit('end');

    await store.release(lease, never);

    expect(clients[1]?.released).toBe('returned');
    expect(clients[1]?.statements[0]).not.toContain('unlock');
  });

  test('leaves no session behind when the store is closed', async () => {
    const { store, clients } = open(server());
    await store.acquire(claim, never);

    await store.close();

    expect(clients[0]?.released).toBe('destroyed');
  });
});
