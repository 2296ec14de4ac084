import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { EngineRefusalError } from '../../core/errors.js';

/** The same on macOS and all BSDs; Node does not export it. */
const O_EXLOCK = 0x20;
const WITH_LOCKS: readonly NodeJS.Platform[] = ['darwin', 'freebsd', 'openbsd', 'netbsd'];

/**
 * Opens a file that nobody else has opened so, or returns `undefined`. The kernel frees it when it is closed, or the
 * process ends.
 *
 * @throws EngineRefusalError on systems without such locks
 */
export async function openExclusively(path: string): Promise<FileHandle | undefined> {
  if (!WITH_LOCKS.includes(process.platform)) {
    throw new EngineRefusalError(
      `LocalElector does not work on ${process.platform}, only on Linux, macOS, BSD and Windows. Use another elector.`,
    );
  }
  try {
    return await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_NONBLOCK | O_EXLOCK, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return undefined;
    throw error;
  }
}
