import { EngineRefusalError } from '../../core/errors.js';
import { HolderWatch } from './holder-watch.js';
import { POLL_MS, type LocalContext } from './local-context.js';

/** A holder that writes its token, on a busy disk, has nothing to say yet. */
const SILENCE_MS = 2 * POLL_MS;

/** Who holds the address of the election, as seen from here: for people, and to notice when it goes. */
export class HolderSight {
  readonly #watch: HolderWatch;
  readonly #since: number;
  #news: { readonly token: bigint | undefined } | undefined;
  #isKnown = false;

  /**
   * @param onKnown called once: it is a process of this service, and it leads
   * @param onGone called once, when the holder goes or cannot be reached; not after `close()`
   */
  constructor(
    private readonly context: LocalContext,
    private readonly onKnown: () => void,
    onGone: () => void,
  ) {
    this.#since = context.clock.now();
    const onNews = (token: bigint | undefined) => {
      this.#news = { token };
      void this.look();
    };
    this.#watch = new HolderWatch(context.place.address, onNews, onGone);
  }

  /** Whether the holder has not gone. */
  get open(): boolean {
    return this.#watch.open;
  }

  /** Idempotent. */
  close(): void {
    this.#watch.close();
    this.context.voice.leads(undefined);
  }

  /** Finds out who it is, if that is not known, and reports what stands in the way. Never rejects. */
  async look(): Promise<void> {
    if (this.#isKnown || !this.open) return;
    try {
      if (this.#news !== undefined) await this.#identify(this.#news.token);
      else if (this.context.clock.now() - this.#since > SILENCE_MS) throw this.#stranger('says nothing');
    } catch (error) {
      if (this.open) this.context.voice.failed('watch', error);
    }
  }

  /** The holder says only which token it leads under. Who that is says the file, which no other user can write. */
  async #identify(token: bigint | undefined): Promise<void> {
    if (token === undefined) throw this.#stranger('is not an elector');
    const record = await this.context.tokens.read();
    if (!this.open || this.#isKnown) return;
    if (record === undefined || record.token < token) throw this.#stranger('keeps its fencing token elsewhere');
    // Somebody has come after the one that is watched, or it is no elector and knows an old token.
    if (record.token > token) return;
    this.#isKnown = true;
    this.context.voice.leads({ holder: String(token), ...record });
    this.onKnown();
  }

  #stranger(what: string): EngineRefusalError {
    return new EngineRefusalError(
      `Whoever holds the address of election "${this.context.election}" ${what}. Is it stopped (SIGSTOP, a debugger)? Do ` +
        'all processes of the service have the same "directory" (TMPDIR decides its default)? Has another user taken the ' +
        'address (on Linux "ss -xlp" shows who)? Nobody else leads until it ends.',
    );
  }
}
