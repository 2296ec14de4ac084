// folder-elector.ts
import { join } from 'node:path';
import { LeaseElector, resolveLeaseElectorSettings, type LeaseElectorSettings } from 'nestjs-lifecycle';
import { FolderLeaseStore } from './folder-lease-store.js';

export interface FolderElectorOptions extends LeaseElectorSettings {
  readonly folder: string;
}

export class FolderElector extends LeaseElector {
  constructor({ folder, ...settings }: FolderElectorOptions) {
    // Checks the namespace and the times, with our name in the errors.
    const { namespace, ...options } = resolveLeaseElectorSettings(settings, 'FolderElector');
    super({ ...options, store: new FolderLeaseStore(join(folder, namespace)) });
  }
}
