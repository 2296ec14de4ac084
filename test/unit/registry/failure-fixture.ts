import { expect } from '@jest/globals';
import type { Component } from '../../../lib/core/component.js';
import { ComponentFailedError } from '../../../lib/core/errors.js';
import { Fixture, START_TIMEOUT_MS, STOP_TIMEOUT_MS, watch, type Watched } from './registry-fixture.js';

export const boom = new Error('boom');

export interface Life {
  readonly fixture: Fixture;
  readonly done: Watched<void>;
}

/** Starts one component and gives it all the time that it has to become ready. */
export async function live(component: Omit<Component, 'name'>): Promise<Life> {
  const fixture = new Fixture();
  fixture.add({ name: 'feed', ...component }, { completes: true });
  const starter = await fixture.start();
  await fixture.clock.advance(START_TIMEOUT_MS);
  expect(starter.state).toBe('resolved');
  const life = { fixture, done: watch(starter.value!.done) };
  await fixture.clock.settle();
  return life;
}

export async function stopped({ fixture }: Life): Promise<Watched<void>> {
  const stopping = await fixture.stop();
  await fixture.clock.advance(STOP_TIMEOUT_MS);
  return stopping;
}

/** All that can be seen of a component that failed once and stays failed. */
export async function expectFailed({ fixture, done }: Life, path: string, error: unknown, text: string): Promise<void> {
  await fixture.clock.settle();
  expect(fixture.path('feed')).toBe(path);
  expect(fixture.info('feed')).toMatchObject({ status: 'failed', error: text, restarts: 0 });
  const failed = fixture.events.filter((it) => it.to === 'failed');
  expect(failed).toHaveLength(1);
  expect(failed[0]!.error).toBe(error);
  expect(failed[0]).not.toHaveProperty('restartInMs');
  expect(fixture.failures).toEqual([{ error, info: expect.objectContaining({ status: 'failed', error: text }) }]);
  expect(fixture.failures[0]!.error).toBe(error);
  expect(fixture.registry.snapshot()[0]).toMatchObject({ failedForGood: true, completed: false, overrunning: false });
  expect(done.error).toBeInstanceOf(ComponentFailedError);
  expect(done.error).toMatchObject({ component: 'feed', cause: error, message: `Component "feed" failed: ${text}` });
}

export function expectClean({ fixture, done }: Life, path: string): void {
  expect(fixture.path('feed')).toBe(path);
  expect(fixture.info('feed')).not.toHaveProperty('error');
  expect(fixture.failures).toEqual([]);
  expect(fixture.events.filter((event) => 'error' in event)).toEqual([]);
  expect(done.state).toBe('resolved');
}
