export { ManualClock } from './manual-clock.js';
export { ManualElector } from './manual-elector.js';
export { ComponentHarness, startComponent, type ComponentHarnessOptions } from './component-harness.js';
export { untilStatus } from './until-status.js';
