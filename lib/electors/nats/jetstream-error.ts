/** What JetStream answers instead of doing what it was asked for. */
export class JetStreamError extends Error {
  override readonly name = 'JetStreamError';

  /**
   * @param status as in HTTP: 4xx is about the request, 5xx about the server
   * @param code JetStream's own number of it
   */
  constructor(
    readonly status: number,
    readonly code: number,
    description: string,
  ) {
    super(`${description} (${code})`);
  }
}

/** Numbers of what JetStream answers that are acted on. */
export const JETSTREAM_CODES = {
  noMessageFound: 10037,
  streamNameInUse: 10058,
  streamNotFound: 10059,
  wrongLastSequence: 10071,
  /** The same on servers from 2.11 on, in a cluster: they do not say which sequence would be right. */
  wrongLastSequenceUnsaid: 10164,
} as const;

export function isJetStreamError(error: unknown, ...codes: readonly number[]): boolean {
  return error instanceof JetStreamError && codes.includes(error.code);
}
