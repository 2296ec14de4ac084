import { Inject, Injectable, Optional, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { LeaderOnlyUnboundError } from '../core/errors.js';
import { LEADER_ONLY_CALLS } from './app-binding.js';
import type { LeaderOnlyCalls } from './leader-only-calls.js';
import { readMarkedMethod } from './marked-method.js';
import type { NotLeaderException } from './not-leader.exception.js';

/** What a header may hold. The address comes from another replica, and Node throws on anything else. */
const HEADER_VALUE = /^[\x21-\x7e]+$/;

/**
 * Refuses on a follower what Nest calls as a handler, before pipes and interceptors spend time on it. `@LeaderOnly()`
 * brings it along; nothing asks it where the method is no handler.
 *
 * @internal
 */
@Injectable()
export class LeaderOnlyGuard implements CanActivate {
  constructor(
    @Optional() @Inject(LEADER_ONLY_CALLS) private readonly calls: LeaderOnlyCalls | undefined,
    @Inject(HttpAdapterHost) private readonly adapterHost: HttpAdapterHost,
  ) {}

  /** @throws NotLeaderException on a follower */
  canActivate(context: ExecutionContext): boolean {
    const method = readMarkedMethod(context.getHandler());
    if (method === undefined) return true;
    method.isHandler = true;
    if (this.calls === undefined) throw new LeaderOnlyUnboundError(method.name);
    const refusal = this.calls.refusal(method);
    if (refusal === undefined) return true;
    if (context.getType() === 'http') this.#setHeaders(context.switchToHttp().getResponse(), refusal);
    throw refusal;
  }

  #setHeaders(response: unknown, { retryAfterMs, address }: NotLeaderException): void {
    const { httpAdapter } = this.adapterHost;
    httpAdapter.setHeader(response, 'Retry-After', String(Math.ceil(retryAfterMs / 1000)));
    if (address !== undefined && HEADER_VALUE.test(address)) httpAdapter.setHeader(response, 'Leader-Address', address);
  }
}
