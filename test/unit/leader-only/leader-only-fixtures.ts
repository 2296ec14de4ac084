import { bindToApp } from '../../../lib/leader-only/app-binding.js';
import { LeaderOnlyCalls, type LeaderOnlyCount } from '../../../lib/leader-only/leader-only-calls.js';
import { markedMethodsOf } from '../../../lib/leader-only/marked-method.js';
import { Replica, type ReplicaOptions } from '../leadership/leadership-fixtures.js';

/** What an app is made of as far as marked methods are concerned, on virtual time. */
export class CallingReplica extends Replica {
  readonly calls = new LeaderOnlyCalls();
  readonly debugged: string[] = [];

  constructor(options: ReplicaOptions) {
    super(options);
    this.calls.connect(this.leadership, {
      log: () => undefined,
      warn: () => undefined,
      error: () => undefined,
      debug: (line: string) => void this.debugged.push(line),
    });
  }

  /** Makes an object one of this app, as the explorer does. */
  adopt<T extends object>(instance: T): T {
    this.calls.expect(markedMethodsOf(instance));
    bindToApp(instance, this.calls);
    return instance;
  }

  countOf(method: string): LeaderOnlyCount | undefined {
    return this.calls.counts().find((it) => it.method === method);
  }
}
