import { Logger, Module, type DynamicModule, type FactoryProvider, type Provider, type Type } from '@nestjs/common';
import {
  ApplicationConfig,
  DiscoveryModule,
  DiscoveryService,
  HttpAdapterHost,
  ModuleRef,
  ModulesContainer,
} from '@nestjs/core';
import { HealthCheckService, TerminusModule } from '@nestjs/terminus';
import type { Elector } from './core/elector.js';
import type { StatusPageOptions } from './core/status-page-options.js';
import { ComponentDiscovery } from './discovery/component-discovery.js';
import { RouteCheck } from './discovery/route-check.js';
import { modulesProviding } from './discovery/module-position.js';
import { StandaloneElector } from './electors/standalone/standalone-elector.js';
import { EventBus } from './events/event-bus.js';
import { HealthMonitor } from './health/health-monitor.js';
import { LeaderOnlyCalls } from './leader-only/leader-only-calls.js';
import { LeaderOnlyModule } from './leader-only/leader-only.module.js';
import { Leadership } from './leadership/leadership.js';
import { LifecycleInputModule } from './lifecycle-input.module.js';
import {
  checkAsyncOptions,
  optionsOf,
  resolveAsyncOptions,
  resolveAsyncStatusPage,
  resolveRootOptions,
  type LifecycleAsyncOptions,
  type LifecycleModuleExtras,
  type LifecycleRootOptions,
} from './lifecycle.module-options.js';
import {
  resolveHealthOptions,
  type LifecycleModuleOptions,
  type ResolvedHealthOptions,
  type ResolvedLifecycleOptions,
} from './lifecycle.options.js';
import { useManagementPort } from './lifecycle.management.js';
import { LifecycleOrchestrator } from './lifecycle.orchestrator.js';
import { assemble, LIFECYCLE_PARTS, type LifecycleParts } from './lifecycle.parts.js';
import { ManagementHost } from './management/management-host.js';
import { ManagementModule } from './management/management.module.js';
import { Registry } from './registry/registry.js';
import { normalizeHealthPath } from './terminus/health-path.js';
import { createHealthController, HEALTH_IS_ELSEWHERE } from './terminus/health.controller.js';
import { createStatusPageController } from './status-page/status-page.controller.js';
import { StatusPage } from './status-page/status-page.js';
import { LifecycleHealthIndicator } from './terminus/lifecycle-health.indicator.js';

const OPTIONS = Symbol('nestjs-lifecycle:options');
const ELECTOR = Symbol('nestjs-lifecycle:elector');
/** Options as the user's factory returned them. */
const RAW_OPTIONS = Symbol('nestjs-lifecycle:raw-options');
/** What is there also where the bare class is imported. */
const IMPORT_CHECK = Symbol('nestjs-lifecycle:import-check');

/**
 * Finds the components of an app, starts and stops them in order, runs the leader-only ones on the leader, and serves
 * their health. Import it once, in the root module.
 *
 * @publicApi
 */
@Module({ providers: [{ provide: IMPORT_CHECK, inject: [ModulesContainer], useFactory: warnWithoutForRoot }] })
export class LifecycleModule {
  /** @throws InvalidOptionError */
  static forRoot(options: LifecycleRootOptions = {}): DynamicModule {
    const { resolved, extras, elector } = resolveRootOptions(options);
    return build({
      extras,
      health: resolved.health,
      statusPage: resolved.statusPage,
      inputs: [{ provide: OPTIONS, useValue: resolved }, electorProvider(elector)],
    });
  }

  /**
   * As `forRoot()`, with options from a factory, a class or an existing provider. Routes and the elector provider
   * stand beside it.
   *
   * @throws InvalidOptionError
   */
  static forRootAsync(options: LifecycleAsyncOptions): DynamicModule {
    checkAsyncOptions(options);
    return build({
      extras: options,
      health: resolveHealthOptions(options.health),
      statusPage: resolveAsyncStatusPage(options),
      inputs: [
        ...rawOptionsProviders(options),
        {
          provide: OPTIONS,
          inject: [RAW_OPTIONS],
          useFactory: (returned: LifecycleModuleOptions) => resolveAsyncOptions(returned, options),
        },
        electorProvider(options.elector),
      ],
    });
  }
}

