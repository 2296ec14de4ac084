import { UseGuards, UseInterceptors } from '@nestjs/common';
import { DEFAULT_ELECTION } from '../core/elector.js';
import { LeaderOnlyUnboundError } from '../core/errors.js';
import { assertElectionName } from '../core/names.js';
import { assertObject, assertTimeout, rejectUnknownOptions } from '../core/option-checks.js';
import { acceptApp, appOf } from './app-binding.js';
import { LeaderOnlyGuard } from './leader-only.guard.js';
import { LeaderOnlyInterceptor } from './leader-only.interceptor.js';
import { recordMarkedMethod, type MarkedMethod } from './marked-method.js';
import { disguiseAs, methodToMark, placeOf, returnsPromise, type Method } from './method.js';

/** Options of `@LeaderOnly()`. @publicApi */
export interface LeaderOnlyOptions {
  /** Whose leader runs it. A replica stands for each election that a marked method names. @default 'default' */
  readonly election?: string;
  /** On a handler: when a client of a follower is told to try again, in milliseconds. @default 1000 */
  readonly retryAfterMs?: number;
}

/** A client may meet another replica the next time. */
const RETRY_AFTER_MS = 1000;

/**
 * Lets a method run only on the replica that leads, above or below any other decorator.
 *
 * - On the leader it runs as part of the term: `leaderTerm()` is the term in it, what it returns or throws goes to its
 *   caller, and once the term has ended, at shutdown too, nobody else leads before the promise that it returned has
 *   settled. If that takes longer than the module's `stopTimeoutMs`, liveness fails until it has.
 * - Elsewhere it does not run: the call is counted (see `LeaderOnlyCalls`) and gives `undefined`, or a promise of it.
 * - A handler answers 503 there, with `Retry-After`, and `Leader-Address` if the leader says where it is.
 *
 * @param options a string is short for `{ election }`
 * @throws InvalidOptionError; LeaderOnlyUseError when it stands on anything but a method of instances
 * @publicApi
 */
export function LeaderOnly(
  options: LeaderOnlyOptions | string = {},
): <T extends (...args: never[]) => unknown>(
  prototype: object,
  name: string | symbol,
  descriptor: TypedPropertyDescriptor<T>,
) => void {
  return (prototype, name, descriptor) => {
    const original = methodToMark(prototype, name, descriptor);
    const place = placeOf(prototype, name);
    const settings = resolve(options, `@LeaderOnly() of ${place}()`);
    const promised = returnsPromise(original, prototype, name);
    const marked: MarkedMethod = { name: place, ...settings, returnsPromise: promised, isHandler: false };
    const method = onLeaderOnly(marked, original);
    disguiseAs(original, method);
    recordMarkedMethod(prototype, method, marked);
    acceptApp(prototype);
    descriptor.value = method as typeof original;
    UseGuards(LeaderOnlyGuard)(prototype, name, descriptor);
    UseInterceptors(LeaderOnlyInterceptor)(prototype, name, descriptor);
  };
}

function onLeaderOnly(marked: MarkedMethod, original: Method): Method {
  return function (this: object, ...args: never[]): unknown {
    const app = appOf(this);
    if (app === undefined) throw new LeaderOnlyUnboundError(marked.name);
    return app.call(marked, () => Reflect.apply(original, this, args));
  };
}

function resolve(options: LeaderOnlyOptions | string, where: string): Required<LeaderOnlyOptions> {
  const given = typeof options === 'string' ? { election: options } : options;
  assertObject('options', given, where);
  rejectUnknownOptions(given, ['election', 'retryAfterMs'], where);
  const { election = DEFAULT_ELECTION, retryAfterMs = RETRY_AFTER_MS }: LeaderOnlyOptions = given;
  assertElectionName('election', election, where);
  assertTimeout('retryAfterMs', retryAfterMs, where);
  return { election, retryAfterMs };
}
