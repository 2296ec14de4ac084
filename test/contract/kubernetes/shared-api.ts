import { KubernetesApi } from '../../fixtures/engines/kubernetes-api.js';

/** The API of one test file, started when it is first needed. */
export class SharedApi {
  #api: Promise<KubernetesApi> | undefined;

  started(): Promise<KubernetesApi> {
    this.#api ??= KubernetesApi.start();
    return this.#api;
  }

  async stop(): Promise<void> {
    await (await this.#api)?.stop();
  }
}
