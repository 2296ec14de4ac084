import { defineComponent } from '../../lib/registry/component-definition.js';
import { REGISTRY_DEFAULTS } from '../../lib/core/registry-options.js';
import { resolveEventBusOptions } from '../../lib/events/event-bus-options.js';
import { resolveHealthOptions, resolveOptions } from '../../lib/lifecycle.options.js';

const { registry, autoStart, awaitStart, failFast, exitOnFailure, drainDelayMs, elections } = resolveOptions({});
const { startTimeoutMs, stopTimeoutMs, shutdownTimeoutMs, unhealthyThreshold } = registry;
const { bufferSize, pauseBufferSize } = resolveEventBusOptions({});
const component = defineComponent({ start: () => undefined }, { name: 'any' }, REGISTRY_DEFAULTS);
const leader = defineComponent({ start: () => undefined }, { name: 'any', leaderOnly: true }, REGISTRY_DEFAULTS);

const limits = { startTimeoutMs, stopTimeoutMs, shutdownTimeoutMs, unhealthyThreshold };
const buffers = { bufferSize, pauseBufferSize };

/** What the code does when an option is left out, by the interface that has the option. */
export const DEFAULTS: Readonly<Record<string, object>> = {
  LifecycleModuleOptions: { autoStart, awaitStart, failFast, exitOnFailure, drainDelayMs, elections, ...limits },
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
};
