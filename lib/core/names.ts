import { InvalidOptionError } from './errors.js';

/** Elections and namespaces become keys, object names and subjects on every engine; this is what all of them allow. */
const ELECTION_NAME = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

/** @throws InvalidOptionError when `value` cannot name an election or a namespace on every engine */
export function assertElectionName(option: string, value: unknown, where?: string): asserts value is string {
  if (typeof value === 'string' && ELECTION_NAME.test(value)) return;
  throw new InvalidOptionError({
    option,
    value,
    expected: 'lower-case letters, digits and "-", at most 63, beginning and ending with a letter or digit',
    remedy: 'Rename it, for example "orders" or "order-feed".',
    ...(where !== undefined && { where }),
  });
}

/** @throws InvalidOptionError unless absent or an array of such names */
export function assertElectionNames(option: string, value: unknown, where: string): void {
  if (value === undefined) return;
  if (!Array.isArray(value)) {
    throw new InvalidOptionError({ option, value, where, expected: 'an array of names', remedy: "Write ['orders']." });
  }
  for (const [index, name] of value.entries()) assertElectionName(`${option}[${index}]`, name, where);
}
