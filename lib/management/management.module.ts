import { Inject, Module } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { ManagementHost } from './management-host.js';
import { MANAGEMENT_HOST, ManagementServer } from './management-server.js';

/**
 * Holds the server. A module of its own, so that its hooks can run in another place than those of the rest: Nest runs init
 * hooks from the module farthest from the root to the nearest, and shutdown hooks the other way round. Farther than all
 * others, the server answers probes before anything else begins, and until everything else is over.
 *
 * @internal
 */
@Module({
  providers: [ManagementHost, { provide: MANAGEMENT_HOST, useExisting: ManagementHost }, ManagementServer],
  exports: [ManagementHost, ManagementServer],
})
export class ManagementModule {
  constructor(@Inject(ModulesContainer) modules: ModulesContainer) {
    // Global modules are at the greatest finite distance.
    for (const it of modules.values()) if (it.metatype === ManagementModule) it.distance = Number.POSITIVE_INFINITY;
  }
}
