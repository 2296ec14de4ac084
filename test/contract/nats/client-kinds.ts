import { connect } from '@nats-io/transport-node';
import type { NatsElectorOptions } from 'nestjs-lifecycle/electors/nats';

/** What a user may hand to the elector, for a server on that port. */
export interface ClientOffer {
  readonly options: Pick<NatsElectorOptions, 'servers' | 'options' | 'client'>;
  /** Ends what the user has made. */
  close(): Promise<void>;
}

export interface ClientKind {
  readonly name: string;
  offer(port: number): Promise<ClientOffer>;
}

async function connection(port: number): Promise<ClientOffer> {
  const client = await connect({ servers: `127.0.0.1:${port}`, maxReconnectAttempts: -1, reconnectTimeWait: 50 });
  return { options: { client }, close: () => client.close() };
}

/** The connection that the elector makes, and one that it is given with the settings that it has by itself. */
export const CLIENT_KINDS: readonly ClientKind[] = [
  {
    name: 'servers',
    offer: (port) => Promise.resolve({ options: { servers: `127.0.0.1:${port}` }, close: () => Promise.resolve() }),
  },
  { name: 'a connection that was given', offer: connection },
];
