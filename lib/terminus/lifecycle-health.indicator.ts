import { Inject, Injectable } from '@nestjs/common';
import { HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import { DEFAULT_ELECTION } from '../core/elector.js';
import { Status } from '../core/status.js';
import type { ComponentVerdict } from '../health/component-verdict.js';
import type { ElectionVerdict } from '../health/election-verdict.js';
import { HealthMonitor } from '../health/health-monitor.js';
import { indicatorResult } from './indicator-result.js';

/**
 * What the library knows about health, as Terminus indicators for a controller of your own:
 *
 * ```ts
 * this.health.check([() => this.lifecycle.isHealthy(), () => this.db.pingCheck('database')]);
 * ```
 *
 * Answers from what is known: it runs no health check, never waits, and never throws. What is down is returned, so that
 * Terminus shows it beside everything else.
 *
 * @publicApi
 */
@Injectable()
export class LifecycleHealthIndicator {
  readonly #results = new WeakMap<ComponentVerdict | ElectionVerdict, HealthIndicatorResult>();
  #all: { components: unknown; elections: unknown; result: HealthIndicatorResult } | undefined;

  constructor(
    @Inject(HealthMonitor) private readonly monitor: HealthMonitor,
    @Inject(HealthIndicatorService) private readonly indicators: HealthIndicatorService,
  ) {}

  /**
   * Everything: one key `component:<name>` per component, one `leadership:<election>` per election. A component that is
   * up shows its state only when that is not `running`. The same frozen object for as long as nothing changes.
   */
  isHealthy(): HealthIndicatorResult {
    const components = this.monitor.components();
    const elections = this.monitor.elections();
    if (this.#all?.components !== components || this.#all.elections !== elections) {
      const parts = [...components.map((it) => this.#component(it)), ...elections.map((it) => this.#election(it))];
      // The prefixes of the keys keep names such as `__proto__` from meaning anything.
      this.#all = {
        components,
        elections,
        result: Object.freeze(Object.assign({}, ...parts) as HealthIndicatorResult),
      };
    }
    return this.#all.result;
  }

  /** One component, under the key `component:<name>`. Down when there is none of that name. */
  component(name: string): HealthIndicatorResult {
    const verdict = this.monitor.components().find((it) => it.name === name);
    if (verdict !== undefined) return this.#component(verdict);
    return indicatorResult(this.indicators, componentKey(name), 'down', { note: 'no component has this name' });
  }

  /** One election, under the key `leadership:<election>`. Down when no component of this app takes part in it. */
  leadership(election: string = DEFAULT_ELECTION): HealthIndicatorResult {
    const verdict = this.monitor.elections().find((it) => it.election === election);
    if (verdict !== undefined) return this.#election(verdict);
    return indicatorResult(this.indicators, electionKey(election), 'down', { note: 'this app takes no part in it' });
  }

  #component(verdict: ComponentVerdict): HealthIndicatorResult {
    return this.#cached(verdict, () => {
      const { name, level, info, note } = verdict;
      return indicatorResult(this.indicators, componentKey(name), level, {
        // Probes ask often, and of most components there is nothing to say.
        ...((level !== 'up' || info.status !== Status.Running) && { state: info.status }),
        ...(info.election !== undefined && { election: info.election }),
        ...(info.criticality !== 'critical' && { criticality: info.criticality }),
        ...(info.restarts > 0 && { restarts: info.restarts }),
        ...(note !== undefined && { since: new Date(info.since).toISOString(), note }),
      });
    });
  }

  #election(verdict: ElectionVerdict): HealthIndicatorResult {
    const { election, level, ...data } = verdict;
    return this.#cached(verdict, () => indicatorResult(this.indicators, electionKey(election), level, data));
  }

  #cached(verdict: ComponentVerdict | ElectionVerdict, make: () => HealthIndicatorResult): HealthIndicatorResult {
    const known = this.#results.get(verdict);
    if (known !== undefined) return known;
    const made = make();
    this.#results.set(verdict, made);
    return made;
  }
}

function componentKey(name: string): string {
  return `component:${name}`;
}

function electionKey(election: string): string {
  return `leadership:${election}`;
}
