export { MemoryElectionHub, type MemoryElectionHubOptions } from './memory-election-hub.js';
export { MemoryElector } from './memory-elector.js';
