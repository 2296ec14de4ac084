import type { SecureContextOptions } from 'node:tls';
import type { Clock } from '../../core/clock.js';

/** What TLS needs to know of a cluster and of a user, as `node:https` takes it. */
export interface ClusterTls extends Pick<SecureContextOptions, 'ca' | 'cert' | 'key' | 'pfx' | 'passphrase'> {
  readonly rejectUnauthorized?: boolean;
  readonly servername?: string;
}

/** How to reach an API server, and as whom. */
export interface ClusterAccess {
  /** Without a slash at its end. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: ClusterTls;
  /** The namespace that goes with it, if one does. */
  readonly namespace?: string;
  /** When its credentials end, in milliseconds since the epoch, if they say so. */
  readonly expiresAt?: number;
}

/** Finds out how to reach the API server. @throws EngineRefusalError that says what is missing where */
export type LoadAccess = () => Promise<ClusterAccess>;

/** Kubelet replaces a token file long before its token ends, but not always much more than a minute before. */
const REREAD_AFTER_MS = 60_000;
/** Credentials are not used any more so long before they end. */
const EXPIRY_MARGIN_MS = 10_000;

/** Access that is looked up again every minute, when its credentials end, and when the API server does not accept them. */
export class ClusterAccessCache {
  #known: { readonly access: ClusterAccess; readonly loadedAt: number } | undefined;
  #loading: Promise<ClusterAccess> | undefined;

  constructor(
    private readonly load: LoadAccess,
    private readonly clock: Clock,
  ) {}

  async current(): Promise<ClusterAccess> {
    if (this.#known !== undefined && this.#isFresh(this.#known.access, this.#known.loadedAt)) return this.#known.access;
    this.#loading ??= this.#load();
    return this.#loading;
  }

  /** That access was not accepted: the next one is looked up anew. */
  reject(access: ClusterAccess): void {
    if (this.#known?.access === access) this.#known = undefined;
  }

  async #load(): Promise<ClusterAccess> {
    try {
      const loadedAt = this.clock.now();
      const access = await this.load();
      this.#known = { access, loadedAt };
      return access;
    } finally {
      this.#loading = undefined;
    }
  }

  #isFresh({ expiresAt = Number.POSITIVE_INFINITY }: ClusterAccess, loadedAt: number): boolean {
    return this.clock.now() < loadedAt + REREAD_AFTER_MS && this.clock.wallNow() < expiresAt - EXPIRY_MARGIN_MS;
  }
}
