import type { LeaseStore } from '../../lib/core/lease/lease-store.js';
import { leaseStoreContract, ManualClock, virtualTime } from 'nestjs-lifecycle/testing';
import { MemoryLeaseEngine, MemoryLeaseStore } from '../fixtures/engines/memory-lease-engine.js';
import { runContract } from './run-contract.js';

const ENGINES = [
  { name: 'with a clock that judges', judges: true, versioned: false },
  { name: 'with versions and no clock', judges: false, versioned: true },
  { name: 'with both', judges: true, versioned: true },
];

const cut = (store: LeaseStore, isCutOff: boolean) => {
  if (store instanceof MemoryLeaseStore) store.isCutOff = isCutOff;
};

for (const { name, ...kind } of ENGINES) {
  runContract(
    `The store of an engine in memory ${name}`,
    leaseStoreContract({
      faults: ['disconnect', 'data loss'],
      open() {
        const clock = new ManualClock();
        const engine = new MemoryLeaseEngine({ clock, ...kind });
        return {
          ...virtualTime(clock),
          createStore: () => engine.createStore(),
          disconnect: (store) => cut(store, true),
          reconnect: (store) => cut(store, false),
          loseData: () => engine.loseData(),
          close: () => undefined,
        };
      },
    }),
  );
}
