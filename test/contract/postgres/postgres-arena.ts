import { PostgresElector } from 'nestjs-lifecycle/electors/postgres';
import type { ElectorArena, LeaseStoreArena } from 'nestjs-lifecycle/testing';
import type { Elector } from '../../../lib/core/elector.js';
import type { LeaseStore } from '../../../lib/core/lease/lease-store.js';
import { resolvePostgresOptions } from '../../../lib/electors/postgres/postgres-elector-options.js';
import { storeOf } from '../../../lib/electors/postgres/postgres-elector.js';
import type { PostgresServer } from '../../fixtures/engines/postgres-server.js';
import { ReadyArena } from '../proxied-arena.js';
import type { AccessKind } from './access.js';
import { TIMING } from './timing.js';

const PASS_MS = 1.5 * TIMING.leaseMs;

let opened = 0;

/** A table of its own on one server, with a network of its own for every elector or store. */
export class PostgresArena extends ReadyArena<Elector | LeaseStore> implements ElectorArena, LeaseStoreArena {
  readonly #table = `leases_${++opened}`;

  private constructor(
    private readonly server: PostgresServer,
    private readonly kind: AccessKind,
  ) {
    super({ passMs: PASS_MS });
  }

  /** @param port where electors are to connect: the server, or a pgbouncer before it */
  static async open(server: PostgresServer, kind: AccessKind, port = server.port): Promise<PostgresArena> {
    const arena = new PostgresArena(server, kind);
    await arena.prepare(port);
    return arena;
  }

  createElector(): Elector {
    return this.#connected((options) => new PostgresElector(options));
  }

  createStore(): LeaseStore {
    return this.#connected((options) => storeOf(resolvePostgresOptions(options)));
  }

  async loseData(): Promise<void> {
    await this.server.query(`DROP TABLE ${this.#table}`);
  }

  override async close(): Promise<void> {
    await super.close();
    await this.server.query(`DROP TABLE IF EXISTS ${this.#table}`);
  }

  #connected<T extends Elector | LeaseStore>(create: (options: Parameters<typeof resolvePostgresOptions>[0]) => T): T {
    return this.connected((port) => {
      const { options } = this.using(this.kind.open(port, this.server.port));
      return create({ namespace: 'arena', table: this.#table, timing: TIMING, ...options });
    });
  }
}
