import type { ComponentRun } from '../core/component.js';
import type { StartRequest } from './start-request.js';

/** Resolves once it is known how each request went first. Never rejects. */
export async function whenStarted(requests: readonly StartRequest[]): Promise<ComponentRun> {
  // None of them rejects. `Promise.all()` would make several objects for each of thousands.
  for (const request of requests) if (!request.isDecided) await request.outcome;
  return runOf(requests);
}

export function runOf(requests: readonly StartRequest[]): ComponentRun {
  let done: Promise<void> | undefined;
  // Most callers never ask, and it takes a promise for each request.
  return {
    get done() {
      return (done ??= whenOver(requests));
    },
  };
}

function whenOver(requests: readonly StartRequest[]): Promise<void> {
  const done = new Promise<void>((resolve, reject) => {
    let pending = requests.length;
    const settle = () => {
      if (--pending <= 0) resolve();
    };
    for (const request of requests) request.over.then(settle, reject);
    if (requests.length === 0) resolve();
  });
  done.catch(() => undefined);
  return done;
}
