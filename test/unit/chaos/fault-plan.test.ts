import { describe, expect, test } from '@jest/globals';
import { chaosArguments } from '../../chaos/chaos-arguments.js';
import { CONTROLS, controlPlan, controlsFor, isControl, type ControlName } from '../../chaos/faults/control-plan.js';
import { faultPlan } from '../../chaos/faults/fault-plan.js';
import { areaOf, faultsFor, type Step } from '../../chaos/faults/fault.js';
import { ENGINES, type EngineName } from '../../chaos/records.js';
import { Random } from '../../fixtures/random.js';
import { LEASE_MS, MARGIN_MS, TIMING } from '../../chaos/timing.js';

function firstSteps(engine: EngineName, seed: number, count: number): Step[] {
  const plan = faultPlan(engine, new Random(seed));
  return Array.from({ length: count }, () => plan.next().value);
}

test('the same seed gives the same faults, another one gives others', () => {
  expect(firstSteps('redis', 7, 40)).toEqual(firstSteps('redis', 7, 40));
  expect(firstSteps('redis', 7, 40)).not.toEqual(firstSteps('redis', 8, 40));
});

describe.each(ENGINES)('on %s', (engine) => {
  test('every kind of fault comes before one of them has begun a step twice', () => {
    const kinds = faultsFor(engine);
    const begun = firstSteps(engine, 3, kinds.length).map((step) => step.faults[0]?.kind);

    expect(begun).toHaveLength(kinds.length);
    expect(new Set(begun)).toEqual(new Set(kinds));
  });

  test('faults that overlap are in different places, or on processes, which may be different ones', () => {
    const pairs = firstSteps(engine, 5, 500).filter(({ faults }) => faults.length === 2);

    expect(pairs.length).toBeGreaterThan(50);
    for (const { faults } of pairs) {
      const areas = faults.map(({ kind }) => areaOf(kind));
      expect(areas).not.toContain('all');
      expect(new Set(areas).size === 2 || areas[0] === 'process').toBe(true);
    }
  });

  test('pauses are drawn that a leader survives, and such that it does not', () => {
    const pauses = firstSteps(engine, 1, 500).flatMap(({ faults }) => faults.filter(({ kind }) => kind === 'pause'));

    expect(pauses.some(({ durationMs }) => durationMs < LEASE_MS - TIMING.stopBudgetMs - MARGIN_MS)).toBe(true);
    expect(pauses.some(({ durationMs }) => durationMs > LEASE_MS)).toBe(true);
  });
});

test('the local elector has neither a network nor a server', () => {
  expect(new Set(faultsFor('local').map(areaOf))).toEqual(new Set(['process', 'all']));
});

describe.each(Object.keys(CONTROLS) as ControlName[])('the control %s', (control) => {
  test('is provoked by what it names, at whoever leads', () => {
    const plan = controlPlan(control, new Random(1));
    const faults = Array.from({ length: 10 }, () => plan.next().value).flatMap((step) => step.faults);

    expect(CONTROLS[control].provokedBy).toEqual(expect.arrayContaining(faults.map(({ kind }) => kind)));
    expect(faults.every(({ target }) => target.leaderOf === 'default')).toBe(true);
  });
});

test('without a lease there are the mistakes that need none', () => {
  expect(controlsFor('local')).toEqual(['early-release']);
  expect(controlsFor('redis')).toHaveLength(4);
  expect(isControl('toString')).toBe(false);
});

test('a reply can take longer than a deadline that is counted from it would forgive', () => {
  expect(TIMING.requestTimeoutMs).toBeGreaterThan(TIMING.stopBudgetMs + MARGIN_MS);
});

describe('the command line', () => {
  const parse = (...args: string[]) => chaosArguments(args, () => 42);

  test('has defaults for all but the engine', () => {
    expect(parse('--engine', 'local')).toEqual({
      engine: 'local',
      minutes: 2,
      seed: 42,
      controls: false,
      quiet: false,
      keep: false,
    });
  });

  test.each([
    [['--minutes', '1'], '--engine is missing'],
    [['--engine', 'oracle'], '--engine is oracle'],
    [['--engine', 'local', '--minutes', 'ten'], '--minutes is "ten"'],
    [['--engine', 'local', '--control', 'none'], '--control none'],
  ])('rejects %j', (args, message) => {
    expect(() => parse(...args)).toThrow(message);
  });
});

test('a seeded random draws each of its values, both ends included', () => {
  const random = new Random(1);
  const drawn = Array.from({ length: 200 }, () => random.int(1, 4));

  expect(new Set(drawn)).toEqual(new Set([1, 2, 3, 4]));
  expect(new Set(random.shuffled([1, 2, 3]))).toEqual(new Set([1, 2, 3]));
  expect(() => random.pick([])).toThrow(RangeError);
});
