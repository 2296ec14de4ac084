import type { LifecycleObserver, ObservedApp } from '../../../lib/core/lifecycle-observer.js';
import { Observers } from '../../../lib/core/observers.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';

let clock: ManualClock;
let warnings: string[];
let seen: string[];

beforeEach(() => {
  clock = new ManualClock();
  warnings = [];
  seen = [];
});

const logger = { log: () => undefined, warn: (line: string) => void warnings.push(line), error: () => undefined };
const observers = (...list: LifecycleObserver[]) => new Observers(list, logger, clock);

class Recorder implements LifecycleObserver {
  constructor(private readonly id: string) {}

  attach(): void {
    seen.push(`${this.id} attach`);
  }

  onPhase({ phase, state, durationMs, error }: Parameters<NonNullable<LifecycleObserver['onPhase']>>[0]): void {
    const rest = error === undefined ? '' : ` ${(error as Error).message}`;
    seen.push(`${this.id} ${phase} ${state} ${durationMs ?? ''}${rest}`.trimEnd());
  }

  onHealthCheck({ name }: { name: string }): void {
    seen.push(`${this.id} check ${name}`);
  }

  detach(): void {
    seen.push(`${this.id} detach`);
  }
}

class Broken implements LifecycleObserver {
  attach(): void {
    throw new Error('no attach');
  }

  async onPhase(): Promise<void> {
    throw new Error('no phase');
  }

  detach(): Promise<void> {
    return Promise.reject(new Error('no detach'));
  }
}

const check = { name: 'feed', healthy: true, durationMs: 1, timedOut: false };

it('tells all in the order in which they were given', () => {
  const both = observers(new Recorder('a'), new Recorder('b'));
  both.attach({} as ObservedApp);
  both.onHealthCheck(check);
  expect(seen).toEqual(['a attach', 'b attach', 'a check feed', 'b check feed']);
});

it('tells of the begin and the end of a phase, and how long it took', async () => {
  await observers(new Recorder('a')).during('boot', async () => clock.advance(30));
  expect(seen).toEqual(['a boot begun', 'a boot ended 30']);
});

it('passes on what a phase failed with, to observers and to the caller', async () => {
  const work = observers(new Recorder('a')).during('boot', () => Promise.reject(new Error('no port')));
  await expect(work).rejects.toThrow('no port');
  expect(seen).toEqual(['a boot begun', 'a boot ended 0 no port']);
});

it('begins the work of a phase in the same tick', () => {
  let begun = false;
  void observers(new Recorder('a')).during('shutdown', async () => void (begun = true));
  expect(begun).toBe(true);
});

it('keeps what one observer throws or rejects from the others, and logs it', async () => {
  const all = observers(new Broken(), new Recorder('a'));
  all.attach({} as ObservedApp);
  await all.during('boot', async () => undefined);
  await all.detach();
  expect(seen).toEqual(['a attach', 'a boot begun', 'a boot ended 0', 'a detach']);
  expect(warnings).toEqual([
    'attach() of observer Broken threw: no attach',
    'onPhase() of observer Broken threw: no phase',
    'detach() of observer Broken threw: no detach',
  ]);
});

it('waits for observers that detach, for a second at most', async () => {
  let isOver = false;
  const hung = observers({ detach: () => new Promise<void>(() => undefined) }, new Recorder('a'));
  const over = hung.detach().then(() => (isOver = true));
  await clock.advance(999);
  expect(isOver).toBe(false);
  await clock.advance(1);
  await over;
  expect(seen).toEqual(['a detach']);
  expect(warnings).toEqual([expect.stringContaining('1000 ms')]);
});

it('names an observer that has no prototype', () => {
  observers(Object.assign(Object.create(null), { attach: () => JSON.parse('{') }) as LifecycleObserver).attach(
    {} as ObservedApp,
  );
  expect(warnings).toEqual([expect.stringContaining('attach() of observer object threw')]);
});
