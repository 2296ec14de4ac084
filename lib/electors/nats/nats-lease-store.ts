import { onAbort } from '../../core/abort.js';
import { Deferred } from '../../core/deferred.js';
import type { Diagnosis } from '../../core/elector.js';
import { isStill } from '../../core/lease/lease-basis.js';
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
import { Slots } from '../../core/slots.js';
import { isJetStreamError, JETSTREAM_CODES } from './jetstream-error.js';
import type { ConditionalWrite, JetStream } from './jetstream.js';
import type { LeaseBucket } from './lease-bucket.js';
import { leaseKey } from './lease-key.js';
import { EMPTY_SLOT, heldText, isHeldBy, releasedText, slotOf, type Slot, type StoredMessage } from './lease-record.js';
import { diagnoseNats } from './nats-diagnosis.js';
import { asEngineError } from './nats-errors.js';

export interface NatsLeaseStoreOptions {
  readonly jetStream: JetStream;
  readonly bucket: LeaseBucket;
  readonly namespace: string;
  readonly requestTimeoutMs: number;
}

/** Far more than a request has time for. */
const CHANGE_ATTEMPTS = 100;
/** That no bucket ever reaches: a write that expects it changes nothing. */
const NO_SEQUENCE = Number.MAX_SAFE_INTEGER;

/**
 * Leases as records in a JetStream key-value bucket, judged by the sequence of their last write.
 *
 * Every write reads first, compares what it is to replace with what it knows, and is stored only if nothing was written
 * since. The sequence alone would not do: it begins again in a bucket that was created anew, and goes back where a server
 * has lost its last writes, so that the number that one remembers may be somebody else's record.
 */
export class NatsLeaseStore implements LeaseStore {
  readonly #turns = new Slots(1);

  constructor(private readonly options: NatsLeaseStoreOptions) {}

  async read(election: string, signal: AbortSignal): Promise<LeaseRecord> {
    const { bucket } = this.options;
    await bucket.ensure(signal);
    const { record } = await this.#look(election, signal);
    if (record.kind !== 'absent') return record;
    // Its bucket may have been deleted, and may have other settings now.
    bucket.forget();
    await bucket.ensure(signal);
    return record;
  }

