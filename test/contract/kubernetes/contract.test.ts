import { afterAll, describe, test } from '@jest/globals';
import { electorContract } from '../../../lib/testing/contract/elector-contract.js';
import { KubernetesArena } from './kubernetes-arena.js';
import { SharedApi } from './shared-api.js';

describe('KubernetesElector', () => {
  const api = new SharedApi();

  afterAll(() => api.stop());

  const open = async () => KubernetesArena.open(await api.started());
  for (const it of electorContract({ open, faults: ['crash', 'disconnect'], timeoutMs: 120_000 })) {
    // Most of a case is waiting for leases to run out.
    test.concurrent(it.name, it.run, it.timeoutMs);
  }
});
