export { LocalElector } from './local-elector.js';
export type { LocalElectorOptions } from './local-elector-options.js';
