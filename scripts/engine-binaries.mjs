import { accessSync, constants, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The servers that tests start themselves, the browser that looks at the status page, and Debian's packages for them. */
export const ENGINES = [
  { name: 'redis', binaries: ['redis-server'], package: 'redis-server' },
  { name: 'postgres', binaries: ['postgres', 'initdb'], package: 'postgresql' },
  { name: 'pgbouncer', binaries: ['pgbouncer'], package: 'pgbouncer' },
  { name: 'mariadb', binaries: ['mariadbd', 'mariadb-install-db'], package: 'mariadb-server' },
  { name: 'nats', binaries: ['nats-server'], package: 'nats-server' },
  { name: 'etcd', binaries: ['etcd'], package: 'etcd-server' },
  { name: 'chromium', binaries: ['chromium'], package: 'chromium' },
  { name: 'promtool', binaries: ['promtool'], package: 'prometheus' },
];

/** Where Debian puts PostgreSQL: on nobody's PATH, one folder a major version. */
const POSTGRES_ROOT = '/usr/lib/postgresql';
/** On root's PATH only. */
const SYSTEM_FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

/** The path of an engine's program, or `undefined` when it is not installed. */
export function findBinary(name) {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...postgresFolders(), ...SYSTEM_FOLDERS];
  return folders
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

export function missingEngines() {
  return ENGINES.filter(({ binaries }) => binaries.some((binary) => findBinary(binary) === undefined));
}

function postgresFolders() {
  try {
    const versions = readdirSync(POSTGRES_ROOT).toSorted((a, b) => Number(b) - Number(a));
    return versions.map((version) => join(POSTGRES_ROOT, version, 'bin'));
  } catch {
    return [];
  }
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
