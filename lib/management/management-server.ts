import { Inject, Injectable } from '@nestjs/common';

/** A token, so that the published types name nothing of Node. */
export const MANAGEMENT_HOST = Symbol('nestjs-lifecycle:management-host');

/** Where the management server listens. @publicApi */
export interface ManagementAddress {
  /** `::` or `0.0.0.0` when it listens on all interfaces. */
  readonly host: string;
  readonly port: number;
}

/**
 * The server of `health: { port }`: health endpoints and pages of observers, apart from the app's own server, which there
 * need not be. It listens before anything starts and until everything has stopped, and does not keep the process alive.
 *
 * @publicApi
 */
@Injectable()
export class ManagementServer {
  /** @internal */
  constructor(@Inject(MANAGEMENT_HOST) private readonly host: { address(): ManagementAddress | undefined }) {}

  /** Where it listens; `undefined` without `health.port`, before it does and after it has closed. */
  address(): ManagementAddress | undefined {
    return this.host.address();
  }
}
