import type { IncomingMessage } from 'node:http';
import { untilAbort } from '../../core/abort.js';
import type { Clock } from '../../core/clock.js';
import { EngineAnswerError } from '../../core/errors.js';
import { errorOf } from './api-errors.js';
import type { ApiTransport } from './api-transport.js';
import type { ClusterAccess, ClusterAccessCache } from './cluster-access.js';

export type ApiVerb = 'get' | 'create' | 'update' | 'delete' | 'watch';

/** One request about Leases. */
export interface ApiCall {
  /** In the words of RBAC. */
  readonly verb: ApiVerb;
  /** Of the Lease; without one the call is about all of the namespace. */
  readonly name?: string;
  /** What it is about, if not Leases. */
  readonly path?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** Statuses that are an answer, and no error. */
  readonly expected: readonly number[];
}

export interface ApiAnswer {
  readonly status: number;
  readonly body: unknown;
}

const METHODS = { get: 'GET', create: 'POST', update: 'PUT', delete: 'DELETE', watch: 'GET' } as const;
const UNAUTHORIZED = 401;
const TOO_MANY_REQUESTS = 429;

/** Where Leases are: which API server, as whom, and in which namespace of it. */
export interface ApiPlace {
  readonly access: ClusterAccessCache;
  readonly transport: ApiTransport;
  readonly clock: Clock;
  /** @default the one that goes with the access, else "default" */
  readonly leaseNamespace?: string;
  /** An answer that asks for a pause is followed for so long at most, in milliseconds: a term must not be lost by it. */
  readonly longestPauseMs: number;
}

/** Sends what is asked about Leases, as whoever it is now, and tells answers from errors. */
export class ApiClient {
  #pausedUntil = Number.NEGATIVE_INFINITY;

  constructor(private readonly place: ApiPlace) {}

  /** @throws EngineRefusalError, ApiStatusError, and what the network throws */
  async call(call: ApiCall, signal: AbortSignal): Promise<ApiAnswer> {
    const { response, namespace } = await this.#send(call, signal);
    const answer = { status: response.statusCode ?? 0, body: await jsonOf(response, call) };
    if (call.expected.includes(answer.status)) return answer;
    throw errorOf(answer, call, namespace);
  }

  /** The answer to a call that goes on for as long as the server has something to tell. */
  async stream(call: ApiCall, signal: AbortSignal): Promise<IncomingMessage> {
    const { response, namespace } = await this.#send(call, signal);
    const { statusCode: status = 0 } = response;
    if (call.expected.includes(status)) return response;
    throw errorOf({ status, body: await jsonOf(response, call) }, call, namespace);
  }

  /** Where the Leases are. */
  async namespace(): Promise<string> {
    return this.#namespaceOf(await this.place.access.current());
  }

  close(): void {
    this.place.transport.close();
  }

  /** Once more with credentials that were looked up anew, when those of now are not accepted: they may have been replaced. */
  async #send(call: ApiCall, signal: AbortSignal) {
    const { access: cache } = this.place;
    for (let attempt = 0; ; attempt++) {
      this.#assertNotPaused(call);
      // What it is looked up by, a program for example, may hang.
      const access = await untilAbort(cache.current(), signal);
      const response = await this.#sendAs(access, call, signal);
      if (response.statusCode === TOO_MANY_REQUESTS) this.#pause(response);
      if (response.statusCode !== UNAUTHORIZED) return { response, namespace: this.#namespaceOf(access) };
      cache.reject(access);
      if (attempt > 0) return { response, namespace: this.#namespaceOf(access) };
      response.resume();
    }
  }

  #sendAs(access: ClusterAccess, call: ApiCall, signal: AbortSignal): Promise<IncomingMessage> {
    const { verb, name, query, body } = call;
    const path = call.path ?? `/apis/coordination.k8s.io/v1/namespaces/${this.#namespaceOf(access)}/leases`;
    const search = query === undefined ? '' : `?${new URLSearchParams(query).toString()}`;
    return this.place.transport.send(
      access,
      {
        method: METHODS[verb],
        path: `${path}${name === undefined ? '' : `/${name}`}${search}`,
        isStream: verb === 'watch',
        ...(body !== undefined && { body: JSON.stringify(body) }),
      },
      signal,
    );
  }

  #namespaceOf({ namespace }: ClusterAccess): string {
    return this.place.leaseNamespace ?? namespace ?? 'default';
  }

  #pause({ headers }: IncomingMessage): void {
    const seconds = Number(headers['retry-after'] ?? 1);
    const askedMs = Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 1000;
    this.#pausedUntil = this.place.clock.now() + Math.min(askedMs, this.place.longestPauseMs);
  }

  #assertNotPaused(call: ApiCall): void {
    const leftMs = this.#pausedUntil - this.place.clock.now();
    if (leftMs <= 0) return;
    const body = { message: `it asked for a pause, of which ${Math.ceil(leftMs)} ms are left; nothing was sent` };
    throw errorOf({ status: TOO_MANY_REQUESTS, body }, call, '');
  }
}

async function jsonOf(response: IncomingMessage, { verb }: ApiCall): Promise<unknown> {
  const pieces: Buffer[] = [];
  for await (const piece of response) pieces.push(piece as Buffer);
  const text = Buffer.concat(pieces).toString();
  try {
    return JSON.parse(text);
  } catch {
    const isError = (response.statusCode ?? 0) >= 300;
    // A load balancer, or a proxy on the way, answers in its own words.
    if (isError) return { message: text.slice(0, 200) || (response.statusMessage ?? '') };
    throw new EngineAnswerError(verb, 'it is no JSON');
  }
}
