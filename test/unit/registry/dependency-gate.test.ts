import { describe, expect, it } from '@jest/globals';
import { DependencyGate, type Dependency } from '../../../lib/registry/dependency-gate.js';

class Stub implements Dependency {
  asked = 0;
  isNotComing = false;
  #isSatisfied = false;

  get isSatisfied(): boolean {
    this.asked++;
    return this.#isSatisfied;
  }

  set isSatisfied(satisfied: boolean) {
    this.#isSatisfied = satisfied;
  }
}

function gateOf(...dependencies: Stub[]): DependencyGate<Stub> {
  return new DependencyGate(dependencies);
}

describe('a gate', () => {
  it('is open without dependencies', () => {
    expect(gateOf().look()).toEqual({ isOpen: true, lasting: [] });
  });

  it('opens when all dependencies are satisfied, and closes when one is not any more', () => {
    const [a, b] = [new Stub(), new Stub()];
    const gate = gateOf(a, b);
    const states = [
      [true, false],
      [true, true],
      [false, true],
    ].map(([first, second]) => {
      a.isSatisfied = first!;
      b.isSatisfied = second!;
      gate.noteChange(a);
      gate.noteChange(b);
      return gate.look().isOpen;
    });

    expect(states).toEqual([false, true, false]);
  });

  it('tells which ones are not coming, as long as they are missing', () => {
    const [a, b] = [new Stub(), new Stub()];
    const gate = gateOf(a, b);
    b.isNotComing = true;
    gate.noteChange(b);
    expect(gate.look()).toEqual({ isOpen: false, lasting: [b] });
    b.isSatisfied = true;
    gate.noteChange(b);

    expect(gate.look()).toEqual({ isOpen: false, lasting: [] });
  });

  it('asks only what has changed', () => {
    const [a, b] = [new Stub(), new Stub()];
    const gate = gateOf(a, b);
    gate.look();
    gate.noteChange(b);
    gate.noteChange(b);
    gate.look();
    gate.look();

    expect([a.asked, b.asked]).toEqual([1, 2]);
  });
});
