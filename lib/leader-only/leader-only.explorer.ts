import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, ModulesContainer } from '@nestjs/core';
import { acceptsApp, bindToApp } from './app-binding.js';
import { LeaderOnlyCalls } from './leader-only-calls.js';
import { markedMethodsOf } from './marked-method.js';

/**
 * Finds the marked methods of an app, and tells the instances that Nest did not make itself which app they are in.
 * Before all other hooks: those may call such methods, and a skipped call is no error.
 *
 * @internal
 */
@Injectable()
export class LeaderOnlyExplorer implements OnModuleInit {
  constructor(
    @Inject(DiscoveryService) private readonly discovery: DiscoveryService,
    @Inject(LeaderOnlyCalls) private readonly calls: LeaderOnlyCalls,
    @Inject(ModulesContainer) modules: ModulesContainer,
  ) {
    // Nest runs the hooks of the module first that is farthest from the root.
    for (const module of modules.values()) {
      if (module.providers.has(LeaderOnlyExplorer)) module.distance = Number.MAX_SAFE_INTEGER;
    }
  }

  /** @throws LeaderOnlyUseError when an instance belongs to another app that has not stopped */
  onModuleInit(): void {
    for (const wrapper of [...this.discovery.getProviders(), ...this.discovery.getControllers()]) {
      // Of any scope: there may be no instance yet.
      const prototype: unknown = wrapper.isNotMetatype ? undefined : wrapper.metatype?.prototype;
      if (acceptsApp(prototype)) this.calls.expect(markedMethodsOf(Object.create(prototype)));
      // Whether its dependencies are static is asked last: that takes longer than all the rest.
      if (wrapper.isTransient || !acceptsApp(wrapper.instance)) continue;
      if (wrapper.isDependencyTreeStatic()) this.#adopt(wrapper.instance);
    }
  }

  #adopt(instance: object): void {
    this.calls.expect(markedMethodsOf(instance));
    bindToApp(instance, this.calls);
  }
}
