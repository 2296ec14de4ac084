import type { ComponentInfo } from '../core/component.js';
import type { Status } from '../core/status.js';

/** How often the registry is asked. */
const POLL_MS = 5;

/**
 * Waits until a component of a whole app is in a status: at once when it is already. Asks the registry every few
 * milliseconds of real time, so a status that the component only passes through may be missed.
 *
 * @param registry the app's, for example `app.get(Registry)`
 * @param limitMs real time that it may take, in milliseconds; less than the 5 s of most test runners. @default 3000
 * @returns the component's info in that status
 * @throws Error when the time is over, with where the component is instead and why, or when there is none of that name
 */
export async function untilStatus(
  registry: { status(): Readonly<Record<string, ComponentInfo>> },
  name: string,
  status: Status,
  limitMs = 3000,
): Promise<ComponentInfo> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const info = registry.status()[name];
    if (info?.status === status) return info;
    if (performance.now() >= deadline) throw notReached(name, info, status, limitMs);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function notReached(name: string, info: ComponentInfo | undefined, status: Status, limitMs: number): Error {
  if (info === undefined) return new Error(`No component is named "${name}"`);
  const why = info.error === undefined ? '' : ` (${info.error})`;
  return new Error(`"${name}" is ${info.status}${why}, not ${status}, after ${limitMs} ms`);
}
