// folder-elector.test.ts
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { electorContract, leaseStoreContract, realTime } from 'nestjs-lifecycle/testing';
import { FolderElector } from './folder-elector.js';
import { FolderLeaseStore } from './folder-lease-store.js';

const newFolder = () => mkdtemp(join(tmpdir(), 'leases-'));

const storeCases = leaseStoreContract({
  async open() {
    const folder = await newFolder();
    return {
      ...realTime({ passMs: 1500 }),
      createStore: () => new FolderLeaseStore(folder),
      close: () => rm(folder, { recursive: true }),
    };
  },
});

const electorCases = electorContract({
  async open() {
    const folder = await newFolder();
    return {
      // More than the lease of 3 s and a poll.
      ...realTime({ passMs: 5000 }),
      createElector: () => new FolderElector({ folder, namespace: 'orders', timing: 'fast', emptyStoreWaitMs: 0 }),
      close: () => rm(folder, { recursive: true }),
    };
  },
});

describe('the store', () => {
  for (const it of storeCases) test.concurrent(it.name, it.run, it.timeoutMs);
});

describe('the elector', () => {
  for (const it of electorCases) test.concurrent(it.name, it.run, it.timeoutMs);
});
