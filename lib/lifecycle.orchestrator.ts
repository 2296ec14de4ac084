import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { EventEmitter2 } from '@nestjs/event-emitter';
import { Deferred } from './core/deferred.js';
import { DEFAULT_ELECTION } from './core/elector.js';
import { errorFields } from './core/error-fields.js';
import { errorStack, errorText } from './core/error-text.js';
import { ComponentFailedError, InvalidComponentError } from './core/errors.js';
import { LifecycleEvent, type ComponentStatusEvent } from './core/lifecycle-events.js';
import { listenAlongToShutdown, warnUnlessShutdownIsHandled } from './core/shutdown-signals.js';
import { ComponentDiscovery, type DiscoveredComponent } from './discovery/component-discovery.js';
import { RouteCheck } from './discovery/route-check.js';
import { modulesProviding, runHooksOutermost } from './discovery/module-position.js';
import { LIFECYCLE_PARTS, observedApp, type LifecycleParts } from './lifecycle.parts.js';
import { rehearseHandOver } from './lifecycle.rehearsal.js';
import { logFailure, stopInOrder } from './lifecycle.shutdown.js';
import { ManagementHost } from './management/management-host.js';

/** A boot is not the time. */
const REHEARSE_AFTER_MS = 100;

const OPEN_STATUS_PAGE =
  'The status page has no guard: everybody who reaches the port sees component names, identities and error texts. ' +
  'Set statusPage.guards, or see that only your own network reaches it.';

/**
 * The main flow: in which order an app boots, and when it stops. Everything else is in the parts.
 *
 * @internal
 */
@Injectable()
export class LifecycleOrchestrator implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy {
  #bootstrap: Promise<void> | undefined;
  #booted = false;
  #rehearsing = false;
  #stopping: Promise<void> | undefined;
  #stopListening: (() => void) | undefined;
  #cancelWarning: (() => void) | undefined;

  constructor(
    @Inject(LIFECYCLE_PARTS) private readonly parts: LifecycleParts,
    @Inject(ComponentDiscovery) private readonly discovery: ComponentDiscovery,
    @Inject(RouteCheck) private readonly routes: RouteCheck,
    @Inject(ModulesContainer) private readonly modules: ModulesContainer,
    @Inject(ManagementHost) private readonly management: ManagementHost,
  ) {
    runHooksOutermost(modules, LifecycleOrchestrator);
  }

