import type { EtcdEndpoint } from './etcd-endpoint.js';
import { isAuthDisabled } from './etcd-errors.js';
import { GatewayError, isObject } from './gateway-error.js';

export interface EtcdCredentials {
  readonly username: string;
  readonly password: string;
}

/** Where etcd has users and passwords, but does not ask for them. */
const NOT_ASKED_FOR = '';

/** The token that a user and a password are exchanged for. It holds on all members. */
export class EtcdAuth {
  #token: string | undefined;

  constructor(private readonly credentials: EtcdCredentials | undefined) {}

  get hasCredentials(): boolean {
    return this.credentials !== undefined;
  }

  /** What a request has to say of who sends it. @throws GatewayError when the password is wrong */
  async headers(endpoint: EtcdEndpoint, signal: AbortSignal): Promise<Readonly<Record<string, string>>> {
    if (this.credentials === undefined) return {};
    const token = (this.#token ??= await this.#authenticate(this.credentials, endpoint, signal));
    return token === NOT_ASKED_FOR ? {} : { authorization: token };
  }

  /** It is refused: the next request asks for another one, unless one has come meanwhile. */
  forget(headers: Readonly<Record<string, string>>): void {
    if (this.#token === (headers['authorization'] ?? NOT_ASKED_FOR)) this.#token = undefined;
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
