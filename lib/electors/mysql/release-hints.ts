import type { Clock } from '../../core/clock.js';
import type { OnHint } from '../../core/lease/lease-watch.js';
import type { Connections } from '../../core/connections/connections.js';
import type { MysqlConnection } from './mysql-connection.js';
import { HeldLocks } from './held-locks.js';
import { LockStatements } from './lock-statements.js';
import { LockWaits } from './lock-waits.js';

export interface HintSettings {
  /** Where locks are taken and waited for. */
  readonly connections: Connections<MysqlConnection>;
  /** How many elections are waited for at a time. */
  readonly mostWaits: number;
  readonly clock: Clock;
  readonly requestTimeoutMs: number;
  readonly leaseMs: number;
}

/**
 * Tells rivals of a release without a poll: who leads has a lock of the server (GET_LOCK) under a name that nobody but this
 * term uses, and lets it go once the lease is released; followers wait for it, and let it go in the statement that got it.
 * Only a hint: the lock ends with the connection, not with the term, and a cluster does not share it.
 */
export class ReleaseHints {
  readonly #held: HeldLocks;
  readonly #waits: LockWaits;

  constructor(
    table: string,
    private readonly settings: HintSettings,
  ) {
    const statements = new LockStatements(table);
    this.#held = new HeldLocks(statements, settings);
    this.#waits = new LockWaits(statements, settings);
  }

  /** The lease is ours. Does not wait until the lock is, too. */
  hold(name: string, token: bigint): void {
    this.#held.hold(name, token);
  }

  /** The lease is not ours any more. Never rejects. */
  letGo(name: string): Promise<void> {
    return this.#held.letGo(name);
  }

  /** What a read has found. @param token of the lease that is held; `undefined`: none is */
  noteRead(name: string, token: bigint | undefined): void {
    this.#waits.noteRead(name, token);
  }

  /** Calls `onHint` when the lease of that name may have become free, until the signal aborts. @throws when it breaks */
  watch(name: string, onHint: OnHint, signal: AbortSignal): Promise<void> {
    return this.#waits.watch(onHint, name, signal, () => this.#held.overOf(name));
  }

  async close(): Promise<void> {
    await this.#held.close();
    await this.settings.connections.close();
  }
}
