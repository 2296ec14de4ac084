import { Agent as HttpAgent, request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { ClusterAccess } from './cluster-access.js';

export interface HttpCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With its query. */
  readonly path: string;
  readonly body?: string;
  /** The answer has no end of its own: a connection of its own carries it. */
  readonly isStream: boolean;
}

const AGENT_OPTIONS = { keepAlive: true, maxFreeSockets: 8, scheduling: 'lifo', noDelay: true } as const;

/** Connections to an API server. They are kept open between requests, and not beyond a change of certificates. */
export class ApiTransport {
  #agent: HttpAgent | undefined;
  #agentFor = '';

  /**
   * Sends one request, in this tick.
   *
   * @returns its answer, of which the body is still to be read
   * @throws the signal's reason, and what the network throws. When the signal aborts, the request is cut off; one that has
   *   left already may still be carried out
   */
  async send(access: ClusterAccess, call: HttpCall, signal: AbortSignal): Promise<IncomingMessage> {
    signal.throwIfAborted();
    const request = this.#open(access, call, signal);
    try {
      return await answerTo(request, call.body);
    } catch (error) {
      signal.throwIfAborted();
      // An idle connection that the server closes while the request is on its way: what only reads is sent again.
      if (request.reusedSocket && call.method === 'GET' && isReset(error)) return this.send(access, call, signal);
      throw error;
    }
  }

  close(): void {
    this.#agent?.destroy();
    this.#agent = undefined;
  }

  #open(access: ClusterAccess, { method, path, body, isStream }: HttpCall, signal: AbortSignal): ClientRequest {
    const url = new URL(`${access.url}${path}`);
    const isPlain = url.protocol === 'http:';
    const headers = {
      accept: 'application/json',
      ...access.headers,
      ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    };
    const agent = this.#agentOf(access, isPlain);
    const options = { method, headers, signal, agent: isStream ? false : agent };
    const request = isPlain ? httpRequest(url, options) : httpsRequest(url, { ...options, ...access.tls });
    // What has gone wrong with one connection has mostly gone wrong with the idle ones too, and each would cost a timeout.
    if (!isStream) request.once('error', () => dropIdle(agent));
    return request;
  }

  #agentOf({ tls, url }: ClusterAccess, isPlain: boolean): HttpAgent {
    const what = JSON.stringify([new URL(url).origin, tls]);
    if (this.#agent !== undefined && this.#agentFor === what) return this.#agent;
    // Requests that are under way on the old one end as they would have.
    if (this.#agent !== undefined) dropIdle(this.#agent);
    this.#agent = isPlain ? new HttpAgent(AGENT_OPTIONS) : new HttpsAgent({ ...AGENT_OPTIONS, ...tls });
    this.#agentFor = what;
    return this.#agent;
  }
}

function dropIdle(agent: HttpAgent): void {
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
}

function answerTo(request: ClientRequest, body: string | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve);
    // For good: a connection may break after the answer has begun, which its reader is told of.
    request.on('error', reject);
    request.end(body);
  });
}

function isReset(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === 'ECONNRESET' || code === 'EPIPE';
}
