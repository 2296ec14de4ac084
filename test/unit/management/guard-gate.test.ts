import { Injectable, UnauthorizedException, type ExecutionContext } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';
import { EMPTY, of, throwError } from 'rxjs';
import { GuardGate } from '../../../lib/management/guard-gate.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';

const CONTEXT = {} as ExecutionContext;
const guard = (canActivate: (context: ExecutionContext) => unknown) => ({ canActivate });
const noModules = {
  get: () => {
    throw new Error('no module provides it');
  },
  create: async (type: new () => object) => new type(),
} as unknown as ModuleRef;

const pass = async (...guards: ReturnType<typeof guard>[]) =>
  (await GuardGate.create(guards, noModules, new ManualClock())).pass(CONTEXT);
const fails = (error: unknown) => () => {
  throw error;
};

it('lets a request pass when there is no guard, or all say yes', async () => {
  await pass();
  await pass(
    guard(() => true),
    guard(async () => true),
    guard(() => of(false, true)),
  );
});

it.each<[string, () => unknown]>([
  ['false', () => false],
  ['nothing', () => undefined],
  ['a promise of false', async () => false],
  ['a stream of false', () => of(true, false)],
  ['a stream without a value', () => EMPTY],
])('refuses with 403 what a guard answers with %s', async (_, canActivate) => {
  await expect(pass(guard(canActivate))).rejects.toMatchObject({ status: 403 });
});

it.each<[string, () => unknown]>([
  ['throws', fails(new UnauthorizedException())],
  ['rejects with', () => Promise.reject(new UnauthorizedException())],
  ['streams', () => throwError(() => new UnauthorizedException())],
])('refuses with what a guard %s', async (_, canActivate) => {
  await expect(pass(guard(canActivate))).rejects.toMatchObject({ status: 401 });
});

it('asks in order, and nobody after the first no', async () => {
  const asked: string[] = [];
  const named = (name: string, answer: boolean) => guard(() => (asked.push(name), answer));
  await expect(pass(named('first', true), named('second', false), named('third', true))).rejects.toThrow();
  expect(asked).toEqual(['first', 'second']);
});

it('refuses once a guard has taken too long', async () => {
  const clock = new ManualClock();
  const gate = await GuardGate.create([guard(() => new Promise(() => undefined))], noModules, clock);
  const passing = gate.pass(CONTEXT).catch((error: unknown) => error);
  await clock.advance(10_000);
  expect(await passing).toMatchObject({ status: 403 });
});

describe('a guard that is a class', () => {
  @Injectable()
  class Deny {
    canActivate(): boolean {
      return false;
    }
  }

  it('is the instance that the app has', async () => {
    const own = { get: () => guard(() => true) } as unknown as ModuleRef;
    await (await GuardGate.create([Deny], own, new ManualClock())).pass(CONTEXT);
  });

  it('is made when the app has none', async () => {
    const gate = await GuardGate.create([Deny], noModules, new ManualClock());
    await expect(gate.pass(CONTEXT)).rejects.toMatchObject({ status: 403 });
  });

  it('that cannot be made leaves no gate', async () => {
    const broken = { get: fails(new Error('no')), create: fails(new Error('cannot resolve')) } as unknown as ModuleRef;
    await expect(GuardGate.create([Deny], broken, new ManualClock())).rejects.toThrow('cannot resolve');
  });
});
