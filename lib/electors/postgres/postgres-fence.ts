import type { LeadershipTerm } from '../../core/elector.js';
import { StaleTokenError } from '../../core/errors.js';
import { assertElectionName } from '../../core/names.js';
import { assertObject, rejectUnknownOptions } from '../../core/option-checks.js';
import { assertTable, DEFAULT_TABLE, quoted } from './lease-table.js';

/** What a fence needs of a term. @publicApi */
export type FencedTerm = Pick<LeadershipTerm, 'election' | 'fencingToken'>;

/** Anything that runs SQL inside of a transaction: a client of `pg`, TypeORM's `EntityManager`, ... @publicApi */
export interface FenceClient {
  /** Resolves with the rows, or with an object that has them as `rows`. */
  query(text: string, values: string[]): Promise<unknown>;
}

/** Where the leases are that a fence looks at; as the elector was given it. @publicApi */
export interface PostgresFenceOptions {
  /** The elector's. */
  readonly namespace: string;
  /** The elector's. @default 'nestjs_lifecycle_leases' */
  readonly table?: string;
}

/**
 * Ties transactions to a term, without any clock: one that has passed the fence commits before anybody else leads, and
 * one that comes too late does not pass. For transactions in the database in which the leases are.
 *
 * @publicApi
 */
export class PostgresFence {
  readonly #namespace: string;
  readonly #text: string;

  /** @throws InvalidOptionError */
  constructor(options: PostgresFenceOptions) {
    const where = 'PostgresFence';
    assertObject('options', options, where, 'Pass at least { namespace: "orders" }.');
    rejectUnknownOptions(options, ['namespace', 'table'], where);
    const { namespace, table = DEFAULT_TABLE } = options;
    assertElectionName('namespace', namespace, where);
    assertTable(table, where);
    this.#namespace = namespace;
    this.#text = `SELECT 1 AS fenced FROM ${quoted(table)} WHERE name = $1 AND token = $2::bigint AND holder <> '' FOR KEY SHARE`;
  }

  /**
   * Call it first in each transaction that writes on behalf of the term, on the client of that transaction. Until it ends,
   * nobody else takes the lease; renewals go on.
   *
   * @throws StaleTokenError when the term is over: roll back
   */
  async assert(client: FenceClient, term: FencedTerm): Promise<void> {
    const { text, values } = this.statement(term);
    if (rowsOf(await client.query(text, values)).length > 0) return;
    throw new StaleTokenError(term.election, term.fencingToken);
  }

  /** The statement, for clients of another kind. One row: the term is not over. None: roll back. */
  statement({ election, fencingToken }: FencedTerm): { readonly text: string; readonly values: string[] } {
    return { text: this.#text, values: [`${this.#namespace}/${election}`, String(fencingToken)] };
  }
}

function rowsOf(result: unknown): readonly unknown[] {
  if (Array.isArray(result)) return result;
  const rows = (result as { rows?: unknown } | null | undefined)?.rows;
  if (Array.isArray(rows)) return rows;
  throw new TypeError(
    'query() has answered neither rows nor { rows }: use the statement() of the fence with this client, and check that it ' +
      'answers one row.',
  );
}
