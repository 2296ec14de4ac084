import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';

const SCRIPT = fileURLToPath(new URL('../../scripts/api-report.mjs', import.meta.url));

it('has the public API that test/api/*.api.md say', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, '--check'], { encoding: 'utf8' });

  expect({ status, output: stdout + stderr }).toEqual({ status: 0, output: expect.any(String) });
}, 120_000);
