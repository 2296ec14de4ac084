import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import type { Elector } from '../../lib/core/elector.js';
import { TcpProxy } from '../fixtures/engines/tcp-proxy.js';
import { until } from '../fixtures/until.js';
import type { LeaseReplica } from './lease-replica.js';
import type { LeaseReplicas } from './lease-replicas.js';

/** What the faults are done to. */
export interface SqlServer {
  readonly port: number;
  query(sql: string): Promise<unknown>;
  restart(options: { readonly keepData: boolean }): Promise<void>;
  suspend(): void;
  resume(): void;
  stop(): Promise<void>;
}

/** How electors get to the server, and what has to be closed after them. */
interface Access<Options> {
  readonly options: Partial<Options>;
  close(): Promise<void>;
}

/** What differs from one engine to the other. */
export interface SqlEngine<Options extends object, Server extends SqlServer> {
  readonly leaseMs: number;
  /** With which a term lasts, however long the machine stands still. */
  readonly steady: Partial<Options>;
  start(): Promise<Server>;
  createReplicas(): LeaseReplicas<Elector, Options>;
  /** @param port of the server, or of a proxy before it */
  open(port: number, server: Server): Access<Options>;
  killConnections(server: Server): Promise<unknown>;
  /** How many there are, but for that which asks. */
  connections(server: Server): Promise<number>;
  readonly tableSql: string;
  /** From then on the first attempts take longer than anybody waits for them, and are carried out all the same. */
  readonly slowAttempts: string;
  readonly quickAttempts: string;
  /** All leases seem to have run out. */
  readonly anHourLater: string;
}

/** A server, and the replicas of one test. */
export class SqlStand<Options extends object, Server extends SqlServer> {
  server!: Server;
  replicas!: LeaseReplicas<Elector, Options>;
  #accesses: Access<Options>[] = [];

  constructor(private readonly engine: SqlEngine<Options, Server>) {}

  access(port = this.server.port): Partial<Options> {
    const opened = this.engine.open(port, this.server);
    this.#accesses.push(opened);
    return opened.options;
  }

  async leaderAndFollower(options: Partial<Options> = {}): Promise<readonly [LeaseReplica, LeaseReplica]> {
    const leader = await this.replicas.leading({ ...this.access(), ...options });
    return [leader, await this.replicas.following(leader, { ...this.access(), ...options })];
  }

