import type { Component, StartContext, SubscriptionReadySignaler } from '../../../lib/core/component.js';
import { Deferred } from '../../../lib/core/deferred.js';
import { aborted } from './registry-fixture.js';

export type Signaler = Component & SubscriptionReadySignaler;

/** Run style, ready when told so. */
export class Feed implements Signaler {
  readonly name = 'feed';
  readonly ready: Deferred<void>[] = [];
  readonly over = new Deferred<void>();
  readonly calls: string[] = [];

  start({ signal }: StartContext): Promise<void> {
    this.calls.push('start');
    return Promise.race([aborted(signal), this.over.promise]);
  }

  subscriptionReady(): Promise<void> {
    this.calls.push('subscriptionReady');
    const ready = new Deferred<void>();
    this.ready.push(ready);
    return ready.promise;
  }
}
