import type { Elector } from '../../lib/core/elector.js';
import type { LeaseStore } from '../../lib/core/lease/lease-store.js';
import { realTime, type ArenaTime, type RealTimeOptions } from '../../lib/testing/contract/arena-time.js';
import { TcpProxy } from '../fixtures/engines/tcp-proxy.js';

/** As many electors as a case makes. */
const REPLICAS = 6;

/** Those who use one server in real time, each over a network of its own. */
export abstract class ProxiedArena<User extends Elector | LeaseStore> implements ArenaTime {
  protected readonly proxies = new Map<User, TcpProxy>();
  readonly #time: ArenaTime;
  readonly #clients: { close(): unknown }[] = [];

  constructor(time: RealTimeOptions) {
    this.#time = realTime(time);
  }

  until(condition: () => boolean | Promise<boolean>): Promise<void> {
    return this.#time.until(condition);
  }

  pass(): Promise<void> {
    return this.#time.pass();
  }

  async disconnect(user: User): Promise<void> {
    await this.proxies.get(user)?.set('blackhole');
  }

  async reconnect(user: User): Promise<void> {
    await this.proxies.get(user)?.set('pass', 'reset');
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.map(async (it) => it.close()));
    await Promise.all([...this.proxies.values()].map((it) => it.close()));
  }

  /** What is closed ahead of the networks. */
  protected using<Client extends { close(): unknown }>(client: Client): Client {
    this.#clients.push(client);
    return client;
  }

  /** One more that uses the port of a server, by another one. */
  protected async openTo<Made extends User>(
    serverPort: number,
    create: (port: number) => Made | Promise<Made>,
  ): Promise<Made> {
    const proxy = await openProxy(serverPort);
    const user = await create(proxy.port);
    this.proxies.set(user, proxy);
    return user;
  }
}

/** Networks that are there before somebody uses them: electors are made in one tick. */
export abstract class ReadyArena<User extends Elector | LeaseStore> extends ProxiedArena<User> {
  readonly #free: TcpProxy[] = [];

  async crash(user: User): Promise<void> {
    await this.disconnect(user);
  }

  override async close(): Promise<void> {
    // Electors that have crashed still have their connections.
    await Promise.all([...this.proxies.keys()].map(async (it) => it.close?.()));
    await super.close();
    await Promise.all(this.#free.map((it) => it.close()));
  }

  /** @returns the ports to use */
  protected async prepare(serverPort: number): Promise<number[]> {
    this.#free.push(...(await Promise.all(Array.from({ length: REPLICAS }, () => openProxy(serverPort)))));
    return this.#free.map(({ port }) => port);
  }

  protected connected<Made extends User>(create: (port: number) => Made): Made {
    const proxy = this.#free.pop();
    if (proxy === undefined) throw new Error('No network is left for one more');
    const user = create(proxy.port);
    this.proxies.set(user, proxy);
    return user;
  }
}

function openProxy(port: number): Promise<TcpProxy> {
  return TcpProxy.open({ target: { port }, held: 'reset' });
}
