import { MysqlElector } from 'nestjs-lifecycle/electors/mysql';
import type { ElectorArena, LeaseStoreArena } from 'nestjs-lifecycle/testing';
import type { Elector } from '../../../lib/core/elector.js';
import type { LeaseStore } from '../../../lib/core/lease/lease-store.js';
import { resolveMysqlOptions } from '../../../lib/electors/mysql/mysql-elector-options.js';
import { storeOf } from '../../../lib/electors/mysql/mysql-elector.js';
import type { MysqlServer } from '../../fixtures/engines/mysql-server.js';
import { ReadyArena } from '../proxied-arena.js';
import type { AccessKind } from './access.js';
import { TIMING } from './timing.js';

const PASS_MS = 1.5 * TIMING.leaseMs;

let opened = 0;

/** A table of its own on one server, with a network of its own for every elector or store. */
export class MysqlArena extends ReadyArena<Elector | LeaseStore> implements ElectorArena, LeaseStoreArena {
  readonly #table = `leases_${++opened}`;

  private constructor(
    private readonly server: MysqlServer,
    private readonly kind: AccessKind,
  ) {
    super({ passMs: PASS_MS });
  }

  static async open(server: MysqlServer, kind: AccessKind): Promise<MysqlArena> {
    const arena = new MysqlArena(server, kind);
    await arena.prepare(server.port);
    return arena;
  }

  createElector(): Elector {
    return this.#connected((options) => new MysqlElector(options));
  }

  createStore(): LeaseStore {
    return this.#connected((options) => storeOf(resolveMysqlOptions(options)));
  }

  async loseData(): Promise<void> {
    await this.server.query(`DROP TABLE ${this.#table}`);
  }

  override async close(): Promise<void> {
    await super.close();
    await this.server.query(`DROP TABLE IF EXISTS ${this.#table}`);
  }

  #connected<T extends Elector | LeaseStore>(create: (options: Parameters<typeof resolveMysqlOptions>[0]) => T): T {
    return this.connected((port) => {
      const { options } = this.using(this.kind.open(port));
      return create({ namespace: 'arena', table: this.#table, timing: TIMING, ...options });
    });
  }
}
