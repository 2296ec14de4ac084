import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { npm } from '../../scripts/npm.mjs';
import { ROOT } from '../../scripts/setup.mjs';

/** Once for all test files: packing builds dist/, which two at a time would take from under each other. */
export default function pack() {
  const folder = mkdtempSync(join(tmpdir(), 'packed-'));
  const { status, stdout, stderr } = npm(['pack', '--json', '--pack-destination', folder], {
    cwd: ROOT,
    stdio: 'pipe',
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(['npm pack failed:', stdout, stderr].join('\n'));
  process.env.PACKED_TARBALL = join(folder, tarballName(stdout));
  return () => rmSync(folder, { recursive: true, force: true });
}

/** Scripts that run before packing print to the same stream. */
function tarballName(stdout) {
  const name = /"filename":\s*"([^"]+)"/.exec(stdout)?.[1];
  if (name === undefined) throw new Error(`npm pack named no file:\n${stdout}`);
  return name;
}
