import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const PATIENCE_MS = 20_000;

/** Candidates for one election, all in this process, each with an elector and connections of its own. */
export class Group {
  #members = [];
  #elected = 0;
  #leader;
  /** What candidates say they have asked, by kind. */
  asked = { read: 0, attempt: 0, renewal: 0 };

  constructor(engine, namespace) {
    this.engine = engine;
    this.namespace = namespace;
  }

  get size() {
    return this.#members.length;
  }

  /** Resolves when the first one leads, which alone can crash. */
  async join(count) {
    const road = await Road.open(this.engine.port);
    this.#members.push(this.#stand('candidate-0', road));
    await this.#untilElected(1);
    for (let i = 1; i < count; i++) this.#members.push(this.#stand(`candidate-${i}`));
  }

  /** The leader gives the lease back, and does not come again. Resolves when another one leads. */
  async handOver() {
    const leader = this.#withoutLeader();
    const before = this.#elected;
    leader.control.abort();
    await this.#untilElected(before + 1);
    await leader.end();
  }

  /** The leader is cut off for good. Resolves when another one leads. */
  async crash() {
    const leader = this.#withoutLeader();
    const before = this.#elected;
    leader.road.cut();
    await this.#untilElected(before + 1);
    await leader.end();
  }

  async leave() {
    await Promise.all(this.#members.splice(0).map((member) => member.end()));
  }

  #withoutLeader() {
    const leader = this.#leader;
    this.#members = this.#members.filter((it) => it !== leader);
    return leader;
  }

  #stand(identity, road) {
    const elector = this.engine.elector(this.namespace, road?.port ?? this.engine.port);
    const control = new AbortController();
    const member = { control, road };
    const candidate = {
      identity,
      onElected: (term) => {
        this.#leader = member;
        this.#elected++;
        return new Promise((resolve) => term.signal.addEventListener('abort', () => resolve(), { once: true }));
      },
      onLeaderObserved: () => undefined,
      onReport: ({ kind }) => {
        if (kind in this.asked) this.asked[kind]++;
      },
    };
    const campaign = elector.campaign('default', candidate, control.signal);
    member.end = async () => {
      control.abort();
      await campaign;
      await elector.close();
      road?.cut();
    };
    return member;
  }

  async #untilElected(times) {
    const until = performance.now() + PATIENCE_MS;
    while (this.#elected < times) {
      if (performance.now() > until) throw new Error('Nobody leads');
      await pause(5);
    }
  }
}

/** A way to the engine that can be cut. */
class Road {
  #sockets = new Set();
  #server;

  static async open(enginePort) {
    const road = new Road();
    road.#server = createServer((near) => road.#join(near, connect(enginePort, '127.0.0.1')));
    await once(road.#server.listen(0, '127.0.0.1'), 'listening');
    return road;
  }

  get port() {
    return this.#server.address().port;
  }

  /** Idempotent. */
  cut() {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #join(near, far) {
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ]) {
      this.#sockets.add(socket.setNoDelay());
      socket.on('data', (chunk) => other.write(chunk));
      socket.on('error', () => undefined);
      socket.on('close', () => other.destroy());
    }
  }
}
