import { ACQUIRE_CASES } from './acquire-cases.js';
import { CALL_CASES, DATA_LOSS_CASES, STORE_DISCONNECT_CASES } from './call-cases.js';
import { CASE_TIMEOUT_MS, type ContractCase } from './contract-case.js';
import type { LeaseStoreFixture } from './lease-store-fixture.js';
import { RENEW_CASES } from './renew-cases.js';
import { RUN_OUT_CASES } from './run-out-cases.js';
import { StoreStage } from './store-stage.js';
import { WATCH_CASES } from './watch-cases.js';

/**
 * What every lease store promises to the lease loop: steps that are atomic and compare, tokens that rise, calls that end.
 * An elector over a store that keeps this, and runs `electorContract()` too, has been tested as ours are.
 *
 * @returns test cases for any runner
 * @publicApi
 */
export function leaseStoreContract(fixture: LeaseStoreFixture): readonly ContractCase[] {
  const { faults = [], timeoutMs = CASE_TIMEOUT_MS } = fixture;
  const cases = [
    ...ACQUIRE_CASES,
    ...RUN_OUT_CASES,
    ...RENEW_CASES,
    ...CALL_CASES,
    ...WATCH_CASES,
    ...(faults.includes('disconnect') ? STORE_DISCONNECT_CASES : []),
    ...(faults.includes('data loss') ? DATA_LOSS_CASES : []),
  ];
  return cases.map(({ name, act }) => ({ name, timeoutMs, run: () => StoreStage.play(fixture, act) }));
}
