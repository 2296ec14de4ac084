import { onAbort, untilAborted } from '../../core/abort.js';
import { delay, type Clock } from '../../core/clock.js';
import { Deferred } from '../../core/deferred.js';
import { requestInTime } from '../../core/lease/lease-requests.js';
import type { OnHint } from '../../core/lease/lease-watch.js';
import { releaseNotice } from '../../core/lease/release-notice.js';
import type { Connections } from '../../core/connections/connections.js';
import { CHANNEL } from './lease-statements.js';
import type { PostgresConnection } from './postgres-connection.js';

/** A network that has forgotten a connection tells nobody; until it is noticed, hand-over is as fast as the poll. */
const PING_MS = 30_000;

/** Hears of releases, on one connection for all elections that are watched. */
export class Notifications {
  readonly #watchers = new Map<string, Set<OnHint>>();
  #listening: Promise<PostgresConnection | undefined> | undefined;
  #isPooled = false;

  constructor(
    private readonly connections: Connections<PostgresConnection>,
    private readonly clock: Clock,
    private readonly requestTimeoutMs: number,
  ) {}

  /** A pooler is in between: it hands notifications to whoever has the connection just then, if to anybody. */
  get isPooled(): boolean {
    return this.#isPooled;
  }

  /** Calls `onHint` at each notification about the name until the signal aborts. @throws when the connection breaks */
  async watch(name: string, onHint: OnHint, signal: AbortSignal): Promise<void> {
    const watchers = this.#watchers.get(name) ?? new Set();
    this.#watchers.set(name, watchers.add(onHint));
    try {
      const connection = await this.#listen();
      if (connection === undefined) return await untilAborted(signal);
      // What was released before it was listened to.
      if (!signal.aborted) onHint();
      await untilEnded(connection, signal);
    } finally {
      watchers.delete(onHint);
      if (watchers.size === 0) this.#watchers.delete(name);
      if (this.#watchers.size === 0) await this.#stopListening();
    }
  }

  /** Closes what was opened for this alone. */
  async close(): Promise<void> {
    await this.#stopListening();
    await this.connections.close();
  }

  #listen(): Promise<PostgresConnection | undefined> {
    this.#listening ??= this.#open();
    return this.#listening;
  }

  async #open(): Promise<PostgresConnection | undefined> {
    try {
      const connection = await this.#inTime('listen', (signal) => this.#subscribe(signal));
      if (connection === undefined) return undefined;
      onAbort(connection.ended, () => (this.#listening = undefined));
      void this.#keepAlive(connection);
      return connection;
    } catch (error) {
      this.#listening = undefined;
      throw error;
    }
  }

  async #subscribe(signal: AbortSignal): Promise<PostgresConnection | undefined> {
    const connection = await this.connections.take(signal);
    try {
      const [row] = await connection.query<'pid'>('SELECT pg_backend_pid() AS pid', [], signal);
      this.#isPooled = Number(row?.pid) !== connection.processId;
      if (this.#isPooled) {
        connection.giveBack();
        return undefined;
      }
      connection.keep();
      connection.onNotification(({ channel, payload = '' }) => channel === CHANNEL && this.#hint(payload));
      await connection.query(`LISTEN ${CHANNEL}`, [], signal);
      return connection;
    } catch (error) {
      connection.destroy(error);
      throw error;
    }
  }

  /** @param payload the token, a space, and the name, which may have spaces too */
  #hint(payload: string): void {
    const end = payload.indexOf(' ');
    const name = payload.slice(end + 1);
    const notice = releaseNotice(payload.slice(0, end));
    for (const onHint of [...(this.#watchers.get(name) ?? [])]) onHint(notice);
  }

  async #keepAlive(connection: PostgresConnection): Promise<void> {
    while (await delay(this.clock, PING_MS, connection.ended, { background: true })) {
      try {
        await this.#inTime('ping', (signal) => connection.query('SELECT 1', [], signal));
      } catch (error) {
        connection.destroy(error);
      }
    }
  }

  /** Never in the middle of an opening: what is opened then would be left behind. */
  async #stopListening(): Promise<void> {
    const connection = await this.#listening?.catch(() => undefined);
    if (this.#watchers.size === 0) connection?.end();
  }

  #inTime<T>(operation: string, send: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return requestInTime(this.clock, { operation, timeoutMs: this.requestTimeoutMs, send });
  }
}

function untilEnded(connection: PostgresConnection, signal: AbortSignal): Promise<void> {
  const over = new Deferred<void>();
  // The signal is the campaign's, and outlives many connections.
  const unlisten = [
    onAbort(signal, () => over.resolve()),
    onAbort(connection.ended, () => over.reject(connection.ended.reason)),
  ];
  return over.promise.finally(() => unlisten.forEach((it) => it()));
}
