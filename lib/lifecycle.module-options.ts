import type { DynamicModule, FactoryProvider, Type } from '@nestjs/common';
import type { Elector } from './core/elector.js';
import { isElector } from './core/elector-check.js';
import { InvalidOptionError } from './core/errors.js';
import { assertBoolean, assertObject, isClass, rejectUnknownOptions } from './core/option-checks.js';
import { resolveStatusPageOptions, type StatusPageOptions } from './core/status-page-options.js';
import {
  resolveHealthOptions,
  resolveOptions,
  type HealthOptions,
  type LifecycleModuleOptions,
  type ResolvedLifecycleOptions,
} from './lifecycle.options.js';

/** An elector that has dependencies of its own, as a Nest provider without its token. @publicApi */
export type ElectorProvider =
  | Pick<FactoryProvider<Elector>, 'useFactory' | 'inject'>
  | { readonly useClass: Type<Elector> }
  | { readonly useExisting: FactoryProvider['provide'] };

/** What is fixed when the module is declared, whichever way its options come. @publicApi */
export interface LifecycleModuleExtras {
  /** Make Registry, Leadership, EventBus and the health providers injectable everywhere. @default true */
  readonly isGlobal?: boolean;
  /** Modules whose providers the factories inject. @default [] */
  readonly imports?: NonNullable<DynamicModule['imports']>;
}

/** What `LifecycleModule.forRoot()` takes. @publicApi */
export type LifecycleRootOptions = Omit<LifecycleModuleOptions, 'elector'> &
  LifecycleModuleExtras & { readonly elector?: LifecycleModuleOptions['elector'] | ElectorProvider };

/** Makes the module's options. @publicApi */
export interface LifecycleOptionsFactory {
  createLifecycleOptions(): Promise<LifecycleModuleOptions> | LifecycleModuleOptions;
}

/** What `LifecycleModule.forRootAsync()` takes. @publicApi */
export interface LifecycleAsyncOptions extends LifecycleModuleExtras {
  readonly inject?: NonNullable<FactoryProvider['inject']>;
  // oxlint-disable-next-line typescript/no-explicit-any -- the arguments are whatever `inject` names
  readonly useFactory?: (...args: any[]) => Promise<LifecycleModuleOptions> | LifecycleModuleOptions;
  readonly useClass?: Type<LifecycleOptionsFactory>;
  readonly useExisting?: FactoryProvider['provide'];
  /** An elector as a provider. Excludes `elector` in what the factory returns. */
  readonly elector?: ElectorProvider;
  /** Where the endpoints are: routes are fixed before factories run. */
  readonly health?: Pick<HealthOptions, 'endpoints' | 'path' | 'decorators'>;
  /** The status page, all of it. */
  readonly statusPage?: StatusPageOptions;
}

const FOR_ROOT = 'LifecycleModule.forRoot()';
const FOR_ROOT_ASYNC = 'LifecycleModule.forRootAsync()';
const RETURNED = `what the options factory of ${FOR_ROOT_ASYNC} returned`;
const ASYNC_OPTION_NAMES: readonly (keyof LifecycleAsyncOptions)[] = [
  'isGlobal',
  'imports',
  'inject',
  'useFactory',
  'useClass',
  'useExisting',
  'elector',
  'health',
  'statusPage',
];
const ROUTE_OPTIONS = ['endpoints', 'path', 'decorators'] as const;

/**
 * Parts what `forRoot()` was given.
 *
 * @throws InvalidOptionError
 */
export function resolveRootOptions(given: LifecycleRootOptions): {
  readonly resolved: ResolvedLifecycleOptions;
  readonly extras: LifecycleModuleExtras;
  readonly elector?: ElectorProvider;
} {
  assertObject('options', given, FOR_ROOT);
  const { isGlobal, imports, elector, ...options } = given;
  const extras = { ...(isGlobal !== undefined && { isGlobal }), ...(imports && { imports }) };
  checkExtras({ isGlobal, imports }, FOR_ROOT);
  if (!isElectorProvider(elector)) {
    return { resolved: resolveOptions({ ...options, ...(elector !== undefined && { elector }) }), extras };
  }
  checkElectorProvider(elector, FOR_ROOT);
  return { resolved: resolveOptions(options), extras, elector };
}

