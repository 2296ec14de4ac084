import { Inject, Optional } from '@nestjs/common';
import { LeaderOnlyUseError } from '../core/errors.js';
import type { LeaderOnlyCalls } from './leader-only-calls.js';

/** Shared by all copies of this package, as are the keys of metadata. */
export const LEADER_ONLY_CALLS = Symbol.for('nestjs-lifecycle:leader-only-calls');
const APP = Symbol.for('nestjs-lifecycle:leader-only-app');

/** Which app an object belongs to: there may be several in one process, such as replicas in a test. */
const apps = new WeakMap<object, LeaderOnlyCalls>();

export function appOf(instance: object): LeaderOnlyCalls | undefined {
  return apps.get(instance);
}

/**
 * Lets instances of a class be told which app they belong to. Nest tells those that it makes itself, of any scope and
 * whenever that is, by injection into a property, which only is a setter; `bindToApp()` tells the others.
 */
export function acceptApp(prototype: object): void {
  if (APP in prototype) return;
  Object.defineProperty(prototype, APP, {
    set(this: object, calls: LeaderOnlyCalls) {
      bind(this, calls);
    },
  });
  Optional()(prototype, APP);
  Inject(LEADER_ONLY_CALLS)(prototype, APP);
}

/** Whether an object has marked methods, its own or inherited ones. One whose traps throw has none. */
export function acceptsApp(instance: unknown): instance is object {
  if ((typeof instance !== 'object' || instance === null) && typeof instance !== 'function') return false;
  try {
    return Reflect.has(instance, APP);
  } catch {
    return false;
  }
}

/** @throws LeaderOnlyUseError when the object belongs to another app that has not stopped */
export function bindToApp(instance: object, calls: LeaderOnlyCalls): void {
  Reflect.set(instance, APP, calls);
}

function bind(instance: object, calls: LeaderOnlyCalls): void {
  const before = apps.get(instance);
  if (before !== undefined && before !== calls && !before.stopped) {
    throw new LeaderOnlyUseError(
      `One ${instance.constructor.name} is provided in two apps of this process, and its @LeaderOnly() methods cannot ` +
        'know whose leadership counts. Make one for each app, for example with useFactory, or close the first app.',
    );
  }
  apps.set(instance, calls);
}
