import { systemClock } from '../../core/clock.js';
import type { Candidate, Diagnosis, Elector } from '../../core/elector.js';
import { EngineClock } from '../../core/lease/engine-clock.js';
import { LeaseElector } from '../../core/lease/lease-elector.js';
import type { LeaseStore } from '../../core/lease/lease-store.js';
import type { Connections } from '../../core/connections/connections.js';
import type { MysqlConnection } from './mysql-connection.js';
import { LeaseRows } from './lease-rows.js';
import type { ClientSource } from './mysql-client.js';
import {
  isPool,
  resolveMysqlOptions,
  type MysqlElectorOptions,
  type MysqlPool,
  type ResolvedOptions,
} from './mysql-elector-options.js';
import { MysqlLeaseStore } from './mysql-lease-store.js';
import { ownConnections } from './own-connections.js';
import { PoolConnections } from './pool-connections.js';
import { ReleaseHints } from './release-hints.js';

/** However many elections there are. */
const MOST_STATEMENTS = 4;

/**
 * Elects on MySQL or MariaDB: one row for each election says who leads until when, by the server's clock. One leader at a
 * time as long as clocks run within 5 % of each other and the server keeps what it has acknowledged; a process that is
 * paused finds its term ended at its first look.
 *
 * Connections<MysqlConnection> that the elector has opened it closes; a pool that it was given is left open.
 *
 * @publicApi
 */
export class MysqlElector implements Elector {
  readonly reportsWithinMs: number;
  readonly #elector: LeaseElector;

  /** @throws InvalidOptionError */
  constructor(options: MysqlElectorOptions) {
    const resolved = resolveMysqlOptions(options);
    this.#elector = new LeaseElector({ ...resolved.lease, store: storeOf(resolved) });
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
export function storeOf(resolved: ResolvedOptions): LeaseStore {
  const { lease, source, table } = resolved;
  const { timing, clock = systemClock, namespace } = lease;
  return new MysqlLeaseStore({
    rows: new LeaseRows(table.table, namespace, new EngineClock(clock, timing.requestTimeoutMs)),
    settings: table,
    connections: connectionsTo(source, resolved, MOST_STATEMENTS),
    hints: hintsOf(resolved),
    lacksConnections: resolved.mostWaits < 1,
    requestTimeoutMs: timing.requestTimeoutMs,
  });
}

function hintsOf(resolved: ResolvedOptions): ReleaseHints | undefined {
  const { lease, source, hints, mostWaits, table } = resolved;
  if (hints === false || mostWaits < 1) return undefined;
  const { timing, clock = systemClock } = lease;
  // Of their own: waits would keep statements waiting. One more connection holds the locks of what is led here.
  const connections = connectionsTo(hints ?? source, resolved, mostWaits + 1);
  const { requestTimeoutMs, leaseMs } = timing;
  return new ReleaseHints(table.table, { connections, mostWaits, clock, requestTimeoutMs, leaseMs });
}

function connectionsTo(
  source: ClientSource | MysqlPool,
  { lease }: ResolvedOptions,
  mostAtATime: number,
): Connections<MysqlConnection> {
  if (isPool(source)) return new PoolConnections(source);
  const { timing, clock = systemClock } = lease;
  return ownConnections(source, clock, timing.requestTimeoutMs, mostAtATime);
}
