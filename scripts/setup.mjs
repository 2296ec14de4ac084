import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { npm } from './npm.mjs';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

const modified = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** npm writes node_modules/.package-lock.json last, so an install that was interrupted counts as missing. */
const isInstalled = (folder) =>
  modified(join(folder, 'node_modules', '.package-lock.json')) >= modified(join(folder, 'package-lock.json'));

/** Makes a fresh clone, and one whose lock file has changed since, ready to run. */
export function setup(...folders) {
  for (const folder of folders.map((it) => join(ROOT, it))) {
    if (isInstalled(folder)) continue;
    console.log(`Installing the dependencies of ${folder}`);
    const { status, error } = npm(['ci', '--no-audit', '--no-fund'], { cwd: folder });
    if (status !== 0) throw new Error(`npm ci failed in ${folder}`, { cause: error });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) setup('.', 'test/nest11');
