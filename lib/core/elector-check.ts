import type { Elector } from './elector.js';
import { InvalidOptionError } from './errors.js';
import { isClass } from './option-checks.js';

/** Whether something can be campaigned with. */
export function isElector(value: unknown): value is Elector {
  return typeof value === 'object' && value !== null && typeof (value as Partial<Elector>).campaign === 'function';
}

/** @throws InvalidOptionError unless absent, an elector or a class that may be one */
export function assertElector(elector: unknown, where: string): void {
  if (elector === undefined || isElector(elector) || isClass(elector)) return;
  throw new InvalidOptionError({
    option: 'elector',
    value: elector,
    where,
    expected: 'an elector (an object with a campaign() method) or the class of one',
    remedy:
      'Pass for example new MemoryElector(hub). A provider ({ useFactory, inject }) belongs beside the options: ' +
      'directly in forRoot(), or next to useFactory in forRootAsync().',
  });
}
