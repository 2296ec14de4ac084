import type { TcpProxy } from '../../fixtures/engines/tcp-proxy.js';

/** The engine of a run, and what can be done to it. */
export interface ChaosEngine {
  /** Where the replica of that slot reaches it. */
  urlFor(slot: number): string;
  /** The network between that replica and it. */
  proxyOf(slot: number): TcpProxy;
  /** As a crash does it. */
  kill(): Promise<void>;
  /** Resolves when it answers again: with what it had, or with nothing. */
  restart(options: { readonly empty: boolean }): Promise<void>;
  suspend(): void;
  resume(): void;
  /** Forgets what replicas have written, while it runs. */
  loseData(): Promise<void>;
  /** Ends the connections of all replicas from the server's side. */
  killConnections(): Promise<void>;
  close(): Promise<void>;
}
