import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { Clock } from '../core/clock.js';
import { errorFields } from '../core/error-fields.js';
import { errorText } from '../core/error-text.js';
import { ManagementPortError } from '../core/errors.js';
import { guarded, type LifecycleLogger } from '../core/logger.js';
import { RateLimitedLog } from '../core/rate-limited-log.js';
import { Listener } from './listener.js';
import type { ManagementAddress } from './management-server.js';
import { bareAnswer, sendAnswer } from './management-answer.js';
import type { RouteTable } from './route-table.js';

/** What the server needs to know. */
export interface ManagementSetup {
  readonly port: number;
  readonly host?: string;
  readonly logger: LifecycleLogger;
  readonly clock: Clock;
  /** Asked once, when all providers of the app are there. */
  readonly routes: () => Promise<RouteTable>;
}

/**
 * Opens the server in the first init hook of the app and closes it in its last shutdown hook.
 *
 * @internal
 */
@Injectable()
export class ManagementHost implements OnModuleInit, OnApplicationShutdown {
  #setup: ManagementSetup | undefined;
  #log: RateLimitedLog | undefined;
  #listener: Listener | undefined;
  #listening: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #address: ManagementAddress | undefined;

  address(): ManagementAddress | undefined {
    return this.#address;
  }

  /** Has to be called before Nest runs its first hook; without it there is no server. */
  use(setup: ManagementSetup): void {
    this.#setup = setup;
    this.#log = new RateLimitedLog(setup.logger, setup.clock);
  }

  /** Once, also where Nest runs hooks again for a second application. @throws ManagementPortError */
  onModuleInit(): Promise<void> | undefined {
    if (this.#setup === undefined || this.#closing !== undefined) return undefined;
    return (this.#listening ??= this.#listen(this.#setup));
  }

  onApplicationShutdown(): Promise<void> {
    return this.close();
  }

  /** Also while it begins to listen. Idempotent, never rejects. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #listen({ port, host, logger, routes }: ManagementSetup): Promise<void> {
    const table = await routes();
    const listener = new Listener({
      serve: (request, response) => void this.#serve(table, request, response),
      onDrop: () => this.#warn('The management server has too many connections and refuses more.'),
      onError: (error) => this.#warn(`Management server: ${errorText(error)}`, error),
    });
    try {
      await listener.open(port, host);
    } catch (error) {
      throw new ManagementPortError(port, host, error);
    }
    this.#listener = listener;
    this.#address = addressOf(listener);
    const { host: at, port: picked } = this.#address;
    const origin = `http://${at.includes(':') ? `[${at}]` : at}:${picked}`;
    const message = `The management server listens on ${origin}, with ${table.paths.join(', ')}`;
    guarded(logger).log({ message, event: 'lifecycle.management.listening' });
  }

  async #close(): Promise<void> {
    // What it cannot listen on is told to those who wait for it.
    await this.#listening?.catch(() => undefined);
    if (this.#setup !== undefined) await this.#listener?.close(this.#setup.clock);
    this.#address = undefined;
  }

  #warn(message: string, error?: unknown): void {
    this.#log?.warn({
      message,
      event: 'lifecycle.management.trouble',
      ...(error !== undefined && { error: errorFields(error) }),
    });
  }

  async #serve(table: RouteTable, request: IncomingMessage, response: ServerResponse): Promise<void> {
    // No new request on this connection: it would hold the shutdown.
    if (this.#closing !== undefined) response.shouldKeepAlive = false;
    const { url = '' } = request;
    const route = table.find(url);
    try {
      if (route === undefined) sendAnswer(response, bareAnswer(404));
      else await route.serve(request, response);
    } catch (error) {
      this.#warn(`The management server could not answer for /${route?.path}: ${errorText(error)}`, error);
      sendAnswer(response, bareAnswer(500));
    }
  }
}

function addressOf({ server }: Listener): ManagementAddress {
  const address = server.address();
  // A string is the path of a pipe, which it never listens on.
  if (address === null || typeof address === 'string') throw new Error('The management server has no address');
  return { host: address.address, port: address.port };
}