  async closeAccesses(): Promise<void> {
    await Promise.all(this.#accesses.map((it) => it.close()));
    this.#accesses = [];
  }
}

/** Tests of what every engine with rows has to survive, in the group that calls it. */
export function sqlFaults<Options extends object, Server extends SqlServer>(
  engine: SqlEngine<Options, Server>,
): SqlStand<Options, Server> {
  const stand = new SqlStand(engine);
  const longMs = 2 * engine.leaseMs;

  beforeAll(async () => {
    stand.server = await engine.start();
  });

  afterAll(() => stand.server.stop());

  beforeEach(() => {
    stand.replicas = engine.createReplicas();
  });

  afterEach(async () => {
    await stand.replicas.close();
    await stand.closeAccesses();
    await stand.server.query('DROP TABLE IF EXISTS nestjs_lifecycle_leases');
  });

  test('a leader whose connections are all ended, again and again, leads on in the same term', async () => {
    const [leader, follower] = await stand.leaderAndFollower(engine.steady);

    for (let round = 0; round < 5; round++) {
      const before = leader.renewals;
      await engine.killConnections(stand.server);
      await until(() => leader.renewals > before + 1);
    }

    expect([leader.leads, leader.terms.length, follower.terms.length]).toEqual([true, 1, 0]);
  });

  test('after the server was killed and has its data again, one candidate leads', async () => {
    const [leader, follower] = await stand.leaderAndFollower();

    await stand.server.restart({ keepData: true });
    await stand.replicas.untilOneLeadsOn();

    expect(leader.isOver || follower.isOver).toBe(false);
  });

  test('after the server was killed and has lost its data, one candidate leads, with a larger token', async () => {
    const [leader] = await stand.leaderAndFollower();
    const before = leader.lastToken;

    await stand.server.restart({ keepData: false });
    await until(() => !leader.leads);
    const next = await stand.replicas.untilOneLeads();

    expect(next.lastToken).toBeGreaterThan(before);
  });

  test('a server that hangs ends the term at its deadline; when it goes on, one candidate leads', async () => {
    const [leader] = await stand.leaderAndFollower();

    stand.server.suspend();
    await until(() => leader.terms[0]?.signal.aborted === true);
    await pause(longMs);
    expect(stand.replicas.leaders()).toEqual([]);
    stand.server.resume();

    await stand.replicas.untilOneLeads();
  });

  test('a leader that is cut off has ended its term before another one leads', async () => {
    const proxy = await TcpProxy.open({ target: stand.server });
    const leader = await stand.replicas.leading(stand.access(proxy.port));
    const follower = await stand.replicas.following(leader, stand.access());

    await proxy.set('blackhole');
    await until(() => follower.leads);
    expect([leader.leads, leader.isOver]).toEqual([false, false]);
    // What it has sent arrives now, and changes nothing.
    await proxy.set('pass', 'deliver');
    await pause(longMs);

    expect([follower.leads, follower.terms.length, leader.leads]).toEqual([true, 1, false]);
    await leader.end();
    await proxy.close();
  });

  test('a leader whose renewals are carried out, and whose answers are lost, ends its term before another one leads', async () => {
    const proxy = await TcpProxy.open({ target: stand.server });
    const leader = await stand.replicas.leading(stand.access(proxy.port));
    const follower = await stand.replicas.following(leader, stand.access());

    await proxy.set('blackhole-down');
    await until(() => follower.leads);
    expect(leader.leads).toBe(false);
    await proxy.set('pass', 'reset');

    await until(() => leader.observed.at(-1) === follower.identity);
    expect(follower.leads).toBe(true);
    await leader.end();
    await proxy.close();
  });

  test('attempts that are carried out long after they were given up lead to one leader in the end', async () => {
    await stand.server.query(engine.tableSql);
    await stand.server.query(engine.slowAttempts);
    const stands = [stand.replicas.stand(stand.access()), stand.replicas.stand(stand.access())];

    const leader = await stand.replicas.untilOneLeads();
    await pause(longMs);

    expect(stand.replicas.leaders()).toEqual([leader]);
    const timeouts = stands.flatMap((it) => it.failures('error')).filter((it) => it.includes('"acquire"'));
    expect(timeouts.length).toBeGreaterThan(0);
    await stand.server.query(engine.quickAttempts);
  });

  test.each([
    ['a table that is dropped in mid-term ends the term, and is created for the next one', 'DROP TABLE'],
    ['a row that is deleted in mid-term ends the term', 'DELETE FROM'],
  ])('%s', async (_, loss) => {
    const [leader] = await stand.leaderAndFollower();
    const before = leader.lastToken;

    await stand.server.query(`${loss} nestjs_lifecycle_leases`);
    await until(() => !leader.leads);

    const next = await stand.replicas.untilOneLeads();
    expect(next.lastToken).toBeGreaterThan(before);
  });

  test('a lease that seems to have run out while its holder renews it is not taken', async () => {
    const [leader, follower] = await stand.leaderAndFollower();

    // As if the server's clock had jumped for a moment, again and again.
    for (let round = 0; round < 20; round++) {
      await stand.server.query(engine.anHourLater);
      await pause(engine.leaseMs / 10);
    }

    expect([leader.leads, leader.terms.length, follower.terms.length]).toEqual([true, 1, 0]);
  });

  test('the clock of a candidate decides nothing', async () => {
    const [leader] = await stand.leaderAndFollower(engine.steady);
    const clock = {
      now: () => performance.now(),
      wallNow: () => Date.now() + 3_600_000,
      setTimer: (callback: () => void, delayMs: number) => {
        const timer = setTimeout(callback, delayMs);
        return () => clearTimeout(timer);
      },
    };

    const other = await stand.replicas.following(leader, { ...stand.access(), ...engine.steady, clock });
    await pause(longMs);

    expect([leader.leads, other.terms.length]).toEqual([true, 0]);
  });

  test('connections that were opened are closed, and nothing else', async () => {
    await stand.leaderAndFollower();

    await stand.replicas.close();
    await stand.closeAccesses();

    await until(async () => (await engine.connections(stand.server)) === 0);
    stand.replicas = engine.createReplicas();
  });

  return stand;
}
