import { EventEmitter } from 'node:events';
import { Deferred } from '../../../../lib/core/deferred.js';
import type { IoredisClient } from '../../../../lib/electors/redis/redis-client.js';

export interface SentCommand {
  readonly name: string;
  readonly parts: readonly string[];
  readonly answer: Deferred<unknown>;
}

/** As much of a client of ioredis as is used. It sends nothing, and answers what it is told to. */
export class FakeIoredis extends EventEmitter implements IoredisClient {
  status = 'wait';
  readonly options: object = {};
  readonly sent: SentCommand[] = [];
  connects = 0;
  disconnects = 0;
  readonly duplicates: FakeIoredis[] = [];

  async connect(): Promise<void> {
    this.connects++;
    this.status = 'connecting';
  }

  disconnect(): void {
    this.disconnects++;
    this.status = 'end';
    this.emit('end');
  }

  duplicate(): FakeIoredis {
    const duplicate = new FakeIoredis();
    this.duplicates.push(duplicate);
    return duplicate;
  }

  eval(_script: string, _keyCount: number, ...parts: string[]): Promise<unknown> {
    return this.#send('eval', parts);
  }

  call(name: string, ...parts: string[]): Promise<unknown> {
    return this.#send(name, parts);
  }

  subscribe(channel: string): Promise<unknown> {
    return this.#send('subscribe', [channel]);
  }

  unsubscribe(channel: string): Promise<unknown> {
    return this.#send('unsubscribe', [channel]);
  }

  becomeReady(): void {
    this.status = 'ready';
    this.emit('ready');
  }

  lose(): void {
    this.status = 'reconnecting';
    this.emit('close');
    this.emit('reconnecting');
  }

  #send(name: string, parts: readonly string[]): Promise<unknown> {
    const answer = new Deferred<unknown>();
    this.sent.push({ name, parts, answer });
    return answer.promise;
  }
}
