import { closeSync, fsync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { rm, utimes } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { Clock } from '../../core/clock.js';
import { errorText } from '../../core/error-text.js';
import { EngineRefusalError } from '../../core/errors.js';
import { assertOwnDirectory } from './token-directory.js';
import { formatTokenRecord, parseTokenRecord, type TokenRecord } from './token-record.js';

const synced = promisify(fsync);

/**
 * The last fencing token of an election, on disk. Only who holds the election's address writes it, and lets go of the
 * address only when the write has settled, so there is one writer at a time.
 *
 * Nobody leads while a token is made, so what takes microseconds is done at once: each turn through the thread pool takes
 * longer. Only for the disk itself nothing else has to wait.
 */
export class TokenFile {
  /** The largest that was seen here: the file may be deleted, and the clock set back. */
  #highest = 0n;

  constructor(
    private readonly path: string,
    private readonly clock: Clock,
  ) {}

  /**
   * A token that is larger than all before, on disk for good when this resolves.
   *
   * @param onUnreadable called when the file is not one of ours; then the clock alone says what is larger
   * @throws EngineRefusalError when it cannot be kept
   */
  async next(holder: Omit<TokenRecord, 'token'>, onUnreadable: (error: unknown) => void): Promise<bigint> {
    try {
      this.#look(onUnreadable);
      const now = BigInt(Math.round(this.clock.wallNow() * 1000));
      const token = now > this.#highest ? now : this.#highest + 1n;
      await this.#write({ ...holder, token });
      this.#highest = token;
      return token;
    } catch (error) {
      throw this.#refusal(error);
    }
  }

  /** What is kept; `undefined` when there is nothing. @throws EngineRefusalError when it cannot be read */
  async read(): Promise<TokenRecord | undefined> {
    try {
      return this.#look(() => undefined);
    } catch (error) {
      throw this.#refusal(error);
    }
  }

  /**
   * Does once what is done for a token, beside the file: for the first time it takes several times as long. Others may do the
   * same at the same time. Never rejects: what is wrong is said when it counts.
   */
  async rehearse(): Promise<void> {
    const draft = `${this.path}.rehearsal`;
    try {
      this.#look(() => undefined);
      await write(draft, formatTokenRecord({ token: 0n, identity: '' }));
      await syncDirectory(dirname(draft));
    } catch {
      // The disk may be full, or the folder not ours.
    }
    await rm(draft, { force: true }).catch(() => undefined);
  }

  /** Folders for temporary files are cleared of what nobody has touched for days. Never rejects. */
  async touch(): Promise<void> {
    const now = new Date();
    await utimes(this.path, now, now).catch(() => undefined);
  }

  #look(onUnreadable: (error: unknown) => void): TokenRecord | undefined {
    assertOwnDirectory(dirname(this.path));
    const text = this.#text();
    if (text === undefined) return undefined;
    const record = parseTokenRecord(text);
    if (record === undefined) onUnreadable(new Error(`${this.path} is not a token file; it is written anew`));
    else if (record.token > this.#highest) this.#highest = record.token;
    return record;
  }

  async #write(record: TokenRecord): Promise<void> {
    // Never half a file, and none that a crash of the host takes back after it was seen.
    const draft = `${this.path}.new`;
    await write(draft, formatTokenRecord(record));
    renameSync(draft, this.path);
    await syncDirectory(dirname(this.path));
  }

  #text(): string | undefined {
    try {
      return readFileSync(this.path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  #refusal(error: unknown): EngineRefusalError {
    if (error instanceof EngineRefusalError) return error;
    return new EngineRefusalError(
      `The fencing token cannot be kept in ${this.path}: ${errorText(error)}. Without it nobody leads. ` +
        'Let this user write there, or give LocalElector another "directory".',
      { cause: error },
    );
  }
}

function write(path: string, text: string): Promise<void> {
  return withFile(path, 'w', (file) => {
    writeFileSync(file, text);
    return synced(file);
  });
}

async function syncDirectory(path: string): Promise<void> {
  // Windows has no such thing.
  if (process.platform !== 'win32') await withFile(path, 'r', synced);
}

/** Closes the file in any case. */
async function withFile(path: string, flags: string, use: (file: number) => Promise<void>): Promise<void> {
  const file = openSync(path, flags, 0o600);
  try {
    await use(file);
  } finally {
    closeSync(file);
  }
}
