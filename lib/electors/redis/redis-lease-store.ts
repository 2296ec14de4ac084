import { randomUUID } from 'node:crypto';
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
import type { OnHint } from '../../core/lease/lease-watch.js';
import { releaseNotice } from '../../core/lease/release-notice.js';
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

/** A basis that no lease is ever in. */
const NO_STATE = 'none';

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
    const { election, holder } = claim;
    const connection = await this.#scripts.connected(operation, signal);
    const { epoch } = connection;
    const notAfter = this.#engineClock(election).notAfter()?.toString() ?? '';
    const parts = claimParts(claim, notAfter, basisOf(claim.basis));
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

  async watch(election: string, onHint: OnHint, signal: AbortSignal): Promise<void> {
    try {
      const subscriber = await this.options.connections.subscriber();
      await subscriber.untilReady(signal);
      await this.#listen(subscriber, election, onHint, signal);
    } catch (error) {
      if (!signal.aborted) throw asEngineError('subscribe', error);
    }
  }

  async rehearse(election: string, signal: AbortSignal): Promise<void> {
    const nobody = { election, holder: randomUUID(), identity: '', leaseMs: 1, address: '', tokenAbove: 0n };
    const parts = claimParts(nobody, '', [NO_STATE, '', '', '']);
    await this.#scripts.run({ operation: 'rehearse', script: ACQUIRE_SCRIPT, election, parts }, signal);
    await this.#giveBack({ ...nobody, token: 0n }, '', signal);
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

  async #listen(subscriber: RedisConnection, election: string, onHint: OnHint, signal: AbortSignal): Promise<void> {
    const over = new Deferred<void>();
    const unlisten = onAbort(signal, () => over.resolve());
    try {
      const lost = (error: unknown) => over.reject(error);
      const onMessage = (token: unknown) => onHint(releaseNotice(String(token)));
      const end = await subscriber.subscribe(this.#channel(election), onMessage, lost, signal);
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

/** In the order in which the script for an acquire takes them. */
function claimParts(claim: Omit<LeaseClaim, 'basis'>, notAfter: string, basis: readonly string[]): string[] {
  const { holder, identity, leaseMs, address = '', tokenAbove } = claim;
  return [holder, identity, String(Math.ceil(leaseMs)), address, `${tokenAbove}`, notAfter, ...basis];
}

/** Kind, token, version and holder, in the order of the scripts' states; empty is not compared. */
function basisOf(basis: LeaseRecord): string[] {
  if (basis.kind === 'absent') return ['absent', '', '', ''];
  const { kind, token = '', version = '' } = basis;
  return [kind, `${token}`, `${version}`, kind === 'held' ? basis.holder : ''];
}
