export { KubernetesElector } from './kubernetes-elector.js';
export type { KubernetesElectorOptions } from './kubernetes-elector-options.js';
export type { GivenCluster, GivenKubeConfig } from './given-kubeconfig.js';
