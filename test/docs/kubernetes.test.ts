import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { DEFAULTS } from './defaults.js';
import { page } from './pages.js';

interface Probe {
  readonly httpGet: { readonly path: string };
  readonly periodSeconds: number;
  readonly failureThreshold: number;
}

interface Deployment {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly containers: readonly Record<'startupProbe' | 'readinessProbe' | 'livenessProbe', Probe>[];
      };
    };
  };
}

describe('the deployment in docs/health.md', () => {
  const { blocks } = page('docs/health.md');
  const yaml = blocks.find(({ language }) => language === 'yaml')?.code ?? '';
  const { spec } = (parse(yaml) as Deployment).spec.template;
  const { startupProbe, readinessProbe, livenessProbe } = spec.containers[0]!;
  const drainDelayMs = Number(
    /drainDelayMs: ([\d_]+)/.exec(blocks.map(({ code }) => code).join())?.[1]?.replace('_', ''),
  );
  const limits = DEFAULTS.RegistryOptions as { startTimeoutMs: number; shutdownTimeoutMs: number };

  const budgetMs = ({ periodSeconds, failureThreshold }: Probe) => periodSeconds * failureThreshold * 1000;

  it('asks each endpoint for what it is for', () => {
    const paths = [startupProbe, readinessProbe, livenessProbe].map(({ httpGet }) => httpGet.path);

    expect(paths).toEqual(['/health/startup', '/health/ready', '/health/live']);
  });

  it('gives a chain of dependencies time to start', () => {
    expect(budgetMs(startupProbe)).toBeGreaterThan(3 * limits.startTimeoutMs);
  });

  it('drains for longer than readiness takes to fail', () => {
    expect(drainDelayMs).toBeGreaterThan(budgetMs(readinessProbe));
  });

  it('is not killed before it has stopped', () => {
    expect(spec.terminationGracePeriodSeconds * 1000).toBeGreaterThan(drainDelayMs + limits.shutdownTimeoutMs);
  });
});

describe('the deployment in docs/management-port.md', () => {
  const deploymentOf = (path: string) =>
    parse(page(path).blocks.find(({ language }) => language === 'yaml')?.code ?? '') as Deployment;
  const containerOf = (path: string) =>
    deploymentOf(path).spec.template.spec.containers[0] as unknown as Record<string, object> & {
      readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
    };
  const container = containerOf('docs/management-port.md');

  it.each(['startupProbe', 'readinessProbe', 'livenessProbe'])(
    'has the %s of the app, on the port of its own',
    (probe) => {
      const { httpGet, ...times } = containerOf('docs/health.md')[probe] as Probe;
      expect(container[probe]).toEqual({ ...times, httpGet: { path: httpGet.path, port: 'management' } });
    },
  );

  it('names the port that the options name', () => {
    const { code = '' } = page('docs/management-port.md').blocks[0] ?? {};
    expect(container.ports).toEqual([{ name: 'management', containerPort: Number(/port: (\d+)/.exec(code)?.[1]) }]);
  });
});
