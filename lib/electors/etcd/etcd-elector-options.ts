import { InvalidOptionError } from '../../core/errors.js';
import { LEASE_ELECTOR_SETTINGS, type LeaseElectorSettings } from '../../core/lease/lease-elector-settings.js';
import { assertBoolean, assertNonEmptyString, assertObject, rejectUnknownOptions } from '../../core/option-checks.js';
import { TLS_OPTIONS, type EtcdTls } from './etcd-tls.js';

/**
 * Options of the EtcdElector, and those of all lease electors.
 *
 * @publicApi
 */
export interface EtcdElectorOptions extends LeaseElectorSettings {
  /**
   * Client URLs of members of **one** cluster, `http://` or `https://` with host and port. Requests go to one of them, and
   * to the next when it does not answer.
   */
  readonly endpoints: string | readonly string[];
  /** For `https://`. @default what Node trusts, and no client certificate */
  readonly tls?: EtcdTls;
  /** A user of etcd's own, with `password`. @default none */
  readonly username?: string;
  readonly password?: string;
  /** In front of every key, for users with rights to a prefix. @default 'nestjs-lifecycle/' */
  readonly keyPrefix?: string;
}

export const DEFAULT_KEY_PREFIX = 'nestjs-lifecycle/';

const WHERE = 'EtcdElector';
const KNOWN = [...LEASE_ELECTOR_SETTINGS, 'endpoints', 'tls', 'username', 'password', 'keyPrefix'];
const ENDPOINTS_REMEDY = "Pass { endpoints: ['http://etcd-1:2379', 'http://etcd-2:2379'] }.";

/** Checks what only this engine knows. @throws InvalidOptionError, which never shows a password or a key */
export function assertEtcdOptions(options: EtcdElectorOptions): void {
  rejectUnknownOptions(hidden(options), KNOWN, WHERE);
  const endpoints = endpointsOf(options);
  endpoints.forEach(assertEndpoint);
  assertSameProtocol(endpoints);
  if (options.tls !== undefined) assertTls(options.tls, endpoints);
  assertCredentials(options);
  const { keyPrefix } = options;
  if (keyPrefix === undefined || typeof keyPrefix === 'string') return;
  fail('keyPrefix', keyPrefix, 'a text', 'Pass a string, or leave it out.');
}

/** As a list, without the slashes at their ends. @throws InvalidOptionError */
export function endpointsOf({ endpoints }: EtcdElectorOptions): readonly string[] {
  const list: unknown = typeof endpoints === 'string' ? [endpoints] : endpoints;
  if (Array.isArray(list) && list.length > 0 && list.every((it) => typeof it === 'string')) {
    return list.map((it) => it.replace(/\/+$/, ''));
  }
  return fail(
    'endpoints',
    Array.isArray(list) ? '[...]' : list,
    'one URL, or a list of at least one',
    ENDPOINTS_REMEDY,
  );
}

function assertEndpoint(endpoint: string): void {
  const shown = endpoint.replace(/\/\/.*@/, '//***@');
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.hostname === '') {
    fail('endpoints', shown, 'URLs that begin with http:// or https://', ENDPOINTS_REMEDY);
  }
  if (url.username !== '' || url.password !== '') {
    fail('endpoints', shown, 'URLs without a user', 'Pass { username, password } beside them.');
  }
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    fail('endpoints', shown, 'URLs of nothing but protocol, host and port', 'Leave the rest out.');
  }
}

function assertSameProtocol(endpoints: readonly string[]): void {
  if (new Set(endpoints.map((it) => new URL(it).protocol)).size <= 1) return;
  fail('endpoints', endpoints.join(', '), 'either http:// or https://', 'Use https:// for all.');
}

function assertTls(tls: EtcdTls, endpoints: readonly string[]): void {
  assertObject('tls', tls, WHERE, 'Pass { ca, cert, key, servername }.');
  rejectUnknownOptions(hidden(tls), TLS_OPTIONS, `tls of ${WHERE}`);
  assertNonEmptyString('tls.servername', tls.servername, WHERE);
  assertBoolean('tls.rejectUnauthorized', tls.rejectUnauthorized, WHERE);
  if (endpoints.some((it) => it.startsWith('http:'))) {
    fail('tls', 'given with endpoints of http://', 'endpoints of https://', 'Write https://, or leave "tls" out.');
  }
  if ((tls.cert === undefined) === (tls.key === undefined)) return;
  const [given, missing] = tls.cert === undefined ? ['key', 'cert'] : ['cert', 'key'];
  fail(`tls.${missing}`, undefined, `given together with tls.${given}`, 'Pass both, or neither.');
}

function assertCredentials({ username, password }: EtcdElectorOptions): void {
  assertNonEmptyString('username', username, WHERE);
  if (password !== undefined && typeof password !== 'string') fail('password', '***', 'a text', 'Pass a string.');
  if ((username === undefined) === (password === undefined)) return;
  const [given, missing] = username === undefined ? ['password', 'username'] : ['username', 'password'];
  fail(missing, undefined, `given together with "${given}"`, 'Pass both, or neither.');
}

/** Values stay out of the message about a name that is not known. */
function hidden(options: object): object {
  return Object.fromEntries(Object.keys(options).map((name) => [name, '...']));
}

function fail(option: string, value: unknown, expected: string, remedy: string): never {
  throw new InvalidOptionError({ option, value, where: WHERE, expected, remedy });
}
