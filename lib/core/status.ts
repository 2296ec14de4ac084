/**
 * Lifecycle states of a component.
 *
 * The six of the Go package, and `stopping`.
 *
 * @publicApi
 */
export const Status = {
  /** Registered, about to start; with an `error` in its info: waiting for the dependency named there. */
  Pending: 'pending',
  /** `start()` was entered, the component is not ready yet. */
  Starting: 'starting',
  /** Ready, and its run goes on. */
  Running: 'running',
  /** The run was told to end and has not settled yet. */
  Stopping: 'stopping',
  /** The run has ended, by request or because the component finished by itself. */
  Stopped: 'stopped',
  /** The run ended with an error, or could not become ready. */
  Failed: 'failed',
  /** Leader-only and intentionally not running: another replica leads. Healthy, and ready. */
  Standby: 'standby',
} as const;

/** One of the states of a component. @publicApi */
export type Status = (typeof Status)[keyof typeof Status];

const TRANSITIONS: Readonly<Record<Status, readonly Status[]>> = {
  pending: ['starting', 'standby', 'stopped'],
  standby: ['starting', 'stopped'],
  starting: ['running', 'stopping', 'failed', 'stopped'],
  running: ['stopping', 'stopped', 'failed'],
  // `starting` is a restart: the old run has settled, the new one begins.
  stopping: ['stopped', 'standby', 'failed', 'starting'],
  failed: ['starting', 'standby', 'stopped'],
  // `standby` is the way back for a leader-only component that finished by itself when its term ends.
  stopped: ['starting', 'standby'],
};

/** Whether the state machine has an edge between two states. */
export function canTransition(from: Status, to: Status): boolean {
  return TRANSITIONS[from].includes(to);
}
