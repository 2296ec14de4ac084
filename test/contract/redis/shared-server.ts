import { RedisServer, type RedisServerOptions } from '../../fixtures/engines/redis-server.js';

/** A server for all tests of a file, started by the first: Jest begins concurrent ones before the hooks of a `describe`. */
export class SharedServer {
  #server: Promise<RedisServer> | undefined;

  constructor(private readonly options: RedisServerOptions = {}) {}

  started(): Promise<RedisServer> {
    return (this.#server ??= RedisServer.start(this.options));
  }

  async stop(): Promise<void> {
    await (await this.#server)?.stop();
  }
}
