/** What a replica tells the demo. */
export type ReplicaMessage = ReplicaState | { readonly kind: 'complaint'; readonly text: string };

export interface ReplicaState {
  readonly kind: 'state';
  readonly role: 'leader' | 'standby';
  /** Of the term, while it leads. */
  readonly token?: string;
  /** When the term began, in milliseconds since the epoch. */
  readonly since?: number;
  /** Status by component. */
  readonly components: Readonly<Record<string, string>>;
}

/** To the demo, as long as it is there. */
export function tellDemo(message: ReplicaMessage): void {
  if (process.connected) process.send?.(message);
}
