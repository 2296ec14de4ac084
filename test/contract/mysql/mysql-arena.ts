import { MysqlElector } from 'nestjs-lifecycle/electors/mysql';
import { realTime, type ElectorArena, type LeaseStoreArena } from 'nestjs-lifecycle/testing';
import type { Elector } from '../../../lib/core/elector.js';
import type { LeaseStore } from '../../../lib/core/lease/lease-store.js';
import { resolveMysqlOptions } from '../../../lib/electors/mysql/mysql-elector-options.js';
import { storeOf } from '../../../lib/electors/mysql/mysql-elector.js';
import type { MysqlServer } from '../../fixtures/engines/mysql-server.js';
import { TcpProxy } from '../../fixtures/engines/tcp-proxy.js';
import type { Access, AccessKind } from './access.js';
import { TIMING } from './timing.js';

/** As many electors as a case makes. */
const REPLICAS = 6;
const PASS_MS = 1.5 * TIMING.leaseMs;

let opened = 0;

/** A table of its own on one server, with a network of its own for every elector or store. */
export class MysqlArena implements ElectorArena, LeaseStoreArena {
  readonly #free: TcpProxy[] = [];
  readonly #proxies = new Map<Elector | LeaseStore, TcpProxy>();
  readonly #accesses: Access[] = [];
  readonly #time = realTime({ passMs: PASS_MS });
  readonly #table = `leases_${++opened}`;

  private constructor(
    private readonly server: MysqlServer,
    private readonly kind: AccessKind,
  ) {}

  static async open(server: MysqlServer, kind: AccessKind): Promise<MysqlArena> {
    const arena = new MysqlArena(server, kind);
    const proxies = Array.from({ length: REPLICAS }, () => TcpProxy.open({ target: server, held: 'reset' }));
    arena.#free.push(...(await Promise.all(proxies)));
    return arena;
  }

  until(condition: () => boolean | Promise<boolean>): Promise<void> {
    return this.#time.until(condition);
  }

  pass(): Promise<void> {
    return this.#time.pass();
  }

  createElector(): Elector {
    return this.#connected((options) => new MysqlElector(options));
  }

  createStore(): LeaseStore {
    return this.#connected((options) => storeOf(resolveMysqlOptions(options)));
  }

  async crash(elector: Elector): Promise<void> {
    await this.disconnect(elector);
  }

  async disconnect(it: Elector | LeaseStore): Promise<void> {
    await this.#proxies.get(it)?.set('blackhole');
  }

  async reconnect(it: Elector | LeaseStore): Promise<void> {
    await this.#proxies.get(it)?.set('pass', 'reset');
  }

  async loseData(): Promise<void> {
    await this.server.query(`DROP TABLE ${this.#table}`);
  }

  async close(): Promise<void> {
    // Electors that have crashed still have their connections.
    await Promise.all([...this.#proxies.keys()].map(async (it) => it.close?.()));
    await Promise.all(this.#accesses.map((it) => it.close()));
    await Promise.all([...this.#free, ...this.#proxies.values()].map((it) => it.close()));
    await this.server.query(`DROP TABLE IF EXISTS ${this.#table}`);
  }

  #connected<T extends Elector | LeaseStore>(create: (options: Parameters<typeof resolveMysqlOptions>[0]) => T): T {
    const proxy = this.#free.pop();
    if (proxy === undefined) throw new Error('No network is left for one more');
    const access = this.kind.open(proxy.port);
    this.#accesses.push(access);
    const created = create({ namespace: 'arena', table: this.#table, timing: TIMING, ...access.options });
    this.#proxies.set(created, proxy);
    return created;
  }
}
