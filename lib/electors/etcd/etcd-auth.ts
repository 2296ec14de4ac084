import { untilAbort } from '../../core/abort.js';
import type { EtcdEndpoint } from './etcd-endpoint.js';
import { isAuthDisabled } from './etcd-errors.js';
import { GatewayError, isObject } from './gateway-error.js';

export interface EtcdCredentials {
  readonly username: string;
  readonly password: string;
}

/** A question for a token that is under way. */
interface Asking {
  readonly answer: Promise<string>;
  /** Of the request that asks. */
  readonly signal: AbortSignal;
}

/** Where etcd has users and passwords, but does not ask for them. */
const NOT_ASKED_FOR = '';

/**
 * The token that a user and a password are exchanged for. It holds on all members, and is asked for once for all requests
 * that need it: a member checks a password so slowly that it would answer none of many in time.
 */
export class EtcdAuth {
  #token: string | undefined;
  readonly #asking = new Map<EtcdEndpoint, Asking>();

  constructor(private readonly credentials: EtcdCredentials | undefined) {}

  get hasCredentials(): boolean {
    return this.credentials !== undefined;
  }

  /** What a request has to say of who sends it. @throws GatewayError when the password is wrong */
  async headers(endpoint: EtcdEndpoint, signal: AbortSignal): Promise<Readonly<Record<string, string>>> {
    if (this.credentials === undefined) return {};
    const token = await this.#tokenFrom(this.credentials, endpoint, signal);
    return token === NOT_ASKED_FOR ? {} : { authorization: token };
  }

  /** It is refused: the next request asks for another one, unless one has come meanwhile. */
  forget(headers: Readonly<Record<string, string>>): void {
    if (this.#token === (headers['authorization'] ?? NOT_ASKED_FOR)) this.#token = undefined;
  }

  async #tokenFrom(credentials: EtcdCredentials, endpoint: EtcdEndpoint, signal: AbortSignal): Promise<string> {
    while (this.#token === undefined) {
      const asking = this.#asking.get(endpoint);
      if (asking === undefined) return this.#ask(credentials, endpoint, signal);
      try {
        await untilAbort(asking.answer, signal);
      } catch (error) {
        // Who asked has given up, which says nothing about the answer.
        if (signal.aborted || !asking.signal.aborted) throw error;
      }
    }
    return this.#token;
  }

  #ask(credentials: EtcdCredentials, endpoint: EtcdEndpoint, signal: AbortSignal): Promise<string> {
    const ask = async () => {
      try {
        return (this.#token = await this.#authenticate(credentials, endpoint, signal));
      } finally {
        this.#asking.delete(endpoint);
      }
    };
    const answer = ask();
    this.#asking.set(endpoint, { answer, signal });
    return answer;
  }

  async #authenticate(
    { username, password }: EtcdCredentials,
    endpoint: EtcdEndpoint,
    signal: AbortSignal,
  ): Promise<string> {
    try {
      const call = { path: '/v3/auth/authenticate', body: { name: username, password } };
      const { body } = await endpoint.post(call, signal);
      const token = isObject(body) ? body['token'] : undefined;
      if (typeof token === 'string' && token !== '') return token;
      throw new GatewayError('the answer has no token', 200);
    } catch (error) {
      if (isAuthDisabled(error)) return NOT_ASKED_FOR;
      throw error;
    }
  }
}
