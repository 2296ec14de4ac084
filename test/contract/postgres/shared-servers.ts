import { PgBouncerServer } from '../../fixtures/engines/pgbouncer-server.js';
import { PostgresServer } from '../../fixtures/engines/postgres-server.js';

/** The servers of one file, started by the first case that needs them: concurrent cases begin before `beforeAll()`. */
export class SharedServers {
  #starting: Promise<{ server: PostgresServer; port: number }> | undefined;
  #server: PostgresServer | undefined;
  #pgBouncer: PgBouncerServer | undefined;

  constructor(private readonly throughPgBouncer: boolean) {}

  /** The server, and the port where electors are to connect. */
  started(): Promise<{ server: PostgresServer; port: number }> {
    return (this.#starting ??= this.#start());
  }

  async stop(): Promise<void> {
    await this.#starting?.catch(() => undefined);
    await this.#pgBouncer?.stop();
    await this.#server?.stop();
  }

  async #start(): Promise<{ server: PostgresServer; port: number }> {
    const server = (this.#server = await PostgresServer.start());
    if (!this.throughPgBouncer) return { server, port: server.port };
    this.#pgBouncer = await PgBouncerServer.start({ target: server, poolMode: 'transaction' });
    return { server, port: this.#pgBouncer.port };
  }
}
