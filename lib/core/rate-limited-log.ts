import type { Clock } from './clock.js';
import type { LogLine } from './log-line.js';
import { guarded, type GuardedLogger, type LifecycleLogger } from './logger.js';

const REPEAT_AFTER_MS = 60_000;

/** Different messages in that time: those of an engine may differ in every one, by a port or a time. */
const MAX_MESSAGES = 20;

/**
 * Logs a message once, and again at most once a minute while it repeats, with the number of those left out: each of
 * several messages that take turns, and at most 20 different ones a minute. As fields, the number is `repeated` and the
 * message the same each time. A logger that throws is passed over.
 */
export class RateLimitedLog {
  readonly #logger: GuardedLogger;
  readonly #logged = new Map<string, { readonly at: number; skipped: number }>();

  constructor(
    logger: LifecycleLogger,
    private readonly clock: Clock,
  ) {
    this.#logger = guarded(logger);
  }

  warn(line: LogLine): void {
    const { message } = line;
    const now = this.clock.now();
    const last = this.#logged.get(message);
    if (last !== undefined && now - last.at < REPEAT_AFTER_MS) {
      last.skipped++;
      return;
    }
    if (last === undefined && !this.#hasRoom(now)) return;
    this.#logged.set(message, { at: now, skipped: 0 });
    this.#logger.warn(last !== undefined && last.skipped > 0 ? this.#counted(line, last.skipped) : line);
  }

  #counted(line: LogLine, repeated: number): LogLine {
    if (this.#logger.wantsFields) return { ...line, repeated };
    return { ...line, message: `${line.message} (${repeated} more of these since)` };
  }

  #hasRoom(now: number): boolean {
    if (this.#logged.size < MAX_MESSAGES) return true;
    for (const [message, { at }] of this.#logged) if (now - at >= REPEAT_AFTER_MS) this.#logged.delete(message);
    return this.#logged.size < MAX_MESSAGES;
  }
}
