import type { LeaseElector } from '../../../../lib/core/lease/lease-elector.js';
import { drawRate } from './conditions.js';
import { Connection } from './connection.js';
import { Host } from './host.js';
import { ModelCandidate } from './model-candidate.js';
import type { Setting } from './setting.js';

const ELECTION = 'default';

/** A process that stands for the election, in one campaign after the other, until it is killed. */
export class Replica {
  readonly host: Host;
  readonly candidate: ModelCandidate;
  readonly connection: Connection;
  readonly #elector: LeaseElector;
  #campaign: AbortController | undefined;
  #isRestarting = false;

  /** @param generation tells the processes of one name apart */
  constructor(
    readonly name: string,
    generation: number,
    private readonly setting: Setting,
    onSlowAnswer: () => void,
  ) {
    const { random, world, checker, conditions } = setting;
    const { timing, sameIdentity, shutdownTimeoutMs } = conditions;
    this.host = new Host(world, drawRate(random), () => random.next());
    this.candidate = new ModelCandidate(name, sameIdentity ? 'same' : name, this.host, setting);
    this.connection = new Connection(this.host, this.candidate, setting, onSlowAnswer);
    this.host.onResume = () => checker.onResume(this.candidate);
    let parts = 0;
    this.#elector = new setting.elector({
      store: this.connection,
      timing,
      shutdownTimeoutMs,
      clock: this.host,
      random: () => random.next(),
      randomPart: () => `${name}${generation}.${++parts}`,
    });
    checker.candidates.push(this.candidate);
    checker.say(`${name} starts, rate ${this.host.rate.toFixed(3)}`);
    this.campaign();
  }

  get isCampaigning(): boolean {
    return this.#campaign !== undefined;
  }

  campaign(): void {
    const control = (this.#campaign = new AbortController());
    this.candidate.isCampaigning = true;
    this.#elector.campaign(ELECTION, this.candidate, control.signal).then(
      () => this.#onEnd(control.signal.aborted ? undefined : 'ended by itself'),
      (error: unknown) => this.#onEnd(`rejected: ${String(error)}`),
    );
  }

  endCampaign(): void {
    this.#campaign?.abort(new Error('told to'));
  }

  /** Ends the campaign, and begins another one later. */
  restart(inMs: number): void {
    if (!this.isCampaigning || this.#isRestarting) return;
    this.#isRestarting = true;
    this.setting.checker.say(`${this.name} is told to end its campaign`);
    this.endCampaign();
    const again = () => {
      if (this.isCampaigning) return this.host.receive(100, again);
      this.#isRestarting = false;
      this.setting.checker.say(`${this.name} campaigns again`);
      this.campaign();
    };
    this.host.receive(inMs, again);
  }

  kill(): void {
    this.setting.checker.say(`${this.name} is killed`);
    this.host.kill();
    this.#campaign = undefined;
    this.candidate.isCampaigning = false;
  }

  #onEnd(violation: string | undefined): void {
    const { checker } = this.setting;
    checker.say(`${this.name}: the campaign has ended`);
    this.#campaign = undefined;
    this.candidate.isCampaigning = false;
    if (violation !== undefined) checker.violate(`the campaign of ${this.name} ${violation}`);
    if (this.candidate.isWorking) checker.violate(`the campaign of ${this.name} ended before its work`);
  }
}
