import type { LeaseRecord } from './lease-store.js';

/** Whether an engine still holds what was read: the same kind, and the same token, holder and version as far as the basis has them. */
export function isStill(record: LeaseRecord, basis: LeaseRecord): boolean {
  if (record.kind === 'absent' || basis.kind === 'absent') return record.kind === basis.kind;
  if (record.kind !== basis.kind) return false;
  if (basis.kind === 'held' && record.kind === 'held' && record.holder !== basis.holder) return false;
  if (basis.token !== undefined && basis.token !== record.token) return false;
  return basis.version === undefined || String(basis.version) === String(record.version);
}
