// folder-lease-store.ts
import { randomUUID } from 'node:crypto';
import { link, mkdir, readdir, readFile, rm, watch, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  AcquireResult,
  LeaseClaim,
  LeaseRecord,
  LeaseStore,
  LeaseToRelease,
  OwnLease,
  RenewResult,
} from 'nestjs-lifecycle';

/** What is in a file: a record without its version. */
type Entry =
  | { kind: 'released'; token: string }
  | { kind: 'held'; token: string; holder: string; identity: string; leaseMs: number; address?: string };

/** Old files that are kept, for readers that are about to open them. */
const KEPT = 10;

/**
 * Leases in a folder of one host, for all processes that can write there. Every write is a new file with the next number,
 * put in place by `link()`, which fails when there is one: of several writers one wins. There is no clock that judges, so
 * followers wait until a number has not changed for the holder's lease.
 */
export class FolderLeaseStore implements LeaseStore {
  constructor(private readonly folder: string) {}

  async read(election: string, signal: AbortSignal): Promise<LeaseRecord> {
    const version = (await this.#versions(election, signal)).at(-1);
    if (version === undefined) return { kind: 'absent' };
    const text = await readFile(this.#path(election, version), { encoding: 'utf8', signal });
    const entry = JSON.parse(text) as Entry;
    return { ...entry, version, token: BigInt(entry.token) };
  }

  async acquire(claim: LeaseClaim, signal: AbortSignal): Promise<AcquireResult> {
    const { election, holder, identity, leaseMs, address, basis, tokenAbove } = claim;
    const record = await this.read(election, signal);
    if (!isSame(record, basis)) return { won: false, record };
    const last = record.kind === 'absent' ? 0n : (record.token ?? 0n);
    const token = (last > tokenAbove ? last : tokenAbove) + 1n;
    const entry = { kind: 'held', token: `${token}`, holder, identity, leaseMs, ...(address && { address }) } as const;
    const version = await this.#write(election, record, entry, signal);
    return version === undefined ? { won: false } : { won: true, token, version };
  }

  async renew(lease: OwnLease, signal: AbortSignal): Promise<RenewResult> {
    const record = await this.read(lease.election, signal);
    if (record.kind !== 'held' || record.holder !== lease.holder || record.token !== lease.token) {
      return { renewed: false, record };
    }
    const { version: _, ...rest } = record;
    const version = await this.#write(lease.election, record, { ...rest, token: `${lease.token}` }, signal);
    return version === undefined ? { renewed: false } : { renewed: true, version };
  }

  async release(lease: LeaseToRelease, signal: AbortSignal): Promise<void> {
    const record = await this.read(lease.election, signal);
    if (record.kind !== 'held' || record.holder !== lease.holder) return;
    if (lease.token !== undefined && lease.token !== record.token) return;
    await this.#write(lease.election, record, { kind: 'released', token: `${record.token}` }, signal);
  }

  async watch(election: string, onHint: () => void, signal: AbortSignal): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    for await (const _ of watch(this.folder, { signal })) {
      if ((await this.read(election, signal)).kind !== 'held') onHint();
    }
  }

  /** Returns the version of what was written, or `undefined` when somebody else was faster. */
  async #write(election: string, before: LeaseRecord, entry: Entry, signal: AbortSignal): Promise<number | undefined> {
    const version = versionOf(before) + 1;
    const draft = join(this.folder, `draft-${randomUUID()}`);
    await mkdir(this.folder, { recursive: true });
    try {
      await writeFile(draft, JSON.stringify(entry), { signal });
      signal.throwIfAborted();
      await link(draft, this.#path(election, version));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
      throw error;
    } finally {
      await rm(draft, { force: true });
    }
    // A writer that was paused for long may have found its number free because it was old enough to be removed.
    const last = (await this.#versions(election)).at(-1) ?? 0;
    await rm(this.#path(election, last > version ? version : version - KEPT), { force: true });
    return last > version ? undefined : version;
  }

  async #versions(election: string, signal?: AbortSignal): Promise<number[]> {
    signal?.throwIfAborted();
    const files = await readdir(this.folder).catch(ifMissing([]));
    const numbers = files.map((file) => file.split('.')).filter(([name]) => name === election);
    return numbers.map(([, version]) => Number(version)).toSorted((a, b) => a - b);
  }

  #path(election: string, version: number): string {
    return join(this.folder, `${election}.${version}.json`);
  }
}

function isSame(record: LeaseRecord, basis: LeaseRecord): boolean {
  return record.kind === basis.kind && versionOf(record) === versionOf(basis);
}

function versionOf(record: LeaseRecord): number {
  return record.kind === 'absent' ? 0 : Number(record.version);
}

function ifMissing<T>(instead: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === 'ENOENT') return instead;
    throw error;
  };
}
