import { spawnSync } from 'node:child_process';

/** npm started through npm is found beside it; elsewhere only a shell finds `npm.cmd` on Windows. */
export function npm(args, options = {}) {
  const path = process.env.npm_execpath;
  const isNpm = path !== undefined && /npm-cli\.[cm]?js$/.test(path);
  const [command, prefix] = isNpm ? [process.execPath, [path]] : ['npm', []];
  const shell = !isNpm && process.platform === 'win32';
  return spawnSync(command, [...prefix, ...args], { stdio: 'inherit', shell, ...options });
}
