import { ServiceUnavailableException } from '@nestjs/common';

/**
 * What a handler marked with `@LeaderOnly()` answers on a replica that does not lead: 503, with what a client needs to
 * find the leader. The headers are added on the way.
 *
 * @publicApi
 */
export class NotLeaderException extends ServiceUnavailableException {
  readonly election: string;
  /** When to try again, in milliseconds. */
  readonly retryAfterMs: number;
  /** Where the leader says it can be reached, if it does. */
  readonly address?: string;

  constructor(details: { election: string; retryAfterMs: number; address?: string }) {
    const { election, retryAfterMs, address } = details;
    super({
      statusCode: 503,
      error: 'Service Unavailable',
      message: `This replica does not lead election "${election}"`,
      election,
      ...(address !== undefined && { leader: address }),
    });
    this.election = election;
    this.retryAfterMs = retryAfterMs;
    if (address !== undefined) this.address = address;
  }
}