  async acquire(claim: LeaseClaim, signal: AbortSignal): Promise<AcquireResult> {
    const { election, tokenAbove } = claim;
    let token = 0n;
    const { before, version } = await this.#change('acquire', election, signal, (slot) => {
      if (!isStill(slot.record, claim.basis)) return undefined;
      token = tokenFor(slot, tokenAbove);
      return heldText(claim, token);
    });
    if (version === undefined) return { won: false, record: before.record };
    if (before.writtenAtUs !== undefined && !this.options.bucket.isReplicated) return { won: true, token, version };
    const after = await this.#look(election, signal);
    if (version !== after.sequence) return { won: false, record: after.record };
    const { writtenAtUs = 0n } = after;
    if (before.writtenAtUs !== undefined || token >= writtenAtUs) return { won: true, token, version };
    // Where nothing was, nothing has told the time. Tokens of before the loss were below it.
    token = writtenAtUs;
    const write = { operation: 'acquire', election, payload: heldText(claim, token), expectedSequence: version };
    const rewritten = await this.#write(write, signal);
    return rewritten === undefined ? { won: false } : { won: true, token, version: rewritten };
  }

  async renew(lease: OwnLease, signal: AbortSignal): Promise<RenewResult> {
    const { election, token } = lease;
    const { record, sequence } = await this.#look(election, signal);
    if (!isHeldBy(record, lease)) return { renewed: false, record };
    const write = { operation: 'renew', election, payload: heldText(lease, token), expectedSequence: sequence };
    const version = await this.#write(write, signal);
    if (version !== undefined) return { renewed: true, version };
    return { renewed: false, record: (await this.#look(election, signal)).record };
  }

  async release(lease: LeaseToRelease, signal: AbortSignal): Promise<void> {
    const { election, holder } = lease;
    const { before, version } = await this.#change('release', election, signal, ({ record }) =>
      isHeldBy(record, lease) ? releasedText(lease, record.token ?? 0n) : undefined,
    );
    const { record, formerHolder } = before;
    // Also when the answer to an earlier release was lost.
    const isReleased = version !== undefined || (record.kind === 'released' && formerHolder === holder);
    if (isReleased && record.kind !== 'absent') await this.#tell(election, record.token, signal);
  }

  async watch(election: string, onHint: OnHint, signal: AbortSignal): Promise<void> {
    const over = new Deferred<void>();
    const unlisten = onAbort(signal, () => over.resolve());
    try {
      const { jetStream } = this.options;
      const end = await jetStream.subscribe(
        this.#noticeSubject(election),
        (error, message) => {
          if (signal.aborted) return;
          if (error) over.reject(error);
          else onHint(releaseNotice(message?.string() ?? ''));
        },
        signal,
      );
      // Before this was open there may have been a release.
      if (!signal.aborted) onHint();
      await over.promise.finally(end);
    } catch (error) {
      if (!signal.aborted) throw asEngineError('subscribe', error);
    } finally {
      unlisten();
    }
  }

  async rehearse(election: string, signal: AbortSignal): Promise<void> {
    const { sequence } = (await this.#lookToWrite(election, signal)).before;
    // Nobody leads, so that nobody needs it; there may be no bucket either.
    if (sequence === 0) return;
    const nobody = { election, holder: 'nobody', identity: '', leaseMs: 1 };
    const write = { operation: 'rehearse', election, payload: heldText(nobody, 0n), expectedSequence: NO_SEQUENCE };
    await this.#write(write, signal);
  }

  diagnose(): Promise<Diagnosis[]> {
    return diagnoseNats(this.options);
  }

  close(): Promise<void> {
    return this.options.jetStream.close();
  }

  /** From the stream's leader, which has all that was acknowledged. */
  async #look(election: string, signal: AbortSignal): Promise<Slot> {
    const { bucket, jetStream } = this.options;
    const key = this.#key(election);
    const body = { last_by_subj: bucket.subject(key) };
    try {
      const { message } = await jetStream.ask(`STREAM.MSG.GET.${bucket.stream}`, body, signal);
      return slotOf(key, message as StoredMessage);
    } catch (error) {
      const { noMessageFound, streamNotFound } = JETSTREAM_CODES;
      if (isJetStreamError(error, noMessageFound, streamNotFound)) return EMPTY_SLOT;
      throw asEngineError('read', error);
    }
  }

  /**
   * Replaces what is there by what is wanted instead, if anything; again when something was written meanwhile, be it to
   * another key. One after the other: on a cluster those of one process would only be in each other's way.
   *
   * @returns what was there, and the sequence of what was written in its place; `undefined`: nothing was
   */
  async #change(
    operation: string,
    election: string,
    signal: AbortSignal,
    wanted: (slot: Slot) => string | undefined,
  ): Promise<{ readonly before: Slot; readonly version: number | undefined }> {
    const leave = this.options.bucket.isReplicated ? await this.#turns.enter(signal) : undefined;
    try {
      for (let attempt = 1; attempt <= CHANGE_ATTEMPTS; attempt++) {
        const { before, expectedStreamSequence } = await this.#lookToWrite(election, signal);
        const payload = wanted(before);
        if (payload === undefined) return { before, version: undefined };
        if (before.sequence > (expectedStreamSequence ?? NO_SEQUENCE)) continue;
        const write = { operation, election, payload, expectedSequence: before.sequence, expectedStreamSequence };
        const version = await this.#write(write, signal);
        if (version !== undefined) return { before, version };
      }
    } finally {
      leave?.();
    }
    throw new Error(`NATS has too many writers: "${operation}" has found another write in its place again and again.`);
  }

  /** What is there, and what a write in its place has to expect of the whole stream. */
  async #lookToWrite(election: string, signal: AbortSignal) {
    const { bucket } = this.options;
    if (!bucket.isReplicated) {
      const [streamSequence, before] = await Promise.all([bucket.streamSequence(signal), this.#look(election, signal)]);
      if (streamSequence === undefined) return { before, expectedStreamSequence: undefined };
    }
    // Ahead of the look: what that finds is then known to be the last one of the key up to here.
    const expectedStreamSequence = await bucket.streamSequence(signal);
    return { before: await this.#look(election, signal), expectedStreamSequence };
  }

  /** The sequence of what was written; `undefined`: something else was written since, and nothing was now. */
  #write(
    { election, ...write }: Omit<ConditionalWrite, 'stream' | 'subject'> & { readonly election: string },
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const { bucket, jetStream } = this.options;
    return jetStream.write({ ...write, stream: bucket.stream, subject: bucket.subject(this.#key(election)) }, signal);
  }

  /** Rivals, that a term was released. Not heard of it, they find out by looking. */
  async #tell(election: string, token: bigint | undefined, signal: AbortSignal): Promise<void> {
    await this.options.jetStream.publish(this.#noticeSubject(election), `${token}`, signal);
  }

  #key(election: string): string {
    return leaseKey(this.options.namespace, election);
  }

  #noticeSubject(election: string): string {
    return `nestjs-lifecycle.released.${this.options.bucket.name}.${this.#key(election)}`;
  }
}

/** Above all that came before, and not below the server's clock when the record was written that is replaced. */
function tokenFor({ record, writtenAtUs = 0n }: Slot, tokenAbove: bigint): bigint {
  const last = record.kind === 'absent' ? 0n : (record.token ?? 0n);
  return [last + 1n, tokenAbove + 1n, writtenAtUs].reduce((most, it) => (it > most ? it : most));
}
