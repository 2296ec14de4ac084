import { expect } from '@jest/globals';
import type { Elector, LeadershipTerm } from '../../lib/core/elector.js';
import { until } from '../fixtures/until.js';
import { LeaseReplica } from './lease-replica.js';

/** What it stands for. */
interface Where {
  readonly election?: string;
}

/** Replicas of one service. In the end it is said whether two of them led at once, or a token did not rise. */
export class LeaseReplicas<E extends Elector, Options extends object> {
  readonly #all: LeaseReplica<E>[] = [];
  readonly #electors = new Set<E>();
  readonly #violations: string[] = [];

  /** @param create makes an elector: with the options given, over those that all replicas have */
  constructor(private readonly create: (options: Partial<Options>) => E) {}

  elector(options: Partial<Options>): E {
    const elector = this.create(options);
    this.#electors.add(elector);
    return elector;
  }

  /** Begins the campaign of one more replica. */
  stand({ election = 'default', ...options }: Partial<Options> & Where): LeaseReplica<E> {
    return this.standOn(this.elector(options as unknown as Partial<Options>), election);
  }

  /** The same on an elector that there is. */
  standOn(elector: E, election: string): LeaseReplica<E> {
    const identity = `replica-${this.#all.length}`;
    const replica = new LeaseReplica<E>(elector, election, identity, (it, term) => this.#judge(it, term));
    this.#all.push(replica);
    return replica;
  }

  /** Begins it, and waits until it leads. */
  async leading(options: Partial<Options> & Where): Promise<LeaseReplica<E>> {
    const replica = this.stand(options);
    await until(() => replica.leads);
    return replica;
  }

  /** The same for one more election on an elector that there is. */
  async leadingOn(elector: E, election: string): Promise<LeaseReplica<E>> {
    const replica = this.standOn(elector, election);
    await until(() => replica.leads);
    return replica;
  }

  /** Begins it, and waits until it knows the leader. */
  async following(leader: LeaseReplica<E>, options: Partial<Options> & Where): Promise<LeaseReplica<E>> {
    const replica = this.stand(options);
    await until(() => replica.observed.at(-1) === leader.identity);
    return replica;
  }

  leaders(): LeaseReplica<E>[] {
    return this.#all.filter((it) => it.leads);
  }

  async untilOneLeads(): Promise<LeaseReplica<E>> {
    let leader: LeaseReplica<E> | undefined;
    await until(() => {
      [leader] = this.leaders();
      return leader !== undefined;
    });
    return leader as LeaseReplica<E>;
  }

  /** Waits until one leads and renews its lease: a term from before a fault may still end by it. */
  async untilOneLeadsOn(): Promise<void> {
    let [leader, before] = [await this.untilOneLeads(), Infinity];
    await until(() => {
      const [now] = this.leaders();
      if (now !== undefined && (now !== leader || before === Infinity)) [leader, before] = [now, now.renewals];
      return leader.leads && leader.renewals > before + 3;
    });
  }

  /** Ends all campaigns, closes all electors, and judges. */
  async close(): Promise<void> {
    await Promise.all(this.#all.map((it) => it.end()));
    await Promise.all([...this.#electors].map(async (it) => it.close?.()));
    expect(this.#violations).toEqual([]);
  }

  #judge(replica: LeaseReplica, term: LeadershipTerm): void {
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
