import type { LeaseElector, LeaseElectorOptions } from '../../../../lib/core/lease/lease-elector.js';
import type { Random } from '../../../fixtures/random.js';
import type { Checker } from './checker.js';
import type { Conditions } from './conditions.js';
import type { Exchange } from './connection.js';
import type { Engine } from './engine.js';
import type { World } from './world.js';

/** What all parts of a run share. */
export interface Setting {
  readonly random: Random;
  readonly world: World;
  readonly checker: Checker;
  readonly conditions: Conditions;
  readonly engine: Engine;
  readonly exchange: Exchange;
  /** The class under test; a faulty one for the controls. */
  readonly elector: new (options: LeaseElectorOptions) => LeaseElector;
  /** Whether the trace has every request. */
  readonly isVerbose: boolean;
}
