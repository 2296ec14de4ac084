import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalElector } from 'nestjs-lifecycle/electors/local';
import { electorContract, realTime } from 'nestjs-lifecycle/testing';
import { runContract } from '../run-contract.js';

let arenas = 0;

/** A hand-over takes milliseconds. What does not need one, and happens all the same, does so as soon. */
const PASS_MS = 500;

for (const spread of [false, true]) {
  runContract(
    `LocalElector${spread ? ' that spreads elections' : ''}`,
    electorContract({
      async open() {
        const directory = await mkdtemp(join(tmpdir(), 'local-elector-'));
        const namespace = `contract-${process.pid}-${arenas++}`;
        return {
          ...realTime({ passMs: PASS_MS }),
          createElector: () => new LocalElector({ namespace, directory, spread }),
          close: () => rm(directory, { recursive: true }),
        };
      },
    }),
  );
}
