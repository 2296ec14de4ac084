import { randomUUID } from 'node:crypto';
import { StandaloneElector, type Elector, type LifecycleModuleOptions } from 'nestjs-lifecycle';
import { KubernetesElector } from 'nestjs-lifecycle/electors/kubernetes';
import type { Environment } from './environment.js';

export function lifecycleOptions(environment: Environment): LifecycleModuleOptions {
  return {
    elector: electorOf(environment),
    // A container that is restarted keeps the name of its pod, and is another candidate.
    identity: `${environment.podName}-${randomUUID().slice(0, 8)}`,
    // Longer than the readiness probe takes to fail, and the endpoint to be removed everywhere. It is a part of
    // terminationGracePeriodSeconds in manifests/deployment.yaml.
    drainDelayMs: 15_000,
  };
}

/** Outside of a cluster without a kubeconfig the KubernetesElector says so and nobody leads: standing alone is asked for. */
function electorOf({ elector, address }: Environment): Elector {
  if (elector === 'standalone') return new StandaloneElector();
  return new KubernetesElector({ namespace: 'orders', address });
}
