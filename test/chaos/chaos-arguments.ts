import { parseArgs } from 'node:util';
import { isControl, type ControlName } from './faults/control-plan.js';
import { ENGINES, type EngineName } from './records.js';

export interface ChaosArguments {
  readonly engine: EngineName;
  readonly minutes: number;
  readonly seed: number;
  /** One mistake that is made on purpose. */
  readonly control?: ControlName;
  /** All of them, one after the other: each has to be found. */
  readonly controls: boolean;
  readonly quiet: boolean;
  readonly keep: boolean;
}

export const USAGE =
  'npm run chaos -- --engine <local|redis|postgres|postgres-session|mysql> [--minutes N] [--seed S] ' +
  '[--control <name> | --controls] [--quiet] [--keep]';

/** @throws Error that says what is wrong */
export function chaosArguments(args: readonly string[], randomSeed: () => number): ChaosArguments {
  const { values } = parseArgs({
    args: [...args],
    options: {
      engine: { type: 'string' },
      minutes: { type: 'string' },
      seed: { type: 'string' },
      control: { type: 'string' },
      controls: { type: 'boolean', default: false },
      quiet: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
    },
  });
  const engine = ENGINES.find((it) => it === values.engine);
  if (engine === undefined)
    throw new Error(`--engine is ${values.engine ?? 'missing'}, expected ${ENGINES.join(', ')}`);
  const minutes = numberOf('minutes', values.minutes) ?? 2;
  const seed = numberOf('seed', values.seed) ?? randomSeed();
  const { control, controls, quiet, keep } = values;
  if (control !== undefined && !isControl(control)) throw new Error(`--control ${control} is none`);
  return { engine, minutes, seed, controls, quiet, keep, ...(control !== undefined && { control }) };
}

function numberOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0) || value === Infinity)
    throw new Error(`--${name} is "${text}", no number of at least 0`);
  return value;
}
