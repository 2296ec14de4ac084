import { closeSync, openSync, writeSync } from 'node:fs';
import { now, type Time } from './records.js';

const FLUSH_BYTES = 16 * 1024;

type Untimed<T> = T extends { readonly t: Time } ? Omit<T, 't'> & { readonly t?: Time } : never;

/** Appends records to a file of its own, one JSON line each. */
export class Journal<T extends { readonly t: Time }> {
  readonly #file: number;
  #buffer = '';
  #timer: NodeJS.Timeout | undefined;

  /** @param flushMs how long lines may wait to be written; 0: what was written is on file even if the process is killed */
  constructor(
    path: string,
    private readonly flushMs = 0,
  ) {
    this.#file = openSync(path, 'a');
  }

  /** Without a time of its own, a record is of now. */
  write(record: Untimed<T>): void {
    const line = `${JSON.stringify({ ...record, t: record.t ?? now() })}\n`;
    if (this.flushMs === 0) {
      writeSync(this.#file, line);
      return;
    }
    this.#buffer += line;
    if (this.#buffer.length > FLUSH_BYTES) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), this.flushMs).unref();
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#buffer !== '') writeSync(this.#file, this.#buffer);
    this.#buffer = '';
  }

  close(): void {
    this.flush();
    closeSync(this.#file);
  }
}
