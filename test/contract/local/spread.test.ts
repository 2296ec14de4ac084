import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from '@jest/globals';
import { LocalElector } from 'nestjs-lifecycle/electors/local';
import { expectSpread } from '../spread.js';

test.each([0, 200])('nine elections are spread over three replicas that start %d ms apart', async (gapMs) => {
  const directory = await mkdtemp(join(tmpdir(), 'local-spread-'));
  const namespace = `spread-${process.pid}-${gapMs}`;
  try {
    await expectSpread(() => new LocalElector({ namespace, directory, spread: true }), gapMs);
  } finally {
    await rm(directory, { recursive: true });
  }
});
