import { EtcdServer, type EtcdServerOptions } from '../../fixtures/engines/etcd-server.js';

/** A server for all tests of a file, started by the first: Jest begins concurrent ones before the hooks of a `describe`. */
export class SharedServer {
  #server: Promise<EtcdServer> | undefined;

  constructor(private readonly options: EtcdServerOptions = {}) {}

  started(): Promise<EtcdServer> {
    return (this.#server ??= EtcdServer.start(this.options));
  }

  async stop(): Promise<void> {
    await (await this.#server)?.stop();
  }
}
