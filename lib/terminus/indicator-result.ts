import type { HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import type { HealthLevel } from '../health/component-verdict.js';

/** What Terminus shows about one key, besides its status. */
export type IndicatorData = Readonly<Record<string, unknown>> & { readonly note?: string };

type Session = ReturnType<HealthIndicatorService['check']>;

/**
 * One entry of a health response. The one place that knows how the majors of Terminus differ: 11 has no `degraded`, and
 * drops entries of that status without a word, so there it is up and its note says that it is degraded.
 */
export function indicatorResult(
  indicators: HealthIndicatorService,
  key: string,
  level: HealthLevel,
  data: IndicatorData,
): HealthIndicatorResult {
  const session = indicators.check(key);
  if (level === 'down') return session.down(data);
  if (level === 'up') return session.up(data);
  if (hasDegraded(session)) return session.degraded(data);
  return session.up({ ...data, note: data.note === undefined ? 'degraded' : `degraded: ${data.note}` });
}

function hasDegraded(session: Partial<Session>): boolean {
  return typeof session.degraded === 'function';
}
