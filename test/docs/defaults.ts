import { resolveLeaseTiming } from '../../lib/core/lease/lease-timing.js';
import { resolveLocalOptions } from '../../lib/electors/local/local-elector-options.js';
import { resolvePostgresOptions } from '../../lib/electors/postgres/postgres-elector-options.js';
import { LeaderOnly } from '../../lib/leader-only/leader-only.decorator.js';
import { markedMethodsOf } from '../../lib/leader-only/marked-method.js';
import { defineComponent } from '../../lib/registry/component-definition.js';
import { REGISTRY_DEFAULTS } from '../../lib/core/registry-options.js';
import { resolveEventBusOptions } from '../../lib/events/event-bus-options.js';
import { resolveHealthOptions, resolveOptions } from '../../lib/lifecycle.options.js';

const { registry, autoStart, awaitStart, failFast, exitOnFailure, watchdog, drainDelayMs, elections } = resolveOptions(
  {},
);
const { startTimeoutMs, stopTimeoutMs, shutdownTimeoutMs, unhealthyThreshold } = registry;
const { bufferSize, pauseBufferSize } = resolveEventBusOptions({});
const component = defineComponent({ start: () => undefined }, { name: 'any' }, REGISTRY_DEFAULTS);
const leader = defineComponent({ start: () => undefined }, { name: 'any', leaderOnly: true }, REGISTRY_DEFAULTS);

const { leaseMs, renewMs, requestTimeoutMs, stopBudgetMs } = resolveLeaseTiming({}, 'any');
const postgres = resolvePostgresOptions({ namespace: 'any', url: 'postgres://localhost' });

class Jobs {
  @LeaderOnly()
  run(): void {}
}
const [method] = markedMethodsOf(new Jobs());

const limits = { startTimeoutMs, stopTimeoutMs, shutdownTimeoutMs, unhealthyThreshold };
const buffers = { bufferSize, pauseBufferSize };

/** What the code does when an option is left out, by the interface that has the option. */
export const DEFAULTS: Readonly<Record<string, object>> = {
  LifecycleModuleOptions: {
    autoStart,
    awaitStart,
    failFast,
    exitOnFailure,
    watchdog,
    drainDelayMs,
    elections,
    ...limits,
  },
  HealthOptions: resolveHealthOptions(),
  EventsOptions: buffers,
  EventBusOptions: buffers,
  RegistryOptions: limits,
  RestartOptions: registry.restart,
  LifecycleComponentOptions: {
    leaderOnly: component.leaderOnly,
    election: leader.election,
    dependsOn: component.dependsOn,
    criticality: component.criticality,
    completes: component.completes,
    restart: component.restart.mode,
    onUnhealthy: component.onUnhealthy,
    enabled: component.enabled,
  },
  RegisterOptions: { enabled: component.enabled },
  LeaderOnlyOptions: { election: method?.election, retryAfterMs: method?.retryAfterMs },
  LeaseTimingOptions: { leaseMs, renewMs, requestTimeoutMs, stopBudgetMs },
  LocalElectorOptions: { spread: resolveLocalOptions({ namespace: 'any' }).spread },
  PostgresElectorOptions: {
    ...postgres.table,
    crashDetection: postgres.isSession ? 'session' : 'lease',
  },
};
