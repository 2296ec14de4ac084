// Components
export { ComponentHarness, startComponent, type ComponentHarnessOptions } from './component-harness.js';
export { untilStatus } from './until-status.js';

// Time and leadership, as a test wants them
export { ManualClock } from './manual-clock.js';
export { ManualElector } from './manual-elector.js';

// Contracts: what an elector and a lease store must keep
export { electorContract } from './contract/elector-contract.js';
export { leaseStoreContract } from './contract/lease-store-contract.js';
export { type ContractCase } from './contract/contract-case.js';
export { type ElectorArena, type ElectorFault, type ElectorFixture } from './contract/elector-fixture.js';
export {
  realTime,
  virtualTime,
  type ArenaTime,
  type RealTimeOptions,
  type VirtualTimeOptions,
} from './contract/arena-time.js';
export { type LeaseStoreArena, type LeaseStoreFault, type LeaseStoreFixture } from './contract/lease-store-fixture.js';