/** @throws InvalidOptionError */
export function checkAsyncOptions(given: LifecycleAsyncOptions): void {
  assertObject('options', given, FOR_ROOT_ASYNC);
  rejectUnknownOptions(given, ASYNC_OPTION_NAMES, `${FOR_ROOT_ASYNC}, beside the factory`);
  const { useFactory, useClass, useExisting, health = {} } = given;
  assertObject('health', health, FOR_ROOT_ASYNC);
  rejectUnknownOptions(health, ROUTE_OPTIONS, `health of ${FOR_ROOT_ASYNC}, beside the factory`);
  checkExtras(given, FOR_ROOT_ASYNC);
  if (given.elector !== undefined) checkElectorProvider(given.elector, FOR_ROOT_ASYNC);
  if (countKinds({ useFactory, useClass, useExisting }) === 1) return;
  throw new InvalidOptionError({
    option: 'useFactory, useClass, useExisting',
    value: { useFactory, useClass, useExisting },
    where: FOR_ROOT_ASYNC,
    expected: 'exactly one of them: a function, a class, a token',
    remedy: 'Write for example forRootAsync({ inject: [ConfigService], useFactory: (config) => ({ ... }) }).',
  });
}

/** @throws InvalidOptionError when what `useClass` or `useExisting` gave makes no options */
export function optionsOf(
  factory: LifecycleOptionsFactory,
): ReturnType<LifecycleOptionsFactory['createLifecycleOptions']> {
  // Nest knows a token only, and any provider may be behind it.
  const given = factory as Partial<LifecycleOptionsFactory> | null | undefined;
  if (typeof given?.createLifecycleOptions === 'function') return factory.createLifecycleOptions();
  throw new InvalidOptionError({
    option: 'useClass or useExisting',
    value: factory,
    where: FOR_ROOT_ASYNC,
    expected: 'a provider with a createLifecycleOptions() method',
    remedy: 'Let it implement LifecycleOptionsFactory.',
  });
}

/**
 * Checks what the factory of `forRootAsync()` returned.
 *
 * @throws InvalidOptionError also where the factory decides what was fixed before it ran
 */
export function resolveAsyncOptions(
  returned: LifecycleModuleOptions,
  beside: LifecycleAsyncOptions,
): ResolvedLifecycleOptions {
  assertObject('options', returned, RETURNED, 'Let the factory return an object, {} at least.');
  const resolved = resolveOptions(returned);
  for (const option of ROUTE_OPTIONS) {
    if (returned.health?.[option] !== undefined) throw tooLate(`health.${option}`, returned.health[option]);
  }
  if (beside.elector !== undefined && returned.elector !== undefined) throw tooLate('elector', returned.elector);
  if (returned.statusPage !== undefined) throw tooLate('statusPage', returned.statusPage);
  const { endpoints, path, decorators } = resolveHealthOptions(beside.health);
  const health = { ...resolved.health, endpoints, path, decorators };
  const statusPage = resolveAsyncStatusPage(beside);
  return { ...resolved, health, ...(statusPage && { statusPage }) };
}

/** @throws InvalidOptionError */
export function resolveAsyncStatusPage({ statusPage }: LifecycleAsyncOptions): Required<StatusPageOptions> | undefined {
  return statusPage === undefined ? undefined : resolveStatusPageOptions(statusPage, FOR_ROOT_ASYNC);
}

function isElectorProvider(elector: LifecycleRootOptions['elector']): elector is ElectorProvider {
  if (typeof elector !== 'object' || elector === null || isElector(elector)) return false;
  return 'useFactory' in elector || 'useClass' in elector || 'useExisting' in elector;
}

function checkElectorProvider(provider: unknown, where: string): void {
  if (typeof provider === 'object' && provider !== null && !isElector(provider) && countKinds(provider) === 1) return;
  throw new InvalidOptionError({
    option: 'elector',
    value: provider,
    where,
    expected: 'a provider: one of a useFactory function, a useClass class, a useExisting token',
    remedy: 'Write for example elector: { inject: [Redis], useFactory: (redis) => ... }.',
  });
}

/** How many ways to get an instance a provider names; 0 when one of them cannot be one. */
function countKinds(provider: { useFactory?: unknown; useClass?: unknown; useExisting?: unknown }): number {
  const { useFactory, useClass, useExisting } = provider;
  if (useFactory !== undefined && typeof useFactory !== 'function') return 0;
  if (useClass !== undefined && !isClass(useClass)) return 0;
  if (useExisting === null) return 0;
  return [useFactory, useClass, useExisting].filter((it) => it !== undefined).length;
}

function checkExtras({ isGlobal, imports }: { isGlobal?: unknown; imports?: unknown }, where: string): void {
  assertBoolean('isGlobal', isGlobal, where);
  if (imports === undefined || Array.isArray(imports)) return;
  throw new InvalidOptionError({
    option: 'imports',
    value: imports,
    where,
    expected: 'an array of modules',
    remedy: 'Write imports: [ConfigModule].',
  });
}

function tooLate(option: string, value: unknown): InvalidOptionError {
  return new InvalidOptionError({
    option,
    value,
    where: RETURNED,
    expected: 'to stand beside the factory, which runs too late for it',
    remedy: `Move it: forRootAsync({ ${option.split('.')[0]}: ..., useFactory: ... }).`,
  });
}
