import { EngineRefusalError } from '../../core/errors.js';
import type { NatsClient } from './nats-client.js';

/** As much of the headers of a message as is used. */
export interface NatsHeaders {
  set(name: string, value: string): void;
}

interface NatsPackage {
  connect(options: object): Promise<NatsClient>;
  headers(): NatsHeaders;
}

const LONGEST_RECONNECT_MS = 500;

/**
 * What makes a connection that is given up when nothing comes back on it, and is opened again for ever, soon. With the
 * defaults of the client a dead one is noticed after four minutes, and after ten attempts it is closed for good.
 */
export function safeSettings(requestTimeoutMs: number): object {
  return {
    timeout: requestTimeoutMs,
    pingInterval: requestTimeoutMs,
    maxPingOut: 1,
    reconnect: true,
    maxReconnectAttempts: -1,
    // The next request connects anew, and says what was wrong.
    waitOnFirstConnect: false,
    ignoreAuthErrorAbort: true,
    reconnectDelayHandler: () => Math.min(requestTimeoutMs, LONGEST_RECONNECT_MS) * (0.5 + Math.random() / 2),
    noAsyncTraces: true,
  };
}

/** Connects. @throws EngineRefusalError without the package; what keeps it from connecting */
export async function connectOwn(options: object, requestTimeoutMs: number): Promise<NatsClient> {
  return (await loadNats()).connect({ name: 'nestjs-lifecycle', ...options, ...safeSettings(requestTimeoutMs) });
}

let loaded: Promise<NatsPackage> | undefined;

/** Once a process. A failure is not kept. @throws EngineRefusalError when it is not installed */
export async function loadNats(): Promise<NatsPackage> {
  try {
    loaded ??= import('@nats-io/transport-node').then((it) => it as unknown as NatsPackage);
    return await loaded;
  } catch (cause) {
    loaded = undefined;
    throw new EngineRefusalError(
      'NatsElector needs the package "@nats-io/transport-node", which cannot be loaded. ' +
        'Install it: npm install @nats-io/transport-node.',
      { cause },
    );
  }
}
