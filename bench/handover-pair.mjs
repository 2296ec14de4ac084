import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { now } from './handover-marks.mjs';

/** Long past whatever a replica may take: to boot, to follow, to take over. */
const PATIENCE_MS = 20_000;
/** Whatever a follower does when it begins to follow is over then. */
const SETTLED_AFTER_MS = 400;

/** Two replicas of one app: one leads, the other follows. Each round the leader is ended, and a fresh one follows. */
export class Pair {
  #leader;
  #follower;

  /**
   * @param options.start starts a replica: the module to fork, and its arguments
   * @param options.listeners how many replicas listen to the engine, which a follower must before it counts as one
   * @param options.settleMs over so long the moment of the signal is spread, so that it meets renewals at any time
   */
  constructor({ start, listeners, settleMs }) {
    this.options = { start, listeners, settleMs };
  }

  async open() {
    this.#leader = this.#start();
    await this.#leader.says('running');
    await this.#fill();
  }

  /** @returns the milliseconds from the signal to the rival's first component running, and what happened when, since the signal */
  async round(signal) {
    const [leader, rival] = [this.#leader, this.#follower];
    await pause(SETTLED_AFTER_MS + this.options.settleMs * Math.random());
    const released = signal === 'SIGTERM' ? leader.says('released') : { marks: [] };
    const running = rival.says('running');
    const signalledAt = now();
    leader.child.kill(signal);
    const ours = await running;
    const theirs = await released;
    await leader.ended;
    const since = ({ marks }) =>
      marks.map(([name, at, cpu]) => [name, at - signalledAt, cpu]).filter(([, at]) => at >= 0);
    const [stopping, starting] = [since(theirs), since(ours)];
    this.#leader = rival;
    await this.#fill();
    return { totalMs: timeOf(starting, 'running'), stopping, starting };
  }

  async close() {
    for (const { child, ended } of [this.#follower, this.#leader]) {
      child.kill('SIGKILL');
      await ended;
    }
  }

  async #fill() {
    this.#follower = this.#start();
    await this.#follower.says('following');
    const until = now() + PATIENCE_MS;
    while ((await this.options.listeners()) < 2) {
      if (now() > until) throw new Error('A replica does not listen to the engine');
      await pause(10);
    }
  }

  #start() {
    const [module, ...args] = this.options.start;
    const child = fork(module, args, { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    const ended = once(child, 'exit');
    const says = (kind) =>
      new Promise((resolve, reject) => {
        const fail = (why) => finish(() => reject(new Error(`A replica that was to say "${kind}" ${why}`)));
        const timer = setTimeout(() => fail('does not'), PATIENCE_MS);
        const onMessage = (message) => message.kind === kind && finish(() => resolve(message));
        const onExit = (code, signal) => fail(`has ended: ${code ?? signal}`);
        const finish = (settle) => {
          clearTimeout(timer);
          child.off('message', onMessage);
          child.off('exit', onExit);
          settle();
        };
        child.on('message', onMessage);
        child.on('exit', onExit);
      });
    return { child, ended, says };
  }
}

/** When something happened last. */
export function timeOf(marks, name) {
  return marks.findLast(([it]) => it === name)?.[1] ?? Number.NaN;
}
