import { createHash } from 'node:crypto';
import { ELAPSED, text } from './lease-statements.js';
import { quoted } from './lease-table.js';

/** How long the server waits for a lock in one statement, in whole seconds: not all servers know parts of them. */
export const WAIT_S = 3;

/** Statements about locks of the server that stand for terms. */
export class LockStatements {
  constructor(private readonly table: string) {}

  /** Which term there is, or was last, and whether its lease is held. */
  look(name: string): string {
    return `SELECT token, holder IS NOT NULL AS isHeld FROM ${quoted(this.table)} WHERE name = ${text(name)}`;
  }

  /** Takes it unless somebody has it. Not twice: it would have to be let go twice, too. */
  take(name: string, token: bigint): string {
    const lock = this.#lock(name, token);
    return `SELECT IF(IS_USED_LOCK(${lock}) = CONNECTION_ID(), 1, GET_LOCK(${lock}, 0)) AS got`;
  }

  /** Waits until nobody has it. It is let go in the same statement, and so it is when nobody asks for the answer. */
  wait(name: string, token: bigint): string {
    const lock = this.#lock(name, token);
    return `SELECT GET_LOCK(${lock}, ${WAIT_S}) AS got, RELEASE_LOCK(${lock}) AS freed, ${ELAPSED} AS waitedUs`;
  }

  letGo(name: string, token: bigint): string {
    return `DO RELEASE_LOCK(${this.#lock(name, token)})`;
  }

  /**
   * All databases of a server share the names of locks, of at most 64 characters. The token is in it, so that a holder whose
   * connection the server believes in for long does not stand in the way of the next one. The same whether the table is
   * named with its database or without.
   */
  #lock(name: string, token: bigint): string {
    const parts = this.table.split('.');
    const table = parts.at(-1);
    const hash = createHash('sha256').update(`${table} ${name} ${token}`).digest('hex');
    const from = parts.length === 2 ? text(parts[0]) : 'DATABASE()';
    return `SHA1(CONCAT(${from}, '${hash.slice(0, 40)}'))`;
  }
}
