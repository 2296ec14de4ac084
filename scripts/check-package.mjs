import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import pack from '../test/package/pack.mjs';
import { ROOT } from './setup.mjs';

/** Started by its path: npx would look elsewhere for a tool that is not installed. */
function tool(packageName, command, args) {
  const folder = join(ROOT, 'node_modules', packageName);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const { status } = spawnSync(process.execPath, [join(folder, bin[command]), ...args], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  return status === 0;
}

// Spelled out, as neither tool goes through what a pattern in `exports` stands for.
const inFolder = (folder) => {
  const found = readdirSync(join(ROOT, 'lib', folder), { withFileTypes: true });
  return found.filter((it) => it.isDirectory()).map(({ name }) => `${folder}/${name}`);
};
const optional = ['electors', 'metrics', 'traces'].flatMap(inFolder);

function check(tarball) {
  const options = ['--profile', 'esm-only', '--no-definitely-typed', '--no-emoji', '--format', 'ascii'];
  const entries = ['--entrypoints', '.', 'registry', 'testing', ...optional];
  const clean = tool('publint', 'publint', ['run', tarball, '--strict']);
  return tool('@arethetypeswrong/cli', 'attw', [tarball, ...options, ...entries]) && clean;
}

const [tarball] = process.argv.slice(2);
const remove = tarball === undefined ? pack() : () => {};
try {
  if (!check(tarball ?? process.env.PACKED_TARBALL)) process.exitCode = 1;
} finally {
  remove();
}
