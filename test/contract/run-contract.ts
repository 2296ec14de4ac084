import { describe, test } from '@jest/globals';
import type { ContractCase } from 'nestjs-lifecycle/testing';

/** The cases of a contract as Jest tests. */
export function runContract(name: string, cases: readonly ContractCase[]): void {
  describe(name, () => {
    for (const it of cases) test(it.name, it.run, it.timeoutMs);
  });
}
