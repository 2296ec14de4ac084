import { systemClock, type Clock } from '../../core/clock.js';
import type { Candidate, Diagnosis, Elector } from '../../core/elector.js';
import { EngineClock } from '../../core/lease/engine-clock.js';
import { LeaseElector } from '../../core/lease/lease-elector.js';
import type { LeaseStore } from '../../core/lease/lease-store.js';
import type { Connections } from '../../core/connections/connections.js';
import type { PostgresConnection } from './postgres-connection.js';
import { LeaseRows } from './lease-rows.js';
import { Notifications } from './notifications.js';
import { ownConnections } from './own-connections.js';
import { PoolConnections } from './pool-connections.js';
import {
  isPool,
  resolvePostgresOptions,
  type PostgresElectorOptions,
  type ResolvedOptions,
} from './postgres-elector-options.js';
import { PostgresFence } from './postgres-fence.js';
import { PostgresLeaseStore } from './postgres-lease-store.js';
import { PostgresSessionStore } from './postgres-session-store.js';

/**
 * Elects on PostgreSQL: one row for each election says who leads until when, by the server's clock. One leader at a time
 * as long as clocks run within 5 % of each other and the server keeps what it has acknowledged; a process that is paused
 * finds its term ended at its first look. `fence` makes sure of the rest.
 *
 * Connections<PostgresConnection> that the elector has opened it closes; a pool that it was given is left open.
 *
 * @publicApi
 */
export class PostgresElector implements Elector {
  readonly reportsWithinMs: number;
  /** Ties transactions in the same database to a term. */
  readonly fence: PostgresFence;
  readonly #elector: LeaseElector;

  /** @throws InvalidOptionError */
  constructor(options: PostgresElectorOptions) {
    const resolved = resolvePostgresOptions(options);
    const { lease, table } = resolved;
    this.fence = new PostgresFence({ namespace: lease.namespace, table: table.table });
    this.#elector = new LeaseElector({ ...lease, store: storeOf(resolved) });
    this.reportsWithinMs = this.#elector.reportsWithinMs;
  }

  /**
   * Stands for an election until `signal` aborts, whatever the server does.
   *
   * @throws CampaignUnderWayError while an earlier campaign for the same election has not ended; nothing else
   */
  campaign(election: string, candidate: Candidate, signal: AbortSignal): Promise<void> {
    return this.#elector.campaign(election, candidate, signal);
  }

  /** What an operator should know about the server and its settings. Never rejects. */
  diagnose(): Promise<Diagnosis[]> {
    return this.#elector.diagnose();
  }

  /** Closes the connections that the elector has opened. */
  close(): Promise<void> {
    return this.#elector.close();
  }
}

/** The store of an elector with these options, for tests of the store itself. */
export function storeOf({ lease, source, listen, table, isSession }: ResolvedOptions): LeaseStore {
  const { timing, clock = systemClock, namespace } = lease;
  const connections = isPool(source) ? new PoolConnections(source) : ownConnections(source, clock);
  const listener = listenerOf(listen, connections, clock);
  const parts = {
    rows: new LeaseRows(table.table, namespace, new EngineClock(clock, timing.requestTimeoutMs)),
    settings: table,
    connections,
    notifications: listener && new Notifications(listener, clock, timing.requestTimeoutMs),
    requestTimeoutMs: timing.requestTimeoutMs,
    clock,
  };
  if (!isSession) return new PostgresLeaseStore(parts);
  // By then the work of a holder that was cut off has settled, and its lease has not run out yet.
  return new PostgresSessionStore({ ...parts, idleSessionTimeoutMs: timing.deadlineMs + timing.stopBudgetMs });
}

function listenerOf(
  listen: ResolvedOptions['listen'],
  connections: Connections<PostgresConnection>,
  clock: Clock,
): Connections<PostgresConnection> | undefined {
  if (listen === false) return undefined;
  return listen === undefined ? connections : ownConnections(listen, clock);
}
