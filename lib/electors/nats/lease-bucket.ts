import { EngineAnswerError, EngineRefusalError } from '../../core/errors.js';
import type { Diagnosis } from '../../core/elector.js';
import { judgeBucket, type BucketConfig } from './bucket-settings.js';
import { isJetStreamError, JETSTREAM_CODES } from './jetstream-error.js';
import type { ApiAnswer, JetStream } from './jetstream.js';

export interface LeaseBucketOptions {
  readonly name: string;
  /** Of the elector; a bucket that forgets sooner cannot hold its leases. */
  readonly leaseMs: number;
  readonly replicas?: number;
}

/** What the server says of a bucket. */
export interface BucketInfo {
  readonly config: BucketConfig;
  /** When it was created, by the server's clock. */
  readonly created: string;
  /** Whether the server is one of a cluster. */
  readonly isClustered: boolean;
  /** Of the last message that was written. */
  readonly lastSequence: number;
}

/** As the tools of NATS number a bucket that they create. */
const DUPLICATE_WINDOW_NS = 120_000_000_000;

/** The key-value bucket that leases are kept in: a stream of which each subject is a key. */
export class LeaseBucket {
  #isChecked = false;
  #isReplicated = false;
  #created: string | undefined;
  /** When it was created anew while it was in use here, last. */
  #recreated: string | undefined;

  constructor(
    private readonly jetStream: JetStream,
    private readonly options: LeaseBucketOptions,
  ) {}

  get name(): string {
    return this.options.name;
  }

  get stream(): string {
    return `KV_${this.options.name}`;
  }

  /** When the bucket was deleted and created anew while this process used it, by the server's clock. */
  get recreated(): string | undefined {
    return this.#recreated;
  }

  /** By what was heard of it last. */
  get isReplicated(): boolean {
    return this.#isReplicated;
  }

  subject(key: string): string {
    return `$KV.${this.options.name}.${key}`;
  }

  /** Makes sure, once, that there is a bucket that leases can work on. @throws EngineRefusalError when there cannot be */
  async ensure(signal: AbortSignal): Promise<void> {
    if (this.#isChecked) return;
    const info = (await this.info(signal)) ?? (await this.#create(signal));
    this.#noteCreated(info);
    const refused = this.judge(info).find(({ level }) => level === 'error');
    if (refused !== undefined) throw new EngineRefusalError(`${refused.summary} ${refused.remedy ?? ''}`.trim());
    this.#isChecked = true;
  }

  /** It may be another one than was checked. */
  forget(): void {
    this.#isChecked = false;
  }

  /**
   * What a write has to expect of the whole stream; `undefined` where it need not: on one server.
   *
   * Servers of a cluster compare the sequence of one key before they agree on a write, not when they store it: of two
   * writes that come at once both may be stored, until 2.9.21 often, since then around a change of the stream's leader.
   * That of the stream they compare when they store.
   */
  async streamSequence(signal: AbortSignal): Promise<number | undefined> {
    const info = await this.info(signal);
    return this.#isReplicated ? info?.lastSequence : undefined;
  }

  /** `undefined`: there is none. */
  async info(signal: AbortSignal): Promise<BucketInfo | undefined> {
    try {
      const info = infoOf(await this.jetStream.ask(`STREAM.INFO.${this.stream}`, {}, signal));
      this.#isReplicated = (info.config.num_replicas ?? 1) > 1;
      return info;
    } catch (error) {
      if (isJetStreamError(error, JETSTREAM_CODES.streamNotFound)) return undefined;
      throw error;
    }
  }

  judge({ config, isClustered }: BucketInfo): Diagnosis[] {
    return judgeBucket(config, { ...this.options, isClustered, subject: this.subject('>') });
  }

  /** Another replica may create it at the same time: then that is the one. */
  async #create(signal: AbortSignal): Promise<BucketInfo> {
    try {
      return infoOf(await this.jetStream.ask(`STREAM.CREATE.${this.stream}`, this.#newConfig(), signal));
    } catch (error) {
      if (!isJetStreamError(error, JETSTREAM_CODES.streamNameInUse)) throw error;
      const info = await this.info(signal);
      if (info !== undefined) return info;
      throw error;
    }
  }

  /** As the tools of NATS create one, so that they can show it. */
  #newConfig(): object {
    return {
      name: this.stream,
      description: 'Leases of nestjs-lifecycle',
      subjects: [this.subject('>')],
      retention: 'limits',
      storage: 'file',
      num_replicas: this.options.replicas ?? 1,
      max_msgs_per_subject: 1,
      max_msgs: -1,
      max_bytes: -1,
      max_age: 0,
      max_msg_size: -1,
      max_consumers: -1,
      discard: 'new',
      duplicate_window: DUPLICATE_WINDOW_NS,
      deny_delete: true,
      allow_rollup_hdrs: true,
      allow_direct: true,
    };
  }

  #noteCreated({ created }: BucketInfo): void {
    if (this.#created !== undefined && this.#created !== created) this.#recreated = created;
    this.#created = created;
  }
}

function infoOf(answer: ApiAnswer): BucketInfo {
  const { config, created, state, cluster } = answer as {
    config?: unknown;
    created?: unknown;
    state?: { last_seq?: unknown };
    cluster?: { name?: unknown };
  };
  if (typeof config !== 'object' || config === null || typeof created !== 'string') {
    throw new EngineAnswerError('STREAM.INFO', 'it has no config');
  }
  return {
    config,
    created,
    isClustered: typeof cluster?.name === 'string',
    lastSequence: Number(state?.last_seq ?? 0),
  };
}
