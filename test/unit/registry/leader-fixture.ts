import type { Component, StartContext } from '../../../lib/core/component.js';
import { aborted, Fixture } from './registry-fixture.js';

/** Remembers the contexts that it was started with. */
export class Leader implements Component {
  readonly contexts: StartContext[] = [];
  running = 0;

  constructor(readonly name = 'leader') {}

  async start(context: StartContext): Promise<void> {
    this.contexts.push(context);
    this.running++;
    await aborted(context.signal);
    this.running--;
  }
}

export async function standingBy(...leaders: Leader[]): Promise<Fixture> {
  const fixture = new Fixture();
  for (const [index, it] of leaders.entries()) {
    fixture.add(it, { leaderOnly: true, dependsOn: leaders.slice(0, index).map(({ name }) => name) });
  }
  await fixture.start();
  return fixture;
}
