import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import ts from 'typescript';
import { parse } from 'yaml';
import { resolveOptions } from '../../../lib/lifecycle.options.js';
import { readEnvironment } from '../../../sample/03-kubernetes/src/environment.js';
import { lifecycleOptions } from '../../../sample/03-kubernetes/src/lifecycle.js';
import {
  ROOT,
  SAMPLE,
  deployment,
  disruptionBudget,
  probes,
  role,
  roleBinding,
  service,
  serviceAccount,
  type Labels,
} from './manifests.js';

/** For Nest to close its server, and the other modules. */
const MARGIN_MS = 5000;

const pod = deployment().template;
const [container] = pod.spec.containers;
const variables = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));
const options = resolveOptions(lifecycleOptions(readEnvironment({ ...variables, POD_NAME: 'orders-a' })));
const { startTimeoutMs, shutdownTimeoutMs, unhealthyThreshold } = options.registry;
const dockerfile = readFileSync(join(SAMPLE, 'Dockerfile'), 'utf8');

const selects = (selector: Labels, labels: Labels) =>
  Object.keys(selector).length > 0 && Object.entries(selector).every(([name, value]) => labels[name] === value);

describe('the Deployment of sample/03-kubernetes', () => {
  const [startupMs = 0, readinessMs = 0, livenessMs = 0] = probes().map(
    ({ periodSeconds, failureThreshold }) => periodSeconds * failureThreshold * 1000,
  );

  test('leaves a pod the time that its app may take to stop', () => {
    const longestStopMs = options.drainDelayMs + shutdownTimeoutMs + MARGIN_MS;

    expect(pod.spec.terminationGracePeriodSeconds * 1000).toBeGreaterThanOrEqual(longestStopMs);
  });

  test('asks each endpoint for what it is for', () => {
    const { path } = options.health;

    expect(probes().map(({ httpGet }) => httpGet.path)).toEqual([
      `/${path}/startup`,
      `/${path}/ready`,
      `/${path}/live`,
    ]);
  });

  test('gives the start, the drain and the cure by the library time before a probe acts', () => {
    expect(startupMs).toBeGreaterThan(startTimeoutMs);
    expect(readinessMs).toBeLessThan(options.drainDelayMs);
    expect(livenessMs).toBeGreaterThan(unhealthyThreshold * options.health.intervalMs);
  });

  test('names the port that the app listens on, and everybody uses that name', () => {
    const [port] = container.ports;
    const { ports } = service();

    expect(port?.containerPort).toBe(readEnvironment(variables).port);
    expect(new Set([...probes().map((it) => it.httpGet.port), ...ports.map((it) => it.targetPort)])).toEqual(
      new Set([port?.name]),
    );
    expect(dockerfile).toContain(`\nEXPOSE ${port?.containerPort}\n`);
  });

  test('gives each variable that the app reads, and no other', () => {
    const files = readdirSync(join(SAMPLE, 'src'), { recursive: true, encoding: 'utf8' });
    const sources = files.filter((it) => it.endsWith('.ts')).map((it) => readFileSync(join(SAMPLE, 'src', it), 'utf8'));
    const read = new Set([...sources.join('\n').matchAll(/\benv\.(\w+)/g)].map((match) => match[1]));

    expect(new Set(container.env.map(({ name }) => name))).toEqual(read);
    expect(container.env.filter(({ value, valueFrom }) => (value ?? valueFrom) === undefined)).toEqual([]);
  });

  test('selects its own pods, as do the Service, the budget and the constraints', () => {
    const selectors = [
      deployment().selector.matchLabels,
      service().selector,
      disruptionBudget().selector.matchLabels,
      ...pod.spec.topologySpreadConstraints.map(({ labelSelector }) => labelSelector.matchLabels),
    ];

    expect(selectors.filter((it) => !selects(it, pod.metadata.labels))).toEqual([]);
  });
});

describe('the PodDisruptionBudget of sample/03-kubernetes', () => {
  test('lets a pod be evicted, and keeps one that can take over and one that can follow', () => {
    const spec = disruptionBudget();
    const { replicas } = deployment();
    const evictable = spec.maxUnavailable ?? replicas - (spec.minAvailable ?? replicas);

    expect(evictable).toBeGreaterThanOrEqual(1);
    expect(replicas - evictable).toBeGreaterThanOrEqual(2);
  });
});

describe('the Role of sample/03-kubernetes', () => {
  test('is the one of docs/kubernetes.md', () => {
    const page = readFileSync(join(ROOT, 'docs', 'kubernetes.md'), 'utf8');
    const blocks = [...page.matchAll(/```yaml\n(.*?)```/gs)].map((match) => parse(match[1] ?? '') as object);

    for (const own of [role(), roleBinding()]) expect(blocks).toContainEqual(own);
  });

  test('is bound to the account that the pods run as, which have its token', () => {
    const { roleRef, subjects } = roleBinding();
    const { metadata } = serviceAccount();

    expect(roleRef).toMatchObject({ kind: 'Role', name: role().metadata.name });
    expect(subjects).toEqual([{ kind: 'ServiceAccount', name: metadata.name }]);
    expect(pod.spec.serviceAccountName).toBe(metadata.name);
    expect(pod.spec.automountServiceAccountToken).toBe(true);
  });
});

describe('the Dockerfile of sample/03-kubernetes', () => {
  const command = JSON.parse(/^CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? '[]') as string[];

  test('starts Node itself, with a file that the build makes and the image has', () => {
    const config = ts.getParsedCommandLineOfConfigFile(join(ROOT, 'tsconfig.sample.json'), undefined, {
      ...ts.sys,
      onUnRecoverableConfigFileDiagnostic: () => undefined,
    });
    const source = join(SAMPLE, 'src', 'main.ts');
    const outputs = ts.getOutputFileNames(config!, source, false).map((it) => relative(ROOT, it));
    const copied = [...dockerfile.matchAll(/^COPY --from=build \S+ \.\/(\S*)$/gm)].map((match) => match[1] ?? '');

    expect(command).toEqual(['node', outputs[0]]);
    expect(copied.some((it) => it !== '' && command[1]?.startsWith(`${it}/`))).toBe(true);
  });

  test('has the user that the Deployment asks for', () => {
    expect(dockerfile).toContain(`\nUSER ${pod.spec.securityContext.runAsUser}\n`);
  });
});
