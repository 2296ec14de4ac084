import { EngineAnswerError } from '../../core/errors.js';
import { isJetStreamError, JETSTREAM_CODES, JetStreamError } from './jetstream-error.js';
import type { NatsMessage } from './nats-client.js';
import type { NatsConnections } from './nats-connections.js';
import { asEngineError } from './nats-errors.js';
import type { NatsLink, NatsRequest, OnMessage } from './nats-link.js';
import { loadNats } from './own-connection.js';

/** What a JetStream API answers. */
export type ApiAnswer = Readonly<Record<string, unknown>>;

/** A message that is stored only if the last one on its subject is the one that is expected; 0: if there is none. */
export interface ConditionalWrite {
  readonly operation: string;
  readonly stream: string;
  readonly subject: string;
  readonly payload: string;
  readonly expectedSequence: number;
  /** Of the last message of the whole stream, which is compared too. */
  readonly expectedStreamSequence?: number | undefined;
}

/** As much of the JetStream API as is used, over requests of the core protocol. Nothing is sent after a signal aborted. */
export class JetStream {
  constructor(private readonly connections: NatsConnections) {}

  /** @throws JetStreamError, or EngineRefusalError instead where only somebody's action helps; what the connection threw */
  async ask(api: string, body: object, signal: AbortSignal): Promise<ApiAnswer> {
    const message = await this.#send(api, { subject: `$JS.API.${api}`, payload: JSON.stringify(body) }, signal);
    try {
      return answerOf(api, message);
    } catch (error) {
      throw asEngineError(api, error);
    }
  }

  /**
   * @returns the sequence of what was stored; `undefined` when the last message was another one, and nothing was stored
   * @throws as `ask()`
   */
  async write(write: ConditionalWrite, signal: AbortSignal): Promise<number | undefined> {
    const { operation, stream, subject, payload, expectedSequence, expectedStreamSequence } = write;
    const headers = (await loadNats()).headers();
    headers.set('Nats-Expected-Stream', stream);
    headers.set('Nats-Expected-Last-Subject-Sequence', String(expectedSequence));
    if (expectedStreamSequence !== undefined) {
      headers.set('Nats-Expected-Last-Sequence', String(expectedStreamSequence));
    }
    try {
      const answer = answerOf(operation, await this.#send(operation, { subject, payload, headers }, signal));
      if (typeof answer['seq'] === 'number') return answer['seq'];
    } catch (error) {
      const { wrongLastSequence, wrongLastSequenceUnsaid } = JETSTREAM_CODES;
      if (isJetStreamError(error, wrongLastSequence, wrongLastSequenceUnsaid)) return undefined;
      throw asEngineError(operation, error);
    }
    throw new EngineAnswerError(operation, 'it has no sequence');
  }

  /** To whoever listens now, if there is a connection. */
  async publish(subject: string, payload: string, signal: AbortSignal): Promise<void> {
    (await this.connections.link(signal)).publish(subject, payload);
  }

  /** As `NatsLink.subscribe()`. */
  async subscribe(subject: string, onMessage: OnMessage, signal: AbortSignal): Promise<() => void> {
    return (await this.connections.link(signal)).subscribe(subject, onMessage, signal);
  }

  /** Of the server that it is connected to. @throws as `ask()` */
  async serverVersion(signal: AbortSignal): Promise<string> {
    const link = await this.#link('connect', signal);
    await link.untilUp(signal);
    return link.client.info?.version ?? 'of unknown version';
  }

  close(): Promise<void> {
    return this.connections.close();
  }

  async #send(operation: string, request: NatsRequest, signal: AbortSignal): Promise<NatsMessage> {
    const link = await this.#link(operation, signal);
    try {
      return await link.request(request, signal);
    } catch (error) {
      throw signal.aborted ? error : asEngineError(operation, error, link.client.info);
    }
  }

  async #link(operation: string, signal: AbortSignal): Promise<NatsLink> {
    try {
      return await this.connections.link(signal);
    } catch (error) {
      throw signal.aborted ? error : asEngineError(operation, error);
    }
  }
}

function answerOf(operation: string, message: NatsMessage): ApiAnswer {
  const answer = parsed(operation, message.string());
  const error = answer['error'] as { code?: unknown; err_code?: unknown; description?: unknown } | null | undefined;
  if (error === undefined || error === null) return answer;
  throw new JetStreamError(Number(error.code), Number(error.err_code), String(error.description));
}

function parsed(operation: string, text: string): ApiAnswer {
  try {
    const answer: unknown = JSON.parse(text);
    if (typeof answer === 'object' && answer !== null) return answer as ApiAnswer;
  } catch {
    // Said below.
  }
  throw new EngineAnswerError(operation, 'it is no JSON object');
}
