import type { ReplicaProcess } from './replica-process.js';

export const HEADINGS = ['replica', 'pid', 'role', 'leads since', 'token', 'components'];

/** A replica, as far as it has told. */
export function rowOf(replica: ReplicaProcess): string[] {
  const { name, pid, state, paused, ended } = replica;
  if (ended) return [name, '-', 'ended', '', '', ''];
  if (state === undefined) return [name, String(pid), 'boots', '', '', ''];
  const role = paused ? `${state.role} (paused)` : state.role;
  const since = state.since === undefined ? '' : new Date(state.since).toISOString().slice(11, 23);
  const components = Object.entries(state.components).map(([component, status]) => `${component} ${status}`);
  return [name, String(pid), role, since, state.token ?? '', components.join(', ')];
}