function build(parts: {
  extras: LifecycleModuleExtras;
  health: ResolvedHealthOptions;
  statusPage: Required<StatusPageOptions> | undefined;
  /** For OPTIONS and ELECTOR. */
  inputs: Provider[];
}): DynamicModule {
  const { extras, health, statusPage, inputs } = parts;
  const { imports = [] } = extras;
  return {
    module: LifecycleModule,
    global: extras.isGlobal ?? true,
    imports: [
      DiscoveryModule,
      TerminusModule,
      LeaderOnlyModule,
      ManagementModule,
      { module: LifecycleInputModule, imports, providers: inputs, exports: [OPTIONS, ELECTOR] },
      ...imports,
    ],
    controllers: [...healthControllers(health), ...statusPageControllers(statusPage, health)],
    providers: [
      { provide: LIFECYCLE_PARTS, inject: [OPTIONS, ELECTOR, LeaderOnlyCalls], useFactory: assemble },
      exposed(Registry, (it) => it.registry),
      exposed(Leadership, (it) => it.leadership),
      exposed(EventBus, (it) => it.bus),
      exposed(HealthMonitor, (it) => it.health),
      // `undefined` where it is off, and where another server serves it: then its controller answers 404.
      {
        provide: StatusPage,
        inject: [LIFECYCLE_PARTS],
        useFactory: (assembled: LifecycleParts) =>
          assembled.options.health.port === undefined ? assembled.statusPage : undefined,
      },
      LifecycleHealthIndicator,
      {
        provide: ComponentDiscovery,
        inject: [DiscoveryService],
        useFactory: (discovery: DiscoveryService) => new ComponentDiscovery(discovery),
      },
      {
        provide: RouteCheck,
        inject: [ApplicationConfig, DiscoveryService, HttpAdapterHost],
        useFactory: (config: ApplicationConfig, discovery: DiscoveryService, adapterHost: HttpAdapterHost) =>
          new RouteCheck(config, discovery, adapterHost),
      },
      {
        // The port of `forRootAsync()` is known only when its routes are fixed: the health controller asks.
        provide: HEALTH_IS_ELSEWHERE,
        inject: [LIFECYCLE_PARTS, ManagementHost, LifecycleHealthIndicator, HealthCheckService, ModuleRef],
        useFactory: useManagementPort,
      },
      LifecycleOrchestrator,
    ],
    exports: [Registry, Leadership, EventBus, HealthMonitor, LifecycleHealthIndicator, ManagementModule],
  };
}

/** @throws InvalidOptionError also for a path that only the management server will use */
function healthControllers(health: ResolvedHealthOptions): Type<object>[] {
  const path = normalizeHealthPath(health.path);
  return health.endpoints && health.port === undefined ? [createHealthController({ ...health, path })] : [];
}

/** Not where the management server has the page, as far as that is known yet. */
function statusPageControllers(
  statusPage: Required<StatusPageOptions> | undefined,
  health: ResolvedHealthOptions,
): Type<object>[] {
  return statusPage && health.port === undefined ? [createStatusPageController(statusPage)] : [];
}

function exposed<T>(
  token: Type<T> | (abstract new (...args: never[]) => T),
  pick: (parts: LifecycleParts) => T,
): Provider {
  return { provide: token as Type<T>, inject: [LIFECYCLE_PARTS], useFactory: pick };
}

/** @param given what stands beside the options; else the elector is what they say */
function electorProvider(given: LifecycleRootOptions['elector']): Provider {
  if (given !== undefined) return { provide: ELECTOR, ...given } as FactoryProvider<Elector>;
  return {
    provide: ELECTOR,
    inject: [OPTIONS, ModuleRef],
    useFactory: ({ elector, clock }: ResolvedLifecycleOptions, moduleRef: ModuleRef) => {
      if (elector === undefined) return new StandaloneElector({ clock });
      return typeof elector === 'function' ? moduleRef.create(elector as Type<Elector>) : elector;
    },
  };
}

function rawOptionsProviders({ useFactory, useClass, useExisting, inject = [] }: LifecycleAsyncOptions): Provider[] {
  if (useFactory) return [{ provide: RAW_OPTIONS, inject, useFactory }];
  if (useClass) return [useClass, { provide: RAW_OPTIONS, inject: [useClass], useFactory: optionsOf }];
  return useExisting ? [{ provide: RAW_OPTIONS, inject: [useExisting], useFactory: optionsOf }] : [];
}

/** The bare class brings nothing: beside `forRoot()` elsewhere it does no harm, alone it would start nothing in silence. */
function warnWithoutForRoot(modules: ModulesContainer): void {
  if (modulesProviding(modules, LifecycleOrchestrator).length > 0) return;
  new Logger('Lifecycle').warn(
    'LifecycleModule is imported without forRoot() or forRootAsync(), so no component is started. ' +
      'Import LifecycleModule.forRoot() in the root module.',
  );
}
