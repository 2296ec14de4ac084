import { lstatSync, mkdirSync, type Stats } from 'node:fs';
import { EngineRefusalError } from '../../core/errors.js';

const WRITABLE_BY_OTHERS = 0o022;

/**
 * Makes the folder if it is not there, and makes sure that only this user can change what is in it.
 *
 * @throws EngineRefusalError when somebody else could
 */
export function assertOwnDirectory(directory: string): void {
  const found = lstatMade(directory);
  if (!found.isDirectory()) refuse(directory, 'is not a directory, or a link to one');
  const user = process.geteuid?.();
  if (user === undefined) return;
  if (found.uid !== user) refuse(directory, `belongs to user ${found.uid}, and this process runs as ${user}`);
  if ((found.mode & WRITABLE_BY_OTHERS) !== 0) {
    refuse(directory, `can be written by other users (mode ${(found.mode & 0o777).toString(8)})`);
  }
}

/** Not stat(): a link that somebody else has laid leads wherever they want. */
function lstatMade(directory: string): Stats {
  try {
    return lstatSync(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    return lstatSync(directory);
  }
}

function refuse(directory: string, why: string): never {
  throw new EngineRefusalError(
    `The folder for fencing tokens, ${directory}, ${why}. Somebody else could change the tokens. ` +
      'Remove it or correct it, or give LocalElector another "directory".',
  );
}
