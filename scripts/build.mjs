import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from './setup.mjs';

export function compile(project, outDir, ...flags) {
  // A file that the sources no longer have must not reach the package.
  rmSync(join(ROOT, outDir), { recursive: true, force: true });
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status, error } = spawnSync(process.execPath, [tsc, '-p', project, '--outDir', outDir, ...flags], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error(`${project} does not compile`, { cause: error });
}

export const buildLib = () => compile('tsconfig.build.json', 'dist');
export const buildSamples = () => compile('tsconfig.sample.json', 'dist-sample');

if (import.meta.url === pathToFileURL(process.argv[1]).href) buildLib();
