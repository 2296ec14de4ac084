import { CAMPAIGN_CASES } from './campaign-cases.js';
import { CASE_TIMEOUT_MS, type ContractCase } from './contract-case.js';
import type { ElectorFixture } from './elector-fixture.js';
import { CRASH_CASES, DISCONNECT_CASES } from './outage-cases.js';
import { RIVAL_CASES } from './rival-cases.js';
import { Stage } from './stage.js';

/**
 * What every elector promises, seen from outside: one leader at a time, tokens that rise, terms that end when they
 * should and only then, campaigns that go on.
 *
 * @returns test cases for any runner
 * @publicApi
 */
export function electorContract(fixture: ElectorFixture): readonly ContractCase[] {
  const { standalone = false, faults = [], timeoutMs = CASE_TIMEOUT_MS } = fixture;
  const cases = [
    ...CAMPAIGN_CASES,
    ...(standalone ? [] : RIVAL_CASES),
    ...(faults.includes('crash') ? CRASH_CASES : []),
    ...(faults.includes('disconnect') ? DISCONNECT_CASES : []),
  ];
  return cases.map(({ name, act }) => ({ name, timeoutMs, run: () => Stage.play(fixture, act) }));
}
