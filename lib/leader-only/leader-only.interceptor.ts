import { Inject, Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { catchError, type Observable } from 'rxjs';
import { setLeaderHeaders } from './leader-headers.js';
import { NotLeaderException } from './not-leader.exception.js';

/**
 * Adds to the refusal of a handler what its guard adds: the term may end while pipes and other interceptors are at work.
 *
 * @internal
 */
@Injectable()
export class LeaderOnlyInterceptor implements NestInterceptor {
  constructor(@Inject(HttpAdapterHost) private readonly adapterHost: HttpAdapterHost) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      catchError((error: unknown) => {
        if (error instanceof NotLeaderException) setLeaderHeaders(context, this.adapterHost, error);
        throw error;
      }),
    );
  }
}
