import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LeaseElector, LeaseElectorOptions } from '../../../../lib/core/lease/lease-elector.js';

const CORE = fileURLToPath(new URL('../../../../lib/core', import.meta.url));

/** A deliberate defect: what the source says, and what it says instead. */
export interface Defect {
  /** In `lib/core/lease/`. */
  readonly file: string;
  readonly replaces: string;
  readonly by: string;
}

/**
 * The elector with a defect, made from a changed copy of its source.
 *
 * @throws when the source has no such place, or several: the defect has to follow the source
 */
export async function loadMutant(
  defects: readonly Defect[],
): Promise<new (options: LeaseElectorOptions) => LeaseElector> {
  const folder = mkdtempSync(join(tmpdir(), 'lease-mutant-'));
  try {
    cpSync(CORE, folder, { recursive: true });
    for (const { file, replaces, by } of defects) {
      const path = join(folder, 'lease', file);
      const parts = readFileSync(path, 'utf8').split(replaces);
      if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} places with: ${replaces}`);
      writeFileSync(path, parts.join(by));
    }
    const module = (await import(
      join(folder, 'lease', 'lease-elector.ts')
    )) as typeof import('../../../../lib/core/lease/lease-elector.js');
    return module.LeaseElector;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
