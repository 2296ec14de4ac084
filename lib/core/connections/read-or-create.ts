import type { LeaseRecord } from '../lease/lease-store.js';

/** A table of leases, as it is used over one connection. */
export interface LeaseTable<Connection> {
  read(connection: Connection, election: string, signal: AbortSignal): Promise<LeaseRecord>;
  create(connection: Connection, signal: AbortSignal): Promise<void>;
}

export interface LeaseRead<Connection> {
  readonly connection: Connection;
  readonly election: string;
  readonly signal: AbortSignal;
  /** Whether an error says that there is no table, and one may be created. */
  readonly mayCreate: (error: unknown) => boolean;
}

/** What is there of an election; where there is no table yet, what is there once it has been created. */
export async function readOrCreate<Connection>(
  table: LeaseTable<Connection>,
  { connection, election, signal, mayCreate }: LeaseRead<Connection>,
): Promise<LeaseRecord> {
  try {
    return await table.read(connection, election, signal);
  } catch (error) {
    if (!mayCreate(error)) throw error;
  }
  await table.create(connection, signal);
  return table.read(connection, election, signal);
}
