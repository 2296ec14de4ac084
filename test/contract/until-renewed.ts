import type { Stage } from '../../lib/testing/contract/stage.js';
import type { Stand } from '../../lib/testing/contract/stand.js';

/** Waits until a leader has renewed its lease after now: one renewal may have been under way. */
export async function untilRenewed(stage: Stage, leader: Stand): Promise<void> {
  const renewals = () => leader.candidate.reports.filter(({ kind }) => kind === 'renewal').length;
  const before = renewals();
  await stage.until(() => renewals() > before + 1);
}
