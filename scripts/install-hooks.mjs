import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './setup.mjs';

// `prepare` also runs where there is nothing to hook into: in an unpacked archive, or without git.
const lefthook = join(ROOT, 'node_modules', 'lefthook', 'bin', 'index.js');
if (existsSync(join(ROOT, '.git')) && existsSync(lefthook)) {
  const { status } = spawnSync(process.execPath, [lefthook, 'install'], { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) console.warn('The git hooks are not installed: run `npx lefthook install`.');
}
