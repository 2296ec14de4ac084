import { describe, expect, test } from '@jest/globals';
import type { ExecutionContext } from '@nestjs/common';
import type { HttpAdapterHost } from '@nestjs/core';
import { LeaderOnlyUnboundError } from '../../../lib/core/errors.js';
import { LeaderOnly } from '../../../lib/leader-only/leader-only.decorator.js';
import { LeaderOnlyGuard } from '../../../lib/leader-only/leader-only.guard.js';
import { NotLeaderException } from '../../../lib/leader-only/not-leader.exception.js';
import { ManualElector } from '../../../lib/testing/manual-elector.js';
import { CallingReplica } from './leader-only-fixtures.js';

/** Handlers of any kind: decorators of Nest's other packages need nothing else of the guard. */
function handlers() {
  class Handlers {
    @LeaderOnly()
    sync(): string {
      return 'ran';
    }
    @LeaderOnly()
    async promised(): Promise<string> {
      return 'ran';
    }
    open(): string {
      return 'ran';
    }
  }
  return new Handlers();
}

async function follower() {
  const elector = new ManualElector();
  const replica = new CallingReplica({ elector });
  await replica.boot();
  const headers: string[] = [];
  const httpAdapter = { setHeader: (_: unknown, name: string, value: string) => headers.push(`${name}: ${value}`) };
  const host = { httpAdapter } as unknown as HttpAdapterHost;
  const guard = new LeaderOnlyGuard(replica.calls, host);
  return { elector, replica, guard, headers, instance: replica.adopt(handlers()) };
}

const contextOf = (handler: object, type: string) =>
  ({
    getHandler: () => handler,
    getType: () => type,
    switchToHttp: () => ({ getResponse: () => ({}) }),
  }) as unknown as ExecutionContext;

describe('the guard of a marked handler', () => {
  test.each(['rpc', 'ws', 'graphql'])('refuses a %s call on a follower, and looks for no response', async (type) => {
    const { replica, guard, headers, instance } = await follower();
    expect(() => guard.canActivate(contextOf(instance.sync, type))).toThrow(NotLeaderException);
    expect(headers).toEqual([]);
    expect(replica.countOf('Handlers.sync')).toMatchObject({ ran: 0, skipped: 1 });
    void replica.leadership.stop();
  });

  test('rounds the time to try again up to seconds', async () => {
    const { replica, guard, headers, instance } = await follower();
    expect(() => guard.canActivate(contextOf(instance.sync, 'http'))).toThrow(NotLeaderException);
    expect(headers).toEqual(['Retry-After: 1']);
    void replica.leadership.stop();
  });

  test('lets through what is not marked, and what the leader is asked', async () => {
    const { elector, replica, guard, instance } = await follower();
    expect(guard.canActivate(contextOf(instance.open, 'http'))).toBe(true);
    await elector.elect();
    expect(guard.canActivate(contextOf(instance.sync, 'http'))).toBe(true);
    expect(replica.countOf('Handlers.sync')).toMatchObject({ ran: 0, skipped: 0 });
    void replica.leadership.stop();
  });

  test('makes the method itself refuse from then on, as it is made to answer', async () => {
    const { elector, replica, guard, instance } = await follower();
    expect(instance.sync()).toBeUndefined();
    await elector.elect();
    guard.canActivate(contextOf(instance.sync, 'http'));
    guard.canActivate(contextOf(instance.promised, 'http'));
    await elector.depose();
    expect(() => instance.sync()).toThrow(NotLeaderException);
    await expect(instance.promised()).rejects.toThrow(NotLeaderException);
    expect(replica.countOf('Handlers.sync')).toMatchObject({ ran: 0, skipped: 2 });
    void replica.leadership.stop();
  });

  test('says that the module is missing where it is', () => {
    const guard = new LeaderOnlyGuard(undefined, {} as HttpAdapterHost);
    expect(() => guard.canActivate(contextOf(handlers().sync, 'http'))).toThrow(LeaderOnlyUnboundError);
  });
});
