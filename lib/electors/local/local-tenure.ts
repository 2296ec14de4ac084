import { ElectionTerm, serveTerm } from '../../core/election-term.js';
import { Claim } from './claim.js';
import { keepSignOfLife, type LocalContext } from './local-context.js';

/** The time in which the address of the election is this process's: a token, one term under it, and the release. */
export class LocalTenure {
  #term: ElectionTerm | undefined;
  #claim: Claim | undefined;

  constructor(private readonly context: LocalContext) {}

  /** Takes the address unless somebody has it. @throws what the system says when it is neither free nor taken */
  async begin(): Promise<boolean> {
    this.#claim = await Claim.take(this.context.place, {
      onLost: () => this.#term?.end('the address was closed'),
      onError: (error) => this.context.voice.failed('listen', error),
    });
    return this.#claim !== undefined;
  }

  /**
   * Leads until the candidate resigns or the campaign ends, and all work has settled; then gives the address up.
   *
   * @returns whether there was a term
   * @throws EngineRefusalError, after the release, when the token cannot be kept
   */
  async serve(): Promise<boolean> {
    try {
      await this.#lead();
      return this.#term !== undefined;
    } finally {
      await this.#claim?.release();
      this.context.voice.leads(undefined);
    }
  }

  async #lead(): Promise<void> {
    const { election, candidate, voice, signal, tokens, address } = this.context;
    if (signal.aborted) return;
    const { identity } = candidate;
    const me = { identity, ...(address !== undefined && { address }) };
    const token = await tokens.next(me, (error) => voice.failed('token', error));
    // Nothing was led under it: it is skipped.
    if (signal.aborted) return;
    this.#term = new ElectionTerm({ election, identity, fencingToken: token });
    this.#claim?.announce(token);
    voice.leads({ holder: String(token), token, ...me });
    const rest = keepSignOfLife(this.context, () => void tokens.touch());
    await serveTerm(candidate, this.#term, signal);
    rest();
  }
}
