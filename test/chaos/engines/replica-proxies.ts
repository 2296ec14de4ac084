import { TcpProxy } from '../../fixtures/engines/tcp-proxy.js';
import { SLOTS } from '../records.js';

/** One way to the server for each replica. */
export class ReplicaProxies {
  private constructor(private readonly proxies: readonly TcpProxy[]) {}

  static async open(port: number): Promise<ReplicaProxies> {
    return new ReplicaProxies(await Promise.all(SLOTS.map(() => TcpProxy.open({ target: { port } }))));
  }

  at(slot: number): TcpProxy {
    const proxy = this.proxies[slot];
    if (proxy === undefined) throw new RangeError(`There is no slot ${slot}.`);
    return proxy;
  }

  /** Ends all connections. */
  resetAll(): void {
    this.proxies.forEach((it) => it.resetAll());
  }

  async close(): Promise<void> {
    await Promise.all(this.proxies.map((it) => it.close()));
  }
}
