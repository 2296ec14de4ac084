import { onAbort } from '../../core/abort.js';
import { backoffMs } from '../../core/backoff.js';
import { delay } from '../../core/clock.js';
import { asRefusal } from './refusals.js';
import type { ElectionTurns } from './election-turns.js';
import { HolderSight } from './holder-sight.js';
import { keepSignOfLife, POLL_MS, type LocalContext } from './local-context.js';
import { LocalTenure } from './local-tenure.js';

const POLL_JITTER = 0.2;
/** Nothing changes until somebody has acted on the error's message. */
export const REFUSAL_PAUSE_MS = 4000;
/** An address that is taken and where nobody answers: its holder is stopped, or on its way out. */
const RETRY = { initialMs: 2, maxMs: 1000 };
/** With `spread` only: how long to look whether somebody holds the address before it counts as held. */
const LOOK_MS = 50;
/** Whoever gave a term up lets the others try first. */
const STAND_BACK_MS = 1000;

/** An address that was won, and what to call when it is given up. */
interface Claimed {
  readonly tenure: LocalTenure;
  readonly leave: (() => void) | undefined;
}

/** One candidate in one election: tries for the address, leads while it has it, else waits for whoever has it to go. */
export class LocalCampaign {
  #holder: HolderSight | undefined;
  #endPause: () => void = () => undefined;
  #standBackUntil: number;
  #rehearsed: Promise<void> | undefined;
  #claimed: Claimed | undefined;
  /** Tries in a row after which nobody is known to lead. */
  #failures = 0;

  /** @param standBackUntil time on the clock before which others go first */
  constructor(
    private readonly context: LocalContext,
    standBackUntil: number,
  ) {
    this.#standBackUntil = standBackUntil;
  }

  /** For the campaign that follows this one: time on the clock before which others go first. */
  get standBackUntil(): number {
    return this.#standBackUntil;
  }

  /** Resolves when the signal has aborted and nothing is left. Never rejects. */
  async run(): Promise<void> {
    const { signal, voice } = this.context;
    while (!signal.aborted) {
      try {
        await this.#tryOnce();
        await this.#follow();
      } catch (error) {
        const refused = voice.failed('claim', asRefusal(error));
        if (this.#holder?.open !== true) this.#forgetHolder();
        await this.#pause(refused ? REFUSAL_PAUSE_MS : this.#nextRetryMs());
      }
    }
    this.#forgetHolder();
    voice.leads(undefined);
    await this.#rehearsed;
  }

  async #tryOnce(): Promise<void> {
    const { turns, clock } = this.context;
    if (clock.now() < this.#standBackUntil) return;
    // While somebody holds it, it is only a look, for which nobody has to wait.
    if (turns === undefined || this.#holder !== undefined) await this.#claim();
    else await this.#claimInTurn(turns);
    const claimed = this.#claimed;
    this.#claimed = undefined;
    if (claimed !== undefined) await this.#lead(claimed);
  }

  async #claimInTurn(turns: ElectionTurns): Promise<void> {
    const rest = keepSignOfLife(this.context);
    try {
      await turns.take(async () => {
        if (await this.#staysFree(turns.waitMs)) await this.#claim();
      });
    } finally {
      rest();
    }
  }

  /** Whether nobody holds the address, now and after a wait. */
  async #staysFree(waitMs: number): Promise<boolean> {
    this.#holder = this.#watchHolder();
    // Ends at once where there is nobody.
    await this.#pause(LOOK_MS);
    if (this.#holder.open) return false;
    this.#forgetHolder();
    await this.#pause(waitMs * (0.8 + Math.random() / 5));
    return !this.context.signal.aborted;
  }

  async #claim(): Promise<void> {
    const { voice, clock, signal, turns } = this.context;
    if (signal.aborted) return;
    const startedAt = clock.now();
    const tenure = new LocalTenure(this.context);
    const won = await tenure.begin();
    voice.report({ kind: 'attempt', won, latencyMs: clock.now() - startedAt });
    if (!won) return void this.#holder?.look();
    this.#claimed = { tenure, leave: turns?.lead() };
  }

  async #lead({ tenure, leave }: Claimed): Promise<void> {
    this.#forgetHolder();
    try {
      if (!(await tenure.serve())) return;
      this.#failures = 0;
      this.#standBackUntil = this.context.clock.now() + STAND_BACK_MS;
    } finally {
      leave?.();
    }
  }

  /** Until it is worth another try. */
  async #follow(): Promise<void> {
    if (this.context.signal.aborted) return;
    this.#holder ??= this.#watchHolder();
    this.#rehearse();
    await this.#pause(this.#untilMayTry(POLL_MS * (1 + POLL_JITTER * Math.random())));
    if (this.#holder.open || this.context.signal.aborted) return;
    this.#forgetHolder();
    // At once the first time: that is the hand-over.
    if (this.#failures === 0) this.#failures = 1;
    else await this.#pause(this.#untilMayTry(this.#nextRetryMs()));
  }

  /** While somebody else leads, and nobody waits for this. */
  #rehearse(): void {
    this.#rehearsed ??= this.context.tokens.rehearse();
  }

  #watchHolder(): HolderSight {
    const onKnown = () => {
      this.#failures = 0;
      // The others have had their turn.
      this.#standBackUntil = Math.min(this.#standBackUntil, this.context.clock.now());
    };
    return new HolderSight(this.context, onKnown, () => this.#endPause());
  }

  #forgetHolder(): void {
    this.#holder?.close();
    this.#holder = undefined;
  }

  /** A pause, cut to the time for which others go first. */
  #untilMayTry(pauseMs: number): number {
    const standBackMs = this.#standBackUntil - this.context.clock.now();
    return standBackMs > 0 ? Math.min(standBackMs, pauseMs) : pauseMs;
  }

  #nextRetryMs(): number {
    return backoffMs(this.#failures++, RETRY, Math.random());
  }

  /** Ends early when the holder goes, or the campaign ends. */
  async #pause(pauseMs: number): Promise<void> {
    const cut = new AbortController();
    const unlisten = onAbort(this.context.signal, () => cut.abort());
    this.#endPause = () => cut.abort();
    if (this.#holder?.open === false) cut.abort();
    await delay(this.context.clock, pauseMs, cut.signal, { background: true });
    unlisten();
  }
}
