import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Model } from './model/model.js';
import { loadMutant, type Defect } from './model/mutant.js';

/** Enough for each of them to be found with a wide margin, and few enough to be run every time. */
const MOST_SEEDS = 2000;

/** What the checks have to find, or they prove nothing. */
const DEFECTS: Record<string, readonly Defect[]> = {
  'counts the deadline from the reply': [
    {
      file: 'lease-tenure.ts',
      replaces: '    this.#term.extend(sentAt);\n    this.#sentAt = sentAt;',
      by: '    this.#sentAt = sentNow(this.#clock);\n    this.#term.extend(this.#sentAt);',
    },
  ],
  'keeps leadership as a plain flag': [
    { file: 'lease-term.ts', replaces: 'if (this.remainingMs > 0) return true;', by: 'return true;' },
  ],
  'lets a late acknowledgement revive a term': [
    { file: 'lease-term.ts', replaces: 'if (!this.isValid()) return;', by: 'if (this.signal.aborted) return;' },
    {
      file: 'lease-term.ts',
      replaces: "this.end('no renewal was acknowledged before the deadline');\n    return false;",
      by: 'return false;',
    },
    {
      file: 'lease-tenure.ts',
      replaces: 'if (this.#term.isValid()) return true;',
      by: 'if (!this.#term.signal.aborted) return true;',
    },
  ],
  'releases before the work has settled': [
    {
      file: 'lease-tenure.ts',
      replaces: 'await this.context.voice.elected(this.#term);',
      by: 'await Promise.race([this.context.voice.elected(this.#term), new Promise((resolve) => onAbort(this.#term.signal, () => resolve(0)))]);',
    },
  ],
  'takes an absent lease at once': [
    { file: 'lease-observer.ts', replaces: 'return this.#since + this.emptyStoreWaitMs;', by: 'return this.#since;' },
    {
      file: 'lease-observer.ts',
      replaces: "if (record.kind === 'absent') return true;",
      by: "if (record.kind === 'absent') return false;",
    },
  ],
  'keeps its name from term to term': [
    { file: 'lease-follower.ts', replaces: 'if (lease.token > highestToken)', by: 'if (lease.token > 0n)' },
    {
      file: 'lease-campaign.ts',
      replaces: '`${voice.identity}#${randomPart()}`',
      by: '`${voice.identity}#${((this as unknown as { part?: string }).part ??= randomPart())}`',
    },
  ],
  'counts what it saw from when it asked': [
    {
      file: 'lease-observer.ts',
      replaces: 'hasGap)) this.#since = answeredAt;',
      by: 'hasGap)) this.#since = asked.monotonic;',
    },
  ],
  'believes an engine clock that jumped': [
    { file: 'lease-observer.ts', replaces: 'return answeredAt < alive.until;', by: 'return false;' },
  ],
  'waits for its own lease instead of the whole of what it saw': [
    {
      file: 'lease-observer.ts',
      replaces: 'NEVER : this.#since + record.leaseMs;',
      by: 'NEVER : this.#since + record.leaseMs / 2;',
    },
  ],
  'forgets that a machine may sleep': [
    {
      file: 'lease-term.ts',
      replaces: 'Math.max(this.clock.now() - monotonic, this.clock.wallNow() - wall)',
      by: '(this.clock.now() - monotonic + 0 * wall)',
    },
  ],
  'believes a release without asking the engine': [
    {
      file: 'lease-follower.ts',
      replaces: "{ kind: 'released', token: released.token }",
      by: 'this.#observer.record',
    },
  ],
  'campaigns on while old work goes on': [
    {
      file: 'lease-tenure.ts',
      replaces: 'await Promise.all([this.#work(), this.#renewUntilSettled()]);',
      by: 'void this.#renewUntilSettled(); await Promise.race([this.#work(), new Promise((resolve) => onAbort(this.#term.signal, () => this.#clock.setTimer(() => resolve(0), this.#timing.stopBudgetMs)))]);',
    },
  ],
  'stops renewing when it gives up': [
    {
      file: 'lease-tenure.ts',
      replaces: "return this.#state === 'given-up' && this.#clock.now() < this.#workDeadline();",
      by: 'return false;',
    },
  ],
};

// The stacks of simulated errors are of no interest, and take most of the time.
const { stackTraceLimit } = Error;
beforeAll(() => void (Error.stackTraceLimit = 0));
afterAll(() => void (Error.stackTraceLimit = stackTraceLimit));

test.each(Object.entries(DEFECTS))(
  'the checks find an elector that %s',
  async (_name, defects) => {
    const elector = await loadMutant(defects);
    let violations: readonly string[] = [];
    for (let seed = 1; seed <= MOST_SEEDS && violations.length === 0; seed++) {
      violations = await new Model(seed, { elector }).run();
    }
    expect(violations).not.toEqual([]);
  },
  120_000,
);
