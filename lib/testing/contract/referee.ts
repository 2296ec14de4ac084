import type { LeadershipTerm } from '../../core/elector.js';
import { errorText } from '../../core/error-text.js';
import type { Stand, StandListener } from './stand.js';

/** Watches over what must hold at every moment of every case, whatever the case is about. */
export class Referee implements StandListener {
  readonly #violations = new Set<string>();
  readonly #stands: readonly Stand[];
  readonly #lastTokens = new Map<string, bigint>();
  readonly #ended = new Set<LeadershipTerm>();

  /** @param stands those of the case; they are added to it when they begin */
  constructor(stands: readonly Stand[]) {
    this.#stands = stands;
  }

  get violations(): readonly string[] {
    return [...this.#violations];
  }

  onBegin(stand: Stand, term: LeadershipTerm): void {
    const { election, candidate } = stand;
    const who = `${candidate.identity} in "${election}"`;
    if (stand.wasToldToEnd) this.#found(`a term of ${who} begins after its campaign was told to end`);
    if (term.election !== election) this.#found(`a term of ${who} is one of "${term.election}"`);
    if (term.identity !== candidate.identity) this.#found(`a term of ${who} names ${term.identity}`);
    if (stand.leads || candidate.working > 0) this.#found(`a term of ${who} begins before the one before has settled`);
    this.#compareToken(election, term.fencingToken, who);
    for (const rival of this.#stands) this.#compare(stand, rival, who);
  }

  onEnd(stand: Stand, failure?: { readonly error: unknown }): void {
    if (stand.hasCrashed) return;
    const who = `the campaign of ${stand.candidate.identity} in "${stand.election}"`;
    if (failure !== undefined) this.#found(`${who} rejects: ${errorText(failure.error)}`);
    else if (!stand.wasToldToEnd) this.#found(`${who} ends without being told to`);
    if (stand.candidate.working > 0) this.#found(`${who} is over before its work has settled`);
  }

  /** To be asked often: a term that was seen as ended must stay so. */
  look(): void {
    for (const { candidate } of this.#stands) for (const term of candidate.terms) this.#lookAt(term);
  }

  #lookAt(term: LeadershipTerm): void {
    const isValid = term.isValid();
    const name = `term ${term.fencingToken} of ${term.identity} in "${term.election}"`;
    if (isValid && term.signal.aborted) this.#found(`${name} is valid with its signal aborted`);
    if (isValid && this.#ended.has(term)) this.#found(`${name} is valid again after it was not`);
    if (!isValid) this.#ended.add(term);
  }

  #compareToken(election: string, token: bigint, who: string): void {
    const last = this.#lastTokens.get(election) ?? 0n;
    if (token <= last) this.#found(`a term of ${who} has token ${token} after ${last}`);
    else this.#lastTokens.set(election, token);
  }

  #compare(stand: Stand, rival: Stand, who: string): void {
    if (rival === stand || rival.election !== stand.election) return;
    const { identity } = rival.candidate;
    if (rival.leads) this.#found(`a term of ${who} begins while ${identity} leads`);
    else if (rival.candidate.working > 0 && !rival.hasCrashed) {
      this.#found(`a term of ${who} begins while work of ${identity} has not settled`);
    }
  }

  #found(violation: string): void {
    this.#violations.add(violation);
  }
}
