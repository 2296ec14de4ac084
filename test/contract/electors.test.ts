import { MemoryElectionHub, MemoryElector } from 'nestjs-lifecycle/electors/memory';
import { StandaloneElector } from 'nestjs-lifecycle/electors/standalone';
import { electorContract } from './elector-contract.js';
import { virtualArena } from './virtual-arena.js';

electorContract({
  name: 'MemoryElector',
  open: async () =>
    virtualArena((clock) => {
      const hub = new MemoryElectionHub({ clock });
      return () => new MemoryElector(hub);
    }),
});

electorContract({
  name: 'StandaloneElector',
  standalone: true,
  open: async () => virtualArena((clock) => () => new StandaloneElector({ clock })),
});
