import { onAbort } from '../../core/abort.js';
import type { Clock } from '../../core/clock.js';
import { EngineAnswerError, RequestTimeoutError } from '../../core/errors.js';
import type { OnHint } from '../../core/lease/lease-watch.js';
import type { EtcdClient } from './etcd-client.js';
import { GatewayError, gatewayError, isObject } from './gateway-error.js';
import type { LeaseSight } from './lease-sight.js';
import { recordOf } from './lease-value.js';

export interface KeyWatchOptions {
  readonly client: EtcdClient;
  readonly clock: Clock;
  readonly requestTimeoutMs: number;
  /** In base64. */
  readonly key: string;
  readonly sight: LeaseSight;
  readonly onHint: OnHint;
}

/** Of gRPC: the cancellation of a stream has it as a text only. */
const DESCRIPTION = /^rpc error: code = \w+ desc = /;

/** One stream of what is written to a key, from its opening to its end. */
export class KeyWatch {
  readonly #control = new AbortController();
  #isOpen = false;
  #unwatch: () => void = () => undefined;

  constructor(private readonly options: KeyWatchOptions) {}

  /** @throws unless the signal has ended it: when it breaks, is not opened in time, or turns out to be mute */
  async run(signal: AbortSignal): Promise<void> {
    const { client, clock, key, requestTimeoutMs } = this.options;
    const unlisten = onAbort(signal, () => this.#control.abort(signal.reason));
    const onTimeout = () => {
      if (!this.#isOpen) this.#control.abort(new RequestTimeoutError('watch', requestTimeoutMs));
    };
    const cancelTimer = clock.setTimer(onTimeout, requestTimeoutMs, { background: true });
    try {
      const body = { create_request: { key } };
      await client.stream('/v3/watch', body, this.#control.signal, (message) => this.#take(message));
      throw new Error('etcd has ended the watch');
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      cancelTimer();
      unlisten();
      this.#unwatch();
    }
  }

  #take(message: unknown): void {
    if (this.#control.signal.aborted) return;
    const result = isObject(message) ? message['result'] : undefined;
    if (!isObject(result)) throw gatewayError(message, 0);
    const { created, canceled, events, header } = result;
    if (canceled === true) throw cancellation(result);
    if (created === true) this.#opened(header);
    for (const event of Array.isArray(events) ? events : []) this.#takeEvent(event);
  }

  #opened(header: unknown): void {
    this.#isOpen = true;
    const onMute = () => this.#control.abort(new Error('The watch has not told of a write that was read'));
    this.#unwatch = this.options.sight.watched(revisionOf(header, 'revision'), onMute);
    // Before this was open there may have been a release.
    this.options.onHint();
  }

  #takeEvent(event: unknown): void {
    const { type, kv } = isObject(event) ? event : {};
    const { onHint, sight } = this.options;
    const revision = revisionOf(kv, 'mod_revision');
    // The gateway leaves out what is the first of its kind: PUT.
    if (type !== undefined && type !== 'PUT') {
      sight.tell(revision, undefined);
      return onHint();
    }
    const record = this.#recordOf(kv);
    sight.tell(revision, record?.version);
    if (record?.kind === 'held') return;
    if (record?.kind === 'released' && record.token !== undefined) return onHint({ token: record.token });
    onHint();
  }

  /** `undefined`: somebody else has written it. The next read will say so. */
  #recordOf(keyValue: unknown): ReturnType<typeof recordOf> | undefined {
    try {
      return recordOf('watch', keyValue);
    } catch {
      return undefined;
    }
  }
}

function cancellation({
  cancel_reason: reason,
  compact_revision: compacted,
}: Readonly<Record<string, unknown>>): Error {
  if (typeof reason === 'string' && reason !== '') return new GatewayError(reason.replace(DESCRIPTION, ''), 0);
  const why = compacted === undefined ? '' : `: revision ${JSON.stringify(compacted)} was compacted`;
  return new GatewayError(`etcd has cancelled the watch${why}`, 0);
}

/** @throws EngineAnswerError */
function revisionOf(fields: unknown, name: string): bigint {
  const revision = isObject(fields) ? fields[name] : undefined;
  if (typeof revision === 'string' && /^\d+$/.test(revision)) return BigInt(revision);
  throw new EngineAnswerError('watch', `"${name}" is ${JSON.stringify(revision)}`);
}
