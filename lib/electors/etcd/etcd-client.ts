import { EtcdAuth, type EtcdCredentials } from './etcd-auth.js';
import { EtcdEndpoint, type GatewayAnswer, type GatewayCall } from './etcd-endpoint.js';
import { asEngineError, isStaleToken, mayAnswerElsewhere } from './etcd-errors.js';
import type { EtcdTls } from './etcd-tls.js';

export interface EtcdClientOptions {
  readonly endpoints: readonly string[];
  readonly tls: EtcdTls | undefined;
  readonly credentials: EtcdCredentials | undefined;
}

/** Streams end when their member has no leader, instead of being silent. */
const NEEDS_LEADER = { 'grpc-metadata-hasleader': 'true' };

type Attempt<T> = (endpoint: EtcdEndpoint) => Promise<T>;

/**
 * The JSON gateway of a cluster. A request goes to the member that answered last; when that does not, to the next one.
 *
 * So a request may be done twice, and nothing may be sent through this that does harm then.
 */
export class EtcdClient {
  readonly endpoints: readonly EtcdEndpoint[];
  readonly #auth: EtcdAuth;
  #current = 0;

  constructor({ endpoints, tls, credentials }: EtcdClientOptions) {
    this.endpoints = endpoints.map((url) => new EtcdEndpoint(url, tls));
    this.#auth = new EtcdAuth(credentials);
  }

  /** @throws EngineRefusalError; the signal's reason; what the member said that was asked last */
  async call(operation: string, path: string, body: object, signal: AbortSignal): Promise<GatewayAnswer> {
    return this.#anywhere(operation, signal, (endpoint) => this.callOn(endpoint, path, body, signal));
  }

  /** Asks that member and no other. @throws GatewayError, for example */
  async callOn(endpoint: EtcdEndpoint, path: string, body: object, signal: AbortSignal): Promise<GatewayAnswer> {
    return this.#authorized(endpoint, { path, body }, signal, (call) => endpoint.post(call, signal));
  }

  /** Hands over the messages of one stream until the server ends it. @throws as `call()`, and what `onMessage` throws */
  async stream(path: string, body: object, signal: AbortSignal, onMessage: (message: unknown) => void): Promise<void> {
    const index = this.#current;
    const endpoint = this.#at(index);
    const send = (call: GatewayCall) => endpoint.stream(call, signal, onMessage);
    try {
      await this.#authorized(endpoint, { path, body, headers: NEEDS_LEADER }, signal, send);
    } catch (error) {
      if (signal.aborted) throw error;
      if (mayAnswerElsewhere(error)) this.#turnFrom(index);
      throw asEngineError('watch', error);
    }
  }

  close(): void {
    this.endpoints.forEach((it) => it.close());
  }

  async #authorized<T>(
    endpoint: EtcdEndpoint,
    call: GatewayCall,
    signal: AbortSignal,
    send: (call: GatewayCall) => Promise<T>,
  ): Promise<T> {
    const headers = await this.#auth.headers(endpoint, signal);
    try {
      return await send({ ...call, headers: { ...call.headers, ...headers } });
    } catch (error) {
      if (!this.#auth.hasCredentials || !isStaleToken(error)) throw error;
      this.#auth.forget(headers);
      return send({ ...call, headers: { ...call.headers, ...(await this.#auth.headers(endpoint, signal)) } });
    }
  }

  async #anywhere<T>(operation: string, signal: AbortSignal, attempt: Attempt<T>): Promise<T> {
    const first = this.#current;
    let failure: unknown;
    for (let step = 0; step < this.endpoints.length; step++) {
      const index = (first + step) % this.endpoints.length;
      try {
        const answer = await attempt(this.#at(index));
        this.#current = index;
        return answer;
      } catch (error) {
        failure = error;
        if (!signal.aborted && !mayAnswerElsewhere(error)) break;
        this.#turnFrom(index);
        if (signal.aborted) throw error;
      }
    }
    throw asEngineError(operation, failure);
  }

  #at(index: number): EtcdEndpoint {
    const endpoint = this.endpoints[index];
    if (endpoint === undefined) throw new RangeError(`There is no endpoint ${index}`);
    return endpoint;
  }

  /** Somebody else may have turned to another one already. */
  #turnFrom(index: number): void {
    if (this.#current === index) this.#current = (index + 1) % this.endpoints.length;
  }
}
