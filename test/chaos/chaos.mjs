/**
 * `npm run chaos`: see docs/proof.md. Compiles the sources as they are now and runs those, so that what is edited during
 * a long run does not change it.
 */
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { load } from '../fixtures/typescript-hooks.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDERS = ['lib', 'scripts', 'test/chaos', 'test/fixtures'];
const CACHE = join(ROOT, '.cache');

mkdirSync(CACHE, { recursive: true });
// In the repository, so that packages are found.
const target = mkdtempSync(join(CACHE, 'chaos-'));
process.once('exit', () => rmSync(target, { recursive: true, force: true }));
for (const folder of FOLDERS) compile(join(ROOT, folder));
await import(pathToFileURL(join(target, 'test/chaos/main.js')).href);

function compile(folder) {
  for (const name of readdirSync(folder, { recursive: true })) {
    if (!/\.m?[jt]s$/.test(name)) continue;
    const file = join(folder, name);
    const compiled = join(target, relative(ROOT, file).replace(/\.ts$/, '.js'));
    mkdirSync(dirname(compiled), { recursive: true });
    const isSource = name.endsWith('.ts');
    writeFileSync(compiled, isSource ? load(pathToFileURL(file).href).source : readFileSync(file));
  }
}
