import { MemoryElectionHub, MemoryElector } from 'nestjs-lifecycle/electors/memory';
import { StandaloneElector } from 'nestjs-lifecycle/electors/standalone';
import { electorContract } from 'nestjs-lifecycle/testing';
import { LeaseElector } from '../../lib/core/lease/lease-elector.js';
import { resolveLeaseTiming } from '../../lib/core/lease/lease-timing.js';
import type { Elector } from '../../lib/core/elector.js';
import { MemoryLeaseEngine, type MemoryLeaseStore } from '../fixtures/engines/memory-lease-engine.js';
import { runContract } from './run-contract.js';
import { virtualArena } from './virtual-arena.js';

runContract(
  'MemoryElector',
  electorContract({
    open: () =>
      virtualArena((clock) => {
        const hub = new MemoryElectionHub({ clock });
        return { createElector: () => new MemoryElector(hub) };
      }),
  }),
);

runContract(
  'StandaloneElector',
  electorContract({
    standalone: true,
    open: () => virtualArena((clock) => ({ createElector: () => new StandaloneElector({ clock }) })),
  }),
);

const ENGINES = [
  { name: 'with a clock that judges', judges: true, versioned: false },
  { name: 'with versions and no clock', judges: false, versioned: true },
  { name: 'with both', judges: true, versioned: true },
];

for (const { name, ...kind } of ENGINES) {
  runContract(
    `LeaseElector on an engine ${name}`,
    electorContract({
      faults: ['crash', 'disconnect'],
      open: () =>
        virtualArena((clock) => {
          const engine = new MemoryLeaseEngine({ clock, ...kind });
          const stores = new Map<Elector, MemoryLeaseStore>();
          const cut = (elector: Elector, isCutOff: boolean) => {
            const store = stores.get(elector);
            if (store !== undefined) store.isCutOff = isCutOff;
          };
          return {
            createElector() {
              const store = engine.createStore();
              const elector = new LeaseElector({ store, clock, timing: resolveLeaseTiming({}, 'the test') });
              stores.set(elector, store);
              return elector;
            },
            crash: (elector) => cut(elector, true),
            disconnect: (elector) => cut(elector, true),
            reconnect: (elector) => cut(elector, false),
          };
        }),
    }),
  );
}
