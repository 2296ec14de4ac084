import { expect } from '@jest/globals';
import { MysqlElector, type MysqlElectorOptions } from 'nestjs-lifecycle/electors/mysql';
import type { LeadershipTerm } from '../../../lib/core/elector.js';
import { until } from '../../fixtures/until.js';
import { Replica } from './replica.js';
import { TIMING } from './timing.js';

type Options = Partial<MysqlElectorOptions> & { readonly election?: string };

/** Replicas of one service. In the end it is said whether two of them led at once, or a token did not rise. */
export class Replicas {
  readonly #all: Replica[] = [];
  readonly #electors = new Set<MysqlElector>();
  readonly #violations: string[] = [];

  elector(options: Partial<MysqlElectorOptions>): MysqlElector {
    const elector = new MysqlElector({ namespace: 'orders', timing: TIMING, ...options });
    this.#electors.add(elector);
    return elector;
  }

  /** Begins the campaign of one more replica. */
  stand({ election = 'default', ...options }: Options): Replica {
    return this.standOn(this.elector(options), election);
  }

  /** The same on an elector that there is. */
  standOn(elector: MysqlElector, election: string): Replica {
    const identity = `replica-${this.#all.length}`;
    const replica = new Replica(elector, election, identity, (it, term) => this.#judge(it, term));
    this.#all.push(replica);
    return replica;
  }

  /** Begins it, and waits until it leads. */
  async leading(options: Options): Promise<Replica> {
    const replica = this.stand(options);
    await until(() => replica.leads);
    return replica;
  }

  /** The same for one more election on an elector that there is. */
  async leadingOn(elector: MysqlElector, election: string): Promise<Replica> {
    const replica = this.standOn(elector, election);
    await until(() => replica.leads);
    return replica;
  }

  /** Begins it, and waits until it knows the leader. */
  async following(leader: Replica, options: Options): Promise<Replica> {
    const replica = this.stand(options);
    await until(() => replica.observed.at(-1) === leader.identity);
    return replica;
  }

  leaders(): Replica[] {
    return this.#all.filter((it) => it.leads);
  }

  async untilOneLeads(): Promise<Replica> {
    let leader: Replica | undefined;
    await until(() => {
      [leader] = this.leaders();
      return leader !== undefined;
    });
    return leader as Replica;
  }

  /** Ends all campaigns, closes all electors, and judges. */
  async close(): Promise<void> {
    await Promise.all(this.#all.map((it) => it.end()));
    await Promise.all([...this.#electors].map((it) => it.close()));
    expect(this.#violations).toEqual([]);
  }

  #judge(replica: Replica, term: LeadershipTerm): void {
    const { identity, election } = replica;
    for (const rival of this.#all) {
      if (rival === replica || rival.election !== election) continue;
      if (rival.leads) this.#violations.push(`${identity} begins a term while ${rival.identity} leads`);
      if (rival.lastToken >= term.fencingToken) {
        this.#violations.push(`${identity} gets token ${term.fencingToken} after ${rival.lastToken}`);
      }
    }
  }
}
