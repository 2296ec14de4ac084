import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { InvalidOptionError } from '../../core/errors.js';

/** Where the candidates of an election meet on this host. */
export interface ElectionPlace {
  /** What the leader listens on. */
  readonly address: string;
  /** Where a socket is a file, which outlives its process: the file whose lock says who leads. */
  readonly lockFile?: string;
  readonly tokenFile: string;
}

/** Whose election it is. */
export interface ElectionScope {
  readonly platform: NodeJS.Platform;
  readonly user: string;
  readonly namespace: string;
  readonly election: string;
  readonly directory: string;
}

/** All of `sun_path` on Linux. */
const ABSTRACT_NAME_BYTES = 108;
/** The shortest `sun_path` of the systems that have it as a path, without its end. */
const LONGEST_SOCKET_PATH = 103;
const LONGEST_PIPE_NAME = 256;

/** @throws InvalidOptionError where the directory is too deep for a socket in it */
export function electionPlace(scope: ElectionScope): ElectionPlace {
  const { platform, user, namespace, election, directory } = scope;
  const key = `${namespace}/${election}`;
  const file = join(directory, digest(key));
  const tokenFile = `${file}.token`;
  if (platform === 'linux') return { address: abstractName(`nestjs-lifecycle/${user}/`, key), tokenFile };
  if (platform === 'win32') {
    const prefix = `\\\\.\\pipe\\nestjs-lifecycle.${user}.`;
    return { address: fitting(prefix, key.replace('/', '.'), LONGEST_PIPE_NAME), tokenFile };
  }
  return { address: socketPath(`${file}.sock`), lockFile: `${file}.lock`, tokenFile };
}

/**
 * As long as the kernel allows: some versions of Node fill a shorter name up with zeros and others do not, so that
 * processes on different versions would not meet.
 */
function abstractName(prefix: string, key: string): string {
  const name = fitting(prefix, key, ABSTRACT_NAME_BYTES - 1);
  return `\0${name.padEnd(ABSTRACT_NAME_BYTES - 1, '.')}`;
}

/** Too long a name would be cut, and elections with like names be one. No name has a "#" in it. */
function fitting(prefix: string, key: string, longest: number): string {
  const name = prefix + key;
  return name.length <= longest ? name : `${prefix}#${digest(key)}`;
}

function socketPath(path: string): string {
  if (Buffer.byteLength(path) <= LONGEST_SOCKET_PATH) return path;
  throw new InvalidOptionError({
    option: 'directory',
    value: path,
    where: 'LocalElector',
    expected: `a folder whose sockets have paths of at most ${LONGEST_SOCKET_PATH} bytes`,
    remedy: 'Choose one that is less deep.',
  });
}

function digest(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 32);
}
