import { untilAborted } from '../../core/abort.js';
import { backoffMs } from '../../core/backoff.js';
import { delay } from '../../core/clock.js';
import { requestInTime } from '../../core/lease/lease-requests.js';
import type { OnHint } from '../../core/lease/lease-watch.js';
import { runOnce } from '../../core/connections/connections.js';
import { isMissingTable } from './engine-errors.js';
import { WAIT_S, type LockStatements } from './lock-statements.js';
import type { MysqlConnection } from './mysql-connection.js';
import type { HintSettings } from './release-hints.js';
import { Slots } from '../../core/slots.js';

/** A lock that is free at once says little: its holder has not taken it yet, or has lost the connection. */
const AT_ONCE_US = 5000;
const FIRST_PAUSE_MS = 50;

/** What a look at the lease, and a wait for the lock of its term, have shown. */
type Seen =
  | { readonly kind: 'nothing' }
  /** `free`: nobody has the lease. `freed`: the lock was let go. `unlocked`: nobody had it. `held`: somebody has it. */
  | { readonly kind: 'free' | 'freed' | 'unlocked' | 'held'; readonly token: string };

/** Waits for the locks of terms that others lead: on a connection for each election, while it waits. */
export class LockWaits {
  readonly #slots: Slots;
  /** By name: the token of the lease that was held at the last read. */
  readonly #lastRead = new Map<string, string>();
  readonly #pauses: { readonly initialMs: number; readonly maxMs: number };

  constructor(
    private readonly statements: LockStatements,
    private readonly settings: HintSettings,
  ) {
    this.#slots = new Slots(settings.mostWaits);
    this.#pauses = { initialMs: FIRST_PAUSE_MS, maxMs: Math.max(FIRST_PAUSE_MS, settings.leaseMs / 3) };
  }

  /** What a read has found. While that is what is waited for, nothing has to be looked for. @param token `undefined`: not held */
  noteRead(name: string, token: bigint | undefined): void {
    if (token === undefined) this.#lastRead.delete(name);
    else this.#lastRead.set(name, String(token));
  }

  /**
   * Calls `onHint` until the signal aborts.
   *
   * @param ownTerm says whether the election is led here, until when
   * @throws when it breaks
   */
  async watch(onHint: OnHint, name: string, signal: AbortSignal, ownTerm: () => AbortSignal | undefined) {
    let hinted = '';
    let pauses = 0;
    let waitedFor: string | undefined;
    while (!signal.aborted) {
      const own = ownTerm();
      if (own !== undefined) await untilAborted(AbortSignal.any([own, signal]));
      const seen = await this.#inTurn(name, waitedFor, signal);
      if (signal.aborted) return;
      waitedFor = seen.kind === 'held' ? seen.token : undefined;
      if (seen.kind === 'held') {
        pauses = 0;
        continue;
      }
      // Once for each, so that a lock which nobody takes makes nobody ask all the time.
      const key = seen.kind === 'nothing' ? '' : `${seen.kind} ${seen.token}`;
      if (seen.kind === 'freed' || (key !== '' && key !== hinted)) {
        pauses = 0;
        onHint();
      }
      hinted = key;
      await delay(this.settings.clock, backoffMs(pauses++, this.#pauses, Math.random()), signal, { background: true });
    }
  }

  /** Elections that are more than there are connections take turns. */
  async #inTurn(name: string, waitedFor: string | undefined, signal: AbortSignal): Promise<Seen> {
    try {
      const leave = await this.#slots.enter(signal);
      try {
        const run = async (connection: MysqlConnection) => {
          if (waitedFor !== undefined && this.#lastRead.get(name) === waitedFor) {
            return this.#wait(connection, name, waitedFor, signal);
          }
          return this.#lookAndWait(connection, name, signal);
        };
        return await runOnce(this.settings.connections, run, signal);
      } finally {
        leave();
      }
    } catch (error) {
      // The next read creates it, or says what to do.
      if (signal.aborted || isMissingTable(error)) return { kind: 'nothing' };
      throw error;
    }
  }

  async #lookAndWait(connection: MysqlConnection, name: string, cut: AbortSignal): Promise<Seen> {
    const look = this.statements.look(name);
    const row = await this.#ask<'token' | 'isHeld'>(connection, look, this.settings.requestTimeoutMs, cut);
    const token = row?.token ?? null;
    if (token === null) return { kind: 'nothing' };
    if (row?.isHeld !== '1') return { kind: 'free', token };
    return this.#wait(connection, name, token, cut);
  }

  async #wait(connection: MysqlConnection, name: string, token: string, cut: AbortSignal): Promise<Seen> {
    const wait = this.statements.wait(name, BigInt(token));
    const timeoutMs = WAIT_S * 1000 + this.settings.requestTimeoutMs;
    const answer = await this.#ask<'got' | 'waitedUs'>(connection, wait, timeoutMs, cut);
    if (answer?.got === '0') return { kind: 'held', token };
    if (answer?.got !== '1') throw new Error('The server has ended a GET_LOCK() without an answer');
    return { kind: Number(answer.waitedUs) < AT_ONCE_US ? 'unlocked' : 'freed', token };
  }

  async #ask<Column extends string>(connection: MysqlConnection, sql: string, timeoutMs: number, cut: AbortSignal) {
    const send = (signal: AbortSignal) => connection.rows<Column>(sql, signal);
    const [row] = await requestInTime(this.settings.clock, { operation: 'wait for a release', timeoutMs, cut, send });
    return row;
  }
}
