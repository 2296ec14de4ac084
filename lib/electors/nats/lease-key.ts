/**
 * The key of an election. What keys and subjects do not allow, and what has a meaning in them, is written as "=" and the
 * hexadecimal bytes, so that two elections never have one key.
 */
export function leaseKey(namespace: string, election: string): string {
  return `${encoded(namespace)}.${encoded(election)}`;
}

function encoded(name: string): string {
  if (name === '') return '=';
  return name.replaceAll(/[^-\w]/gu, (character) =>
    [...Buffer.from(character)].map((byte) => `=${byte.toString(16).padStart(2, '0')}`).join(''),
  );
}
