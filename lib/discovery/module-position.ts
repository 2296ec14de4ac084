import type { ModulesContainer } from '@nestjs/core';
import { DuplicateModuleError } from '../core/errors.js';

type NestModule = ModulesContainer extends Map<string, infer M> ? M : never;

/** The modules of an app that have a provider. */
export function modulesProviding(modules: ModulesContainer, provider: object): NestModule[] {
  return [...modules.values()].filter((it) => it.providers.has(provider as never));
}

/**
 * Nest runs bootstrap hooks from the module farthest from the root to the nearest, and destroy hooks the other way
 * round. Nearer than the root itself, those of a module run last at bootstrap and first at destroy, wherever it is
 * imported. Has to be called before Nest runs its first hook, from a constructor.
 *
 * @throws DuplicateModuleError when the app has the module with this provider more than once
 */
export function runHooksOutermost(modules: ModulesContainer, provider: object): void {
  const hosts = modulesProviding(modules, provider);
  if (hosts.length > 1) throw new DuplicateModuleError();
  for (const host of hosts) host.distance = -1;
}
