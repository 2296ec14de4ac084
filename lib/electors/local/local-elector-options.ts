import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { systemClock, type Clock } from '../../core/clock.js';
import { InvalidOptionError } from '../../core/errors.js';
import { assertElectionName } from '../../core/names.js';
import {
  assertBoolean,
  assertMethods,
  assertNonEmptyString,
  assertObject,
  rejectUnknownOptions,
} from '../../core/option-checks.js';
import { currentUser } from './current-user.js';

/** Options of `LocalElector`. @publicApi */
export interface LocalElectorOptions {
  /**
   * What sets this service apart from others of the same user on this host. The same in all processes of the service.
   * Lower-case letters, digits and "-", at most 63.
   */
  readonly namespace: string;
  /**
   * Absolute path of the folder that keeps the last fencing token of each election. The same in all processes of the
   * service, on a local disk, and writable by nobody but their user. Made if it is not there.
   *
   * @default `nestjs-lifecycle-<user id>` in the folder for temporary files
   */
  readonly directory?: string;
  /**
   * Whether a process that leads many elections lets others win some, by trying for one at a time, and later the more
   * it leads: by 150 ms for each, up to 600 ms, so that one which is alone leads them all.
   *
   * @default false
   */
  readonly spread?: boolean;
  /** Where this process can be reached, for those who ask who leads: a URL for example. */
  readonly address?: string;
  /** @default the system's time */
  readonly clock?: Clock;
}

const WHERE = 'LocalElector';
const KNOWN = [
  'namespace',
  'directory',
  'spread',
  'address',
  'clock',
] as const satisfies readonly (keyof LocalElectorOptions)[];

/** The options, checked, with their defaults. */
export interface LocalSettings {
  readonly namespace: string;
  readonly directory: string;
  readonly spread: boolean;
  readonly address: string | undefined;
  readonly clock: Clock;
}

/** @throws InvalidOptionError */
export function resolveLocalOptions(options: LocalElectorOptions): LocalSettings {
  assertObject('options', options, WHERE, 'Pass at least { namespace: "orders" }.');
  rejectUnknownOptions(options, KNOWN, WHERE);
  const { namespace, directory, spread, address, clock } = options;
  assertElectionName('namespace', namespace, WHERE);
  assertDirectory(directory);
  assertBoolean('spread', spread, WHERE);
  assertNonEmptyString('address', address, WHERE);
  assertMethods('clock', clock, ['now', 'wallNow', 'setTimer'], WHERE);
  return {
    namespace,
    directory: directory ?? join(tmpdir(), `nestjs-lifecycle-${currentUser()}`),
    spread: spread ?? false,
    address,
    clock: clock ?? systemClock,
  };
}

/** A relative path would be another folder in a process that was started elsewhere. */
function assertDirectory(directory: unknown): void {
  if (directory === undefined || (typeof directory === 'string' && isAbsolute(directory))) return;
  throw new InvalidOptionError({
    option: 'directory',
    value: directory,
    where: WHERE,
    expected: 'an absolute path',
    remedy: 'Give the same folder to all processes of the service, for example "/var/lib/orders".',
  });
}
