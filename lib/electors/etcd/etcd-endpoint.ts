import { Agent as HttpAgent, request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { TLSSocket } from 'node:tls';
import { onAbort } from '../../core/abort.js';
import type { EtcdTls } from './etcd-tls.js';
import { GatewayError, gatewayError } from './gateway-error.js';
import { jsonLines } from './json-lines.js';

/** One request to the gateway. */
export interface GatewayCall {
  readonly path: string;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface GatewayAnswer {
  readonly body: unknown;
  /** The server's time of day in milliseconds, of which HTTP tells the second. */
  readonly dateMs: number | undefined;
}

/** Far more than any answer about one key. */
const LARGEST_ANSWER = 1 << 20;
/** A network that has forgotten a connection tells nobody; the kernel asks this often. */
const KEEP_ALIVE_MS = 10_000;

/** One member of the cluster, and the connections to it. */
export class EtcdEndpoint {
  readonly #agent: HttpAgent;
  readonly #send: typeof httpRequest;

  constructor(
    readonly url: string,
    tls: EtcdTls = {},
  ) {
    const options = { keepAlive: true, keepAliveMsecs: KEEP_ALIVE_MS, scheduling: 'lifo' } as const;
    const isSecure = url.startsWith('https:');
    const { ca, ...others } = tls;
    const authorities = ca === undefined ? {} : { ca: typeof ca === 'string' || Buffer.isBuffer(ca) ? ca : [...ca] };
    this.#agent = isSecure ? new HttpsAgent({ ...options, ...others, ...authorities }) : new HttpAgent(options);
    this.#send = isSecure ? httpsRequest : httpRequest;
  }

  /** @throws GatewayError, for any answer but a success; the signal's reason; an error of the connection */
  async post(call: GatewayCall, signal: AbortSignal): Promise<GatewayAnswer> {
    return this.#exchange(call, signal, async (response) => {
      const body = parsed(await textOf(response));
      const status = response.statusCode ?? 0;
      if (status !== 200) throw gatewayError(body, status);
      if (body === undefined) throw new GatewayError('the answer is not JSON', status);
      const dateMs = Date.parse(response.headers.date ?? '');
      return { body, dateMs: Number.isNaN(dateMs) ? undefined : dateMs };
    });
  }

  /** Hands over each message of a stream until the server ends it. @throws as `post()`, and what `onMessage` throws */
  async stream(call: GatewayCall, signal: AbortSignal, onMessage: (message: unknown) => void): Promise<void> {
    await this.#exchange(call, signal, async (response) => {
      const status = response.statusCode ?? 0;
      if (status !== 200) throw gatewayError(parsed(await textOf(response)), status);
      response.socket.setKeepAlive(true, KEEP_ALIVE_MS);
      for await (const message of jsonLines(response)) onMessage(message);
    });
  }

  /** The next requests go over connections that are new. */
  dropIdle(): void {
    for (const sockets of Object.values(this.#agent.freeSockets)) sockets?.forEach((it) => it.destroy());
  }

  close(): void {
    this.#agent.destroy();
  }

  async #exchange<T>(
    call: GatewayCall,
    signal: AbortSignal,
    take: (response: IncomingMessage) => Promise<T>,
  ): Promise<T> {
    for (;;) {
      signal.throwIfAborted();
      const request = this.#request(call);
      const unlisten = onAbort(signal, () => cut(request));
      let response: IncomingMessage | undefined;
      try {
        response = await responseTo(request, call.body);
        return await take(response);
      } catch (error) {
        if (signal.aborted) {
          // Whatever else is open to a server that does not answer may be as dead.
          this.dropIdle();
          throw signal.reason;
        }
        // Closed while it was idle, most likely. If not, it is sent twice: harmless, since each write is compared.
        if (!request.reusedSocket || response !== undefined) throw error;
        this.dropIdle();
      } finally {
        unlisten();
        if (response?.complete !== true) request.destroy();
      }
    }
  }

  #request({ path, headers }: GatewayCall): ClientRequest {
    return this.#send(`${this.url}${path}`, {
      method: 'POST',
      agent: this.#agent,
      headers: { ...headers, 'content-type': 'application/json' },
    });
  }
}

function responseTo(request: ClientRequest, body: object): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    // Stays: what breaks later is told by the response, and must not end the process.
    request.on('error', reject);
    request.once('response', resolve);
    request.end(JSON.stringify(body));
  });
}

/** By a reset where TCP is ours: what still waits to be sent in this machine would arrive when the network is back. */
function cut(request: ClientRequest): void {
  const { socket } = request;
  if (socket !== null && !(socket instanceof TLSSocket) && !socket.connecting && !socket.destroyed) {
    socket.resetAndDestroy();
  }
  request.destroy();
}

async function textOf(response: IncomingMessage): Promise<string> {
  response.setEncoding('utf8');
  let text = '';
  for await (const part of response) {
    text += String(part);
    if (text.length > LARGEST_ANSWER) throw new GatewayError('the answer is too long', response.statusCode ?? 0);
  }
  return text;
}

/** `undefined`: it is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
