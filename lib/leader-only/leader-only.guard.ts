import { Inject, Injectable, Optional, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { LeaderOnlyUnboundError } from '../core/errors.js';
import { LEADER_ONLY_CALLS } from './app-binding.js';
import { setLeaderHeaders } from './leader-headers.js';
import type { LeaderOnlyCalls } from './leader-only-calls.js';
import { readMarkedMethod } from './marked-method.js';

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
    setLeaderHeaders(context, this.adapterHost, refusal);
    throw refusal;
  }
}
