import { test } from '@jest/globals';
import { KubernetesApi } from '../../fixtures/engines/kubernetes-api.js';
import { KubernetesRealApi, REAL_API } from '../../fixtures/engines/kubernetes-real-api.js';
import type { ApiAccess } from '../../fixtures/engines/kubernetes-requests.js';

/** An API server that tests run against. */
export interface ApiServer {
  readonly port: number;
  /** How it is reached by that port: its own, or that of a network before it. */
  accessBy(port?: number): ApiAccess;
  stop(): Promise<void>;
}

/** The API of one test file, started when it is first needed: the double, or what KUBE_APISERVER_BIN names. */
export class SharedApi {
  #api: Promise<ApiServer> | undefined;

  started(): Promise<ApiServer> {
    this.#api ??= REAL_API === undefined ? KubernetesApi.start() : KubernetesRealApi.start(REAL_API);
    return this.#api;
  }

  async stop(): Promise<void> {
    await (await this.#api)?.stop();
  }
}

/** A test of what only the double does: fail as it is told to, count what it was asked, be of another version. */
export function scripted(name: string, body: () => Promise<void>, timeoutMs?: number): void {
  if (REAL_API === undefined) test(name, body, timeoutMs);
  else test.skip(`${name} (only the double does that)`, body);
}
