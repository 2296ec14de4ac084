import { onAbort } from '../../core/abort.js';
import type { Clock } from '../../core/clock.js';
import { Deferred } from '../../core/deferred.js';
import type { Diagnosis } from '../../core/elector.js';
import { EngineAnswerError } from '../../core/errors.js';
import { EngineClock } from '../../core/lease/engine-clock.js';
import type {
  AcquireResult,
  LeaseClaim,
  LeaseRecord,
  LeaseStore,
  LeaseToRelease,
  OwnLease,
  RenewResult,
} from '../../core/lease/lease-store.js';
import { recordOf, tokenOf } from './lease-replies.js';
import { ACQUIRE_SCRIPT, READ_SCRIPT, RELEASE_SCRIPT, RENEW_SCRIPT } from './lease-scripts.js';
import type { RedisConnection } from './redis-connection.js';
import type { RedisConnections } from './redis-connections.js';
import { diagnoseRedis } from './redis-diagnosis.js';
import { asEngineError } from './redis-errors.js';
import { replicaShortfall, type ReplicaWait } from './replica-wait.js';
import { ScriptRunner } from './script-runner.js';

export interface RedisLeaseStoreOptions {
  readonly connections: RedisConnections;
  readonly namespace: string;
  readonly keyPrefix: string;
  readonly requestTimeoutMs: number;
  readonly wait: ReplicaWait | undefined;
  readonly clock: Clock;
}

/** Leases on one Redis primary, judged by its clock. */
export class RedisLeaseStore implements LeaseStore {
  readonly #scripts: ScriptRunner;
  /** By election, since the nodes of a cluster have clocks of their own. */
  readonly #engineClocks = new Map<string, EngineClock>();

  constructor(private readonly options: RedisLeaseStoreOptions) {
    this.#scripts = new ScriptRunner(options.connections, (election) => this.#key(election));
  }

  async read(election: string, signal: AbortSignal): Promise<LeaseRecord> {
    const call = { operation: 'read', script: READ_SCRIPT, election, parts: [] };
    const ask = () => this.#scripts.run(call, signal);
    const [, ...state] = await this.#engineClock(election).learn(ask, ([time]) => tokenOf('read', time));
    return recordOf('read', state);
  }

  async acquire(claim: LeaseClaim, signal: AbortSignal): Promise<AcquireResult> {
    const operation = 'acquire';
    const { election, holder, identity, address = '', tokenAbove, basis } = claim;
    const connection = await this.#scripts.connected(operation, signal);
    const { epoch } = connection;
    const lifetime = String(Math.ceil(claim.leaseMs));
    const notAfter = this.#engineClock(election).notAfter()?.toString() ?? '';
    const parts = [holder, identity, lifetime, address, `${tokenAbove}`, notAfter, ...basisOf(basis)];
    const call = { operation, script: ACQUIRE_SCRIPT, election, parts };
    const [outcome, ...rest] = await this.#scripts.run(call, signal, connection);
    if (outcome === 'lost') return { won: false, record: recordOf(operation, rest) };
    if (outcome !== 'won') throw new EngineAnswerError(operation, `the outcome is "${outcome}"`);
    const [tokenText, version = ''] = rest;
    const token = tokenOf(operation, tokenText);
    const shortfall = await replicaShortfall({ operation, connection, epoch }, this.options.wait, signal);
    if (shortfall === undefined) return { won: true, token, version };
    // Followers who were told would all try, and fail the same way.
    await this.#giveBack({ election, holder, token }, '', signal);
    throw shortfall;
  }

  async renew(lease: OwnLease, signal: AbortSignal): Promise<RenewResult> {
    const operation = 'renew';
    const { election, holder, token } = lease;
    const connection = await this.#scripts.connected(operation, signal);
    const { epoch } = connection;
    const parts = [holder, `${token}`, String(Math.ceil(lease.leaseMs))];
    const call = { operation, script: RENEW_SCRIPT, election, parts };
    const [outcome, ...rest] = await this.#scripts.run(call, signal, connection);
    if (outcome === 'refused') return { renewed: false, record: recordOf(operation, rest) };
    if (outcome !== 'renewed') throw new EngineAnswerError(operation, `the outcome is "${outcome}"`);
    const shortfall = await replicaShortfall({ operation, connection, epoch }, this.options.wait, signal);
    if (shortfall !== undefined) throw shortfall;
    return { renewed: true, version: rest[0] ?? '' };
  }

  async release(lease: LeaseToRelease, signal: AbortSignal): Promise<void> {
    await this.#giveBack(lease, this.#channel(lease.election), signal);
  }

  async watch(election: string, onHint: () => void, signal: AbortSignal): Promise<void> {
    try {
      const subscriber = await this.options.connections.subscriber();
      await subscriber.untilReady(signal);
      await this.#listen(subscriber, election, onHint, signal);
    } catch (error) {
      if (!signal.aborted) throw asEngineError('subscribe', error);
    }
  }

  async diagnose(): Promise<Diagnosis[]> {
    return diagnoseRedis(this.options);
  }

  async close(): Promise<void> {
    await this.options.connections.close();
  }

  async #giveBack(
    { election, holder, token }: Pick<LeaseToRelease, 'election' | 'holder' | 'token'>,
    channel: string,
    signal: AbortSignal,
  ): Promise<void> {
    const parts = [holder, token === undefined ? '' : `${token}`, channel];
    await this.#scripts.run({ operation: 'release', script: RELEASE_SCRIPT, election, parts }, signal);
  }

  async #listen(subscriber: RedisConnection, election: string, onHint: () => void, signal: AbortSignal): Promise<void> {
    const over = new Deferred<void>();
    const unlisten = onAbort(signal, () => over.resolve());
    try {
      const lost = (error: unknown) => over.reject(error);
      const end = await subscriber.subscribe(this.#channel(election), onHint, lost, signal);
      // Before this was open there may have been a release.
      onHint();
      await over.promise.finally(end);
    } finally {
      unlisten();
    }
  }

  #engineClock(election: string): EngineClock {
    let known = this.#engineClocks.get(election);
    if (known === undefined) {
      known = new EngineClock(this.options.clock, this.options.requestTimeoutMs);
      this.#engineClocks.set(election, known);
    }
    return known;
  }

  #key(election: string): string {
    const { keyPrefix, namespace } = this.options;
    return `${keyPrefix}{${namespace}/${election}}`;
  }

  #channel(election: string): string {
    return `${this.#key(election)}:released`;
  }
}

/** Kind, token, version and holder, in the order of the scripts' states; empty is not compared. */
function basisOf(basis: LeaseRecord): string[] {
  if (basis.kind === 'absent') return ['absent', '', '', ''];
  const { kind, token = '', version = '' } = basis;
  return [kind, `${token}`, `${version}`, kind === 'held' ? basis.holder : ''];
}
