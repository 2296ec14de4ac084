import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
export const SAMPLE = join(ROOT, 'sample', '03-kubernetes');

export type Labels = Readonly<Record<string, string>>;

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
  readonly periodSeconds: number;
  readonly failureThreshold: number;
}

interface Container {
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly env: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: object }[];
  readonly startupProbe: Probe;
  readonly readinessProbe: Probe;
  readonly livenessProbe: Probe;
}

interface Deployment {
  readonly spec: {
    readonly replicas: number;
    readonly selector: { readonly matchLabels: Labels };
    readonly template: {
      readonly metadata: { readonly labels: Labels };
      readonly spec: {
        readonly serviceAccountName: string;
        readonly automountServiceAccountToken: boolean;
        readonly terminationGracePeriodSeconds: number;
        readonly securityContext: { readonly runAsUser: number };
        readonly topologySpreadConstraints: readonly { readonly labelSelector: { readonly matchLabels: Labels } }[];
        readonly containers: readonly [Container];
      };
    };
  };
}

interface Role {
  readonly metadata: { readonly name: string };
  readonly rules: readonly { readonly resourceNames?: readonly string[]; readonly verbs: readonly string[] }[];
}

interface ServiceAccount {
  readonly metadata: { readonly name: string };
}

interface RoleBinding {
  readonly roleRef: object;
  readonly subjects: readonly object[];
}

interface Service {
  readonly spec: { readonly selector: Labels; readonly ports: readonly { readonly targetPort: string }[] };
}

interface DisruptionBudget {
  readonly spec: {
    readonly selector: { readonly matchLabels: Labels };
    readonly maxUnavailable?: number;
    readonly minAvailable?: number;
  };
}

/** @throws when there is not exactly one of that kind in the file */
function manifest(file: string, kind: string): unknown {
  const documents = parseAllDocuments(readFileSync(join(SAMPLE, 'manifests', file), 'utf8'));
  const found = documents.map((it) => it.toJS() as { kind: string }).filter((it) => it.kind === kind);
  if (found.length !== 1) throw new Error(`${file}: ${found.length} of kind ${kind}`);
  return found[0];
}

export const deployment = () => (manifest('deployment.yaml', 'Deployment') as Deployment).spec;
export const service = () => (manifest('service.yaml', 'Service') as Service).spec;
export const disruptionBudget = () =>
  (manifest('disruption-budget.yaml', 'PodDisruptionBudget') as DisruptionBudget).spec;
export const serviceAccount = () => manifest('rbac.yaml', 'ServiceAccount') as ServiceAccount;
export const role = () => manifest('rbac.yaml', 'Role') as Role;
export const roleBinding = () => manifest('rbac.yaml', 'RoleBinding') as RoleBinding;

/** In the order startup, readiness, liveness. */
export function probes(): readonly Probe[] {
  const { startupProbe, readinessProbe, livenessProbe } = deployment().template.spec.containers[0];
  return [startupProbe, readinessProbe, livenessProbe];
}

/** What the Role allows by name. */
export const leaseNames = () => role().rules.flatMap(({ resourceNames = [] }) => resourceNames);
