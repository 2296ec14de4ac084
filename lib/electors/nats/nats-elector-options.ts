import { InvalidOptionError } from '../../core/errors.js';
import { LEASE_ELECTOR_SETTINGS, type LeaseElectorSettings } from '../../core/lease/lease-elector-settings.js';
import { assertObject, rejectUnknownOptions } from '../../core/option-checks.js';
import { isNatsClient, type NatsClient } from './nats-client.js';
import type { NatsSource } from './nats-connections.js';

/**
 * Options of the NatsElector: exactly one of `servers`, `options` and `client`, and those of all lease electors.
 *
 * @publicApi
 */
export interface NatsElectorOptions extends LeaseElectorSettings {
  /** `host:port`, with or without `nats://`, or several of one cluster; the elector makes and closes its own connection. */
  readonly servers?: string | readonly string[];
  /**
   * Options of `connect()` of `@nats-io/transport-node`: servers, user, pass, token, authenticator, tls and so on. The
   * elector makes and closes its own connection. Those that decide how it reconnects are always its own.
   */
  readonly options?: object;
  /** A connection that `connect()` has resolved to. It is never changed, and never closed. */
  readonly client?: NatsClient;
  /**
   * The key-value bucket that holds the leases. It is created if there is none; one that is there keeps its settings, and
   * is refused when leases cannot work on them. Letters, digits, "-" and "_".
   *
   * @default 'nestjs-lifecycle'
   */
  readonly bucket?: string;
  /**
   * On how many servers of a cluster a bucket that is created here is kept: 1, 3 or 5. A bucket that is there already
   * keeps what it has.
   *
   * @default 1
   */
  readonly replicas?: number;
}

export interface NatsSettings {
  readonly source: NatsSource;
  readonly bucket: string;
  readonly replicas: number | undefined;
}

export const DEFAULT_BUCKET = 'nestjs-lifecycle';

const WHERE = 'NatsElector';
const SOURCES = ['servers', 'options', 'client'] as const;
const KNOWN = [...LEASE_ELECTOR_SETTINGS, ...SOURCES, 'bucket', 'replicas'];
const BUCKET_NAME = /^[-\w]{1,200}$/;
const REPLICAS: readonly unknown[] = [undefined, 1, 3, 5];

/** Checks what only this engine knows. @throws InvalidOptionError, which never shows a password */
export function resolveNatsOptions(options: NatsElectorOptions): NatsSettings {
  rejectUnknownOptions(withoutSecrets(options), KNOWN, WHERE);
  const { servers, options: connectOptions, client, bucket = DEFAULT_BUCKET, replicas } = options;
  assertOneSource(options);
  if (servers !== undefined) assertServers(servers);
  if (connectOptions !== undefined) {
    assertObject('options', connectOptions, WHERE, 'Pass the options of connect(): { servers, user, pass, ... }.');
  }
  if (client !== undefined) assertClient(client);
  if (typeof bucket !== 'string' || !BUCKET_NAME.test(bucket)) {
    fail('bucket', bucket, 'letters, digits, "-" and "_", at most 200', 'Rename it, or leave it out.');
  }
  if (!REPLICAS.includes(replicas)) {
    fail('replicas', replicas, '1, 3 or 5', 'Use 3 on a cluster of three servers, or leave it out.');
  }
  const source = {
    ...(servers !== undefined && { options: { servers: typeof servers === 'string' ? [servers] : [...servers] } }),
    ...(connectOptions !== undefined && { options: connectOptions }),
    ...(client !== undefined && { client }),
  };
  return { source, bucket, replicas };
}

function assertOneSource(options: NatsElectorOptions): void {
  const given = SOURCES.filter((it) => options[it] !== undefined);
  if (given.length === 1) return;
  fail(
    'servers',
    given.length === 0 ? undefined : `given together with ${given.join(', ')}`,
    'exactly one of servers, options and client',
    "Pass { servers: 'localhost:4222' }, or options of connect(), or a connection.",
  );
}

function assertServers(servers: unknown): void {
  const list: readonly unknown[] = Array.isArray(servers) ? servers : [servers];
  if (list.length > 0 && list.every((it) => typeof it === 'string' && it.trim() !== '')) {
    const withUser = (list as readonly string[]).find((it) => it.includes('@'));
    if (withUser === undefined) return;
    // The client drops what is before the @, and would connect as nobody.
    const remedy = "Pass options: { servers: ['nats://host:4222'], user, pass } instead.";
    fail('servers', withUser.replace(/(\/\/)?[^/]*@/, '$1***@'), 'addresses without user and password', remedy);
  }
  const shown = list.map((it) => (typeof it === 'string' ? it : typeof it)).join(', ');
  fail('servers', shown, 'an address, or several', "Write 'localhost:4222', or ['nats-1:4222', 'nats-2:4222'].");
}

function assertClient(client: unknown): void {
  if (isNatsClient(client)) return;
  const shown =
    typeof client === 'object' && client !== null
      ? `an object of class ${client.constructor?.name ?? 'unknown'}`
      : client;
  const remedy = 'Pass what connect() has resolved to (with await), or servers instead.';
  fail('client', shown, 'a connection of @nats-io/transport-node', remedy);
}

/** Values stay out of the message about a name that is not known, unless they are plain. */
function withoutSecrets(options: NatsElectorOptions): object {
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => [name, typeof value === 'object' ? '...' : value]),
  );
}

function fail(option: string, value: unknown, expected: string, remedy: string): never {
  throw new InvalidOptionError({ option, value, where: WHERE, expected, remedy });
}
