import type { ExecutionContext } from '@nestjs/common';
import type { HttpAdapterHost } from '@nestjs/core';
import type { NotLeaderException } from './not-leader.exception.js';

/** What a header may hold. The address comes from another replica, and Node throws on anything else. */
const HEADER_VALUE = /^[\x21-\x7e]+$/;

/** Tells a client over HTTP when to try again, and where the leader is; others have no response to write to. */
export function setLeaderHeaders(
  context: ExecutionContext,
  { httpAdapter }: HttpAdapterHost,
  { retryAfterMs, address }: NotLeaderException,
): void {
  if (context.getType() !== 'http') return;
  const response: unknown = context.switchToHttp().getResponse();
  httpAdapter.setHeader(response, 'Retry-After', String(Math.ceil(retryAfterMs / 1000)));
  if (address !== undefined && HEADER_VALUE.test(address)) httpAdapter.setHeader(response, 'Leader-Address', address);
}