  onModuleInit(): void {
    if (this.#stopListening !== undefined || this.#stopping !== undefined) return;
    // Nest may hold a shutdown back until a bootstrap that is under way has ended; ours would then start what is to stop.
    this.#stopListening = listenAlongToShutdown(() => void this.#stop());
    this.parts.observers.attach(observedApp(this.parts));
    this.parts.events.tap((name, payload) => {
      if (name === LifecycleEvent.ComponentStatus) this.#onStatus(payload as ComponentStatusEvent);
      if (name === LifecycleEvent.LeadershipObserved) this.#rehearseSoon();
    });
  }

  /** Runs after every other bootstrap hook of the app; once, also where Nest runs hooks again for a second application. */
  onApplicationBootstrap(): Promise<void> {
    return (this.#bootstrap ??= this.#prepareAndBoot().catch((error: unknown) => this.#failBoot(error)));
  }

  /** Runs before every other destroy hook of the app. Never rejects: on Nest 11 that would skip those hooks. */
  async onModuleDestroy(): Promise<void> {
    await this.#stop();
  }

  async #prepareAndBoot(): Promise<void> {
    const { options, logger } = this.parts;
    let boot: Promise<void> | undefined;
    try {
      if (this.#stopping !== undefined) return;
      this.#connectEmitter();
      for (const found of this.discovery.find()) this.#register(found);
      for (const message of this.routes.problems(options)) {
        logger.warn({ message, event: 'lifecycle.route' });
      }
      if (options.statusPage?.guards.length === 0) {
        logger.warn({ message: OPEN_STATUS_PAGE, event: 'lifecycle.status-page.open' });
      }
      this.#cancelWarning = warnUnlessShutdownIsHandled(logger, options.clock);
      if (options.autoStart) boot = this.parts.observers.during('boot', () => this.#boot());
    } finally {
      if (boot === undefined) this.#stopListening?.();
    }
    const booting = boot?.finally(() => this.#stopListening?.());
    if (options.awaitStart) return booting;
    booting?.catch((error: unknown) => {
      const line = { message: errorText(error), event: 'lifecycle.boot.failed', error: errorFields(error) };
      logger.error(line, errorStack(error));
    });
    // Dependencies that cannot work are found before anything starts: such an app must not come up either.
    await Promise.race([booting, nextTurn()]);
  }

  /** Nest runs no shutdown hook for an app that did not come up; whoever tries again needs the port. */
  async #failBoot(error: unknown): Promise<never> {
    await this.management.close();
    throw error;
  }

  async #boot(): Promise<void> {
    const { registry, leadership, health } = this.parts;
    // 1. Checks can begin: they look only at what is running.
    health.start();
    // 2. What runs on every replica, in the order of its dependencies; the leader-only ones stand by.
    await registry.startAll(new AbortController().signal, false);
    if (this.#stopping !== undefined) return;
    // 3. A replica that is broken from the start must not come up, let alone lead.
    const broken = this.#brokenFromTheStart();
    if (broken !== undefined) {
      await this.#stop();
      throw broken;
    }
    // 4. The first start is over: startup passes, readiness is up to the components.
    this.#booted = true;
    health.markStarted();
    // 5. Only now, since leader-only components may need the others: stand for election, without waiting to win.
    leadership.start(this.#elections());
  }

  #stop(): Promise<void> {
    if (this.#stopping !== undefined) return this.#stopping;
    // Known before the first step, which tells listeners of the app, and those may close it.
    const stopped = new Deferred<void>();
    this.#stopping = stopped.promise;
    const { logger, observers } = this.parts;
    void logFailure(
      logger,
      'Shutdown',
      observers.during('shutdown', () => this.#stopParts()),
    )
      .then(() => observers.detach())
      .then(() => stopped.resolve());
    return this.#stopping;
  }

  async #stopParts(): Promise<void> {
    // A boot that was cut short has seen no requests.
    await stopInOrder(this.parts, { drains: this.#booted });
    this.#stopListening?.();
    this.#cancelWarning?.();
  }

  #brokenFromTheStart(): ComponentFailedError | undefined {
    const { options, registry } = this.parts;
    if (!options.failFast || !options.awaitStart) return undefined;
    const broken = registry.brokenComponent((it) => it.criticality === 'critical' && it.leaderOnly !== true);
    return broken && new ComponentFailedError(broken.info.name, broken.error);
  }

  #register({ component, options, origin, providedAs }: DiscoveredComponent): void {
    const { enabled = true, ...managed } = options;
    const isEnabled = typeof enabled === 'function' ? enabled(this.parts.options.given) : enabled;
    if (typeof isEnabled !== 'boolean') {
      throw new InvalidComponentError(
        `Option "enabled" of ${origin} is ${String(isEnabled)}, expected a boolean or a function that returns one.`,
      );
    }
    this.parts.registry.register(component, {
      ...managed,
      enabled: isEnabled,
      origin,
      ...(providedAs && { providedAs }),
    });
  }

  /** Elections that components, marked methods and the module name; with none named, the default one. */
  #elections(): Set<string> {
    const { registry, leaderOnly, options } = this.parts;
    const named = [...registry.elections(), ...leaderOnly.elections(), ...options.elections];
    return new Set(named.length > 0 ? named : [DEFAULT_ELECTION]);
  }

  #connectEmitter(): void {
    // Nest's own search, in whichever module, goes through every provider of the app first.
    const emitter: unknown = modulesProviding(this.modules, EventEmitter2)
      .at(-1)
      ?.getProviderByKey(EventEmitter2)?.instance;
    // Without EventEmitterModule the bus serves an emitter of its own.
    if (emitter !== undefined && emitter !== null) this.parts.bus.attach(emitter as EventEmitter2);
  }

  /** Once it is known who leads: from then on a hand-over may come. */
  #rehearseSoon(): void {
    const { elector, options } = this.parts;
    if (this.#rehearsing || elector.standalone === true) return;
    this.#rehearsing = true;
    options.clock.setTimer(
      () => {
        if (this.#stopping === undefined) void rehearseHandOver();
      },
      REHEARSE_AFTER_MS,
      { background: true },
    );
  }

  #onStatus(event: ComponentStatusEvent): void {
    if (event.to === 'running') this.parts.health.markRunning();
    if (event.to !== 'failed' || event.restartInMs !== undefined || event.criticality !== 'critical') return;
    if (!this.#booted || !this.parts.options.exitOnFailure || this.#stopping !== undefined) return;
    const message = `Exiting: "${event.name}" failed for good, and exitOnFailure is on`;
    this.parts.logger.error({ message, event: 'lifecycle.exit', component: event.name });
    // oxlint-disable-next-line unicorn/no-process-exit -- the user asked for it
    void this.#stop().then(() => process.exit(1));
  }
}
