import type { Candidate, Diagnosis, Elector } from '../../core/elector.js';
import { CampaignUnderWayError } from '../../core/errors.js';
import { errorText } from '../../core/error-text.js';
import { CandidateVoice } from '../../core/lease/candidate-voice.js';
import { assertElectionName } from '../../core/names.js';
import { currentUser } from './current-user.js';
import { ElectionTurns } from './election-turns.js';
import { electionPlace, type ElectionPlace } from './election-place.js';
import { LocalCampaign, REFUSAL_PAUSE_MS } from './local-campaign.js';
import { POLL_MS } from './local-context.js';
import { resolveLocalOptions, type LocalElectorOptions, type LocalSettings } from './local-elector-options.js';
import { assertOwnDirectory } from './token-directory.js';
import { TokenFile } from './token-file.js';

/**
 * Elects among the processes of one user on one host, without a server: the kernel gives an address to one process at a
 * time, and frees it when the process ends, however it ends. There is no lease that could run out, and no clock decides.
 * A process that is stopped (SIGSTOP) or blocked goes on to lead: nobody takes over, and nothing happens twice.
 *
 * Processes that do not share a network namespace, as those of two containers, do not see each other: each has a leader.
 *
 * @publicApi
 */
export class LocalElector implements Elector {
  readonly reportsWithinMs = REFUSAL_PAUSE_MS + POLL_MS;
  readonly #settings: LocalSettings;
  readonly #turns: ElectionTurns | undefined;
  readonly #underWay = new Set<string>();
  readonly #tokens = new Map<string, TokenFile>();
  /** By election: when this process may stand again after a term that it gave up. */
  readonly #standBackUntil = new Map<string, number>();

  /** @throws InvalidOptionError */
  constructor(options: LocalElectorOptions) {
    this.#settings = resolveLocalOptions(options);
    this.#turns = this.#settings.spread ? new ElectionTurns(this.#settings.clock) : undefined;
    // Whether the directory is too deep does not depend on the election.
    this.#place('default');
  }

  /**
   * Stands for an election until `signal` aborts. A term that was given up is followed by a second in which others go
   * first, also when the next campaign follows at once.
   *
   * @throws CampaignUnderWayError while an earlier campaign for the same election has not ended
   * @throws InvalidOptionError for a name that cannot be one of an election
   */
  async campaign(election: string, candidate: Candidate, signal: AbortSignal): Promise<void> {
    assertElectionName('election', election, 'LocalElector');
    if (this.#underWay.has(election)) throw new CampaignUnderWayError(election);
    this.#underWay.add(election);
    try {
      const { address, clock } = this.#settings;
      const place = this.#place(election);
      const tokens = this.#tokensOf(election, place);
      const voice = new CandidateVoice(candidate, clock);
      const context = { election, candidate, voice, signal, place, tokens, address, clock, turns: this.#turns };
      const campaign = new LocalCampaign(context, this.#standBackUntil.get(election) ?? Number.NEGATIVE_INFINITY);
      await campaign.run();
      this.#standBackUntil.set(election, campaign.standBackUntil);
    } finally {
      this.#underWay.delete(election);
    }
  }

  /** Whether tokens can be kept, and who takes part. */
  async diagnose(): Promise<Diagnosis[]> {
    const { directory } = this.#settings;
    const scope: Diagnosis = {
      level: 'ok',
      summary: `LocalElector elects among the processes of user ${currentUser()} on this host, in this network namespace`,
    };
    try {
      assertOwnDirectory(directory);
      return [scope, { level: 'ok', summary: `Fencing tokens are kept in ${directory}` }];
    } catch (error) {
      const remedy = 'Let this user, and no other, write there, or give LocalElector another "directory".';
      return [scope, { level: 'error', summary: `No folder for fencing tokens: ${errorText(error)}`, remedy }];
    }
  }

  #place(election: string): ElectionPlace {
    const { namespace, directory } = this.#settings;
    return electionPlace({ platform: process.platform, user: currentUser(), namespace, election, directory });
  }

  #tokensOf(election: string, place: ElectionPlace): TokenFile {
    const tokens = this.#tokens.get(election) ?? new TokenFile(place.tokenFile, this.#settings.clock);
    this.#tokens.set(election, tokens);
    return tokens;
  }
}
