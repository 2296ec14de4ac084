import { NatsServer } from '../../fixtures/engines/nats-server.js';

/** A server for all tests of a file, started by the first: Jest begins concurrent ones before the hooks of a `describe`. */
export class SharedServer {
  #server: Promise<NatsServer> | undefined;

  started(): Promise<NatsServer> {
    return (this.#server ??= NatsServer.start());
  }

  async stop(): Promise<void> {
    await (await this.#server)?.stop();
  }
}
