import type { Elector, LeadershipTerm } from 'nestjs-lifecycle';
import { aborted } from '../../fixtures/until.js';

/** Two terms of one election, as two replicas have them one after the other. */
export interface Terms {
  /** Over. Whoever was paused in it still has it in hand. */
  readonly old: LeadershipTerm;
  readonly current: LeadershipTerm;
  end(): Promise<void>;
}

export async function twoTerms(makeElector: () => Elector): Promise<Terms> {
  const first = await lead(makeElector());
  await first.end();
  const second = await lead(makeElector());
  return { old: first.term, current: second.term, end: second.end };
}

async function lead(elector: Elector) {
  const stop = new AbortController();
  let campaign = Promise.resolve();
  const term = await new Promise<LeadershipTerm>((resolve, reject) => {
    const candidate = {
      identity: 'any',
      onLeaderObserved: () => undefined,
      onReport: () => undefined,
      onElected: async (won: LeadershipTerm) => {
        resolve(won);
        await aborted(won.signal);
      },
    };
    campaign = elector.campaign('invoices', candidate, stop.signal);
    campaign.catch(reject);
  });
  const end = async () => {
    stop.abort();
    await campaign;
    await elector.close?.();
  };
  return { term, end };
}
