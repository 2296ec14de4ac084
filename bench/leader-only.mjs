// What it costs to ask who leads, and what @LeaderOnly() adds to a call, over one reading of the clock: on a leader whose
// term has a deadline, as on every lease engine, and on a follower.
import 'reflect-metadata';
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { LeaseElector } from '../dist/core/lease/lease-elector.js';
import { resolveLeaseTiming } from '../dist/core/lease/lease-timing.js';
import { Leadership, LeaderOnly, leaderTerm, LifecycleModule } from '../dist/index.js';
import { alternate, median, ratio, report, under } from './harness.mjs';

const OPERATIONS = 200_000;
const ROUNDS = 25;

/** An engine without a network. */
class InstantStore {
  #record = { kind: 'absent' };

  constructor(isFree) {
    if (isFree) return;
    const identity = 'somebody else';
    this.#record = { kind: 'held', holder: identity, identity, leaseMs: 3_600_000, token: 1n, remainingMs: 3_600_000 };
  }

  async read() {
    return this.#record;
  }

  async acquire({ holder, identity, leaseMs }) {
    this.#record = { kind: 'held', holder, identity, leaseMs, token: 2n, remainingMs: leaseMs };
    return { won: true, token: 2n };
  }

  async renew() {
    return { renewed: true };
  }

  async release() {
    this.#record = { kind: 'released', token: 2n };
  }
}

class Work {
  count = 0;

  plain() {
    this.count++;
  }

  async plainAsync() {
    this.count++;
  }

  marked() {
    this.count++;
  }

  async markedAsync() {
    this.count++;
  }

  markedThatAsks() {
    leaderTerm().assertValid();
    this.count++;
  }
}

for (const name of ['marked', 'markedAsync', 'markedThatAsks']) {
  const descriptor = Object.getOwnPropertyDescriptor(Work.prototype, name);
  LeaderOnly()(Work.prototype, name, descriptor);
  Object.defineProperty(Work.prototype, name, descriptor);
}
Injectable()(Work);

async function boot(isFree) {
  // A term that no pause of this machine can end: a benchmark blocks the event loop on purpose.
  const timing = resolveLeaseTiming({ leaseMs: 600_000 }, 'the benchmark');
  const elector = new LeaseElector({ store: new InstantStore(isFree), timing, emptyStoreWaitMs: 0 });
  class App {}
  Module({ imports: [LifecycleModule.forRoot({ elector })], providers: [Work] })(App);
  const app = await NestFactory.createApplicationContext(App, { logger: false });
  return { app, work: app.get(Work), leadership: app.get(Leadership) };
}

const leader = await boot(true);
const follower = await boot(false);
const term = await leader.leadership.whenLeader();
if (follower.leadership.isLeader()) throw new Error('The follower leads');
let sink = 0;

const subjects = {
  now() {
    for (let i = 0; i < OPERATIONS; i++) sink += performance.now();
  },
  isLeader() {
    for (let i = 0; i < OPERATIONS; i++) sink += Number(leader.leadership.isLeader());
  },
  isLeaderOnFollower() {
    for (let i = 0; i < OPERATIONS; i++) sink += Number(follower.leadership.isLeader());
  },
  isValid() {
    for (let i = 0; i < OPERATIONS; i++) sink += Number(term.isValid());
  },
  plain() {
    for (let i = 0; i < OPERATIONS; i++) leader.work.plain();
  },
  marked() {
    for (let i = 0; i < OPERATIONS; i++) leader.work.marked();
  },
  markedThatAsks() {
    for (let i = 0; i < OPERATIONS; i++) leader.work.markedThatAsks();
  },
  skipped() {
    for (let i = 0; i < OPERATIONS; i++) follower.work.marked();
  },
  async plainAsync() {
    for (let i = 0; i < OPERATIONS; i++) await leader.work.plainAsync();
  },
  async markedAsync() {
    for (let i = 0; i < OPERATIONS; i++) await leader.work.markedAsync();
  },
  async skippedAsync() {
    for (let i = 0; i < OPERATIONS; i++) await follower.work.markedAsync();
  },
};

async function nanosecondsPerOperation(run) {
  const before = performance.now();
  await run();
  return ((performance.now() - before) * 1e6) / OPERATIONS;
}

const timed = Object.fromEntries(
  Object.entries(subjects).map(([name, run]) => [name, () => nanosecondsPerOperation(run)]),
);
await alternate(timed, 3);
const measured = await alternate(timed, ROUNDS);
if (!term.isValid()) throw new Error('The term has ended meanwhile: what was measured is not what was meant');
await Promise.all([leader.app.close(), follower.app.close()]);

const added = (subject, peer) => measured[subject].map((value, round) => value - measured[peer][round]);
const over = (name) => ratio(measured[name], measured.now);
const addedOver = (subject, peer) => ratio(added(subject, peer), measured.now);

report(
  'leader-only',
  {
    nanosecondsPerOperation: Object.fromEntries(
      Object.entries(measured).map(([name, values]) => [name, median(values)]),
    ),
    rounds: ROUNDS,
    sink: sink > 0,
  },
  [
    under('isLeader() over performance.now()', over('isLeader'), 5),
    under('isLeader() of a follower over performance.now()', over('isLeaderOnFollower'), 5),
    under('term.isValid() over performance.now()', over('isValid'), 5),
    under('what @LeaderOnly adds over performance.now()', addedOver('marked', 'plain'), 20),
    under('what @LeaderOnly adds to an async call over performance.now()', addedOver('markedAsync', 'plainAsync'), 20),
    under('what @LeaderOnly adds to a skipped call over performance.now()', addedOver('skipped', 'plain'), 20),
    under(
      'what @LeaderOnly adds to a skipped async call over performance.now()',
      addedOver('skippedAsync', 'plainAsync'),
      20,
    ),
  ],
);
