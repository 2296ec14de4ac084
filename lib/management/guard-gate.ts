import { ForbiddenException, type ExecutionContext, type Type } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';
import { settlesWithin, type Clock } from '../core/clock.js';
import { isClass } from '../core/option-checks.js';
import type { ManagementGuard, ManagementHandler } from './management-handler.js';

/** A guard that has not decided by then has not let the request pass. */
const DECISION_LIMIT_MS = 10_000;

interface Guard {
  canActivate(context: ExecutionContext): unknown;
}

/** Guards as Nest runs them, where Nest does not: one after the other, and only when all say yes is the request let pass. */
export class GuardGate {
  constructor(
    private readonly guards: readonly Guard[],
    private readonly clock: Clock,
  ) {}

  /** Takes the app's own instance of a guard's class, or makes one. @throws what Nest throws when it cannot */
  static async create(
    guards: NonNullable<ManagementHandler['guards']>,
    moduleRef: ModuleRef,
    clock: Clock,
  ): Promise<GuardGate> {
    const instances = await Promise.all(guards.map((it) => instanceOf(it, moduleRef)));
    return new GuardGate(instances, clock);
  }

  /** @throws ForbiddenException, or what a guard threw. Settles in time, whatever a guard does. */
  async pass(context: ExecutionContext): Promise<void> {
    for (const guard of this.guards) {
      const decision = (async () => decided(guard.canActivate(context)))();
      const isInTime = await settlesWithin(this.clock, decision, DECISION_LIMIT_MS, { background: true });
      if (!isInTime || !(await decision)) throw new ForbiddenException('Forbidden resource');
    }
  }
}

async function instanceOf(
  guard: ManagementGuard | (new (...args: never[]) => ManagementGuard),
  moduleRef: ModuleRef,
): Promise<ManagementGuard> {
  if (!isClass(guard)) return guard as ManagementGuard;
  const type = guard as Type<ManagementGuard>;
  return providedInstance(type, moduleRef) ?? moduleRef.create(type);
}

function providedInstance(guard: Type<ManagementGuard>, moduleRef: ModuleRef): ManagementGuard | undefined {
  try {
    return moduleRef.get(guard, { strict: false });
  } catch {
    // No module provides it, or it is made anew for each request, for which one instance has to do here.
    return undefined;
  }
}

/** As Nest takes what a guard returns: a value, a promise, or a stream, of which the last value counts. */
async function decided(given: unknown): Promise<boolean> {
  const decision = await given;
  return isStream(decision) ? lastOf(decision) : Boolean(decision);
}

interface Stream {
  subscribe(observer: { next(value: unknown): void; error(error: unknown): void; complete(): void }): unknown;
}

function isStream(decision: unknown): decision is Stream {
  return typeof (decision as Partial<Stream> | null | undefined)?.subscribe === 'function';
}

/** A stream that ends without a value says no. */
function lastOf(stream: Stream): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let last: unknown = false;
    stream.subscribe({ next: (it) => (last = it), error: reject, complete: () => resolve(Boolean(last)) });
  });
}
