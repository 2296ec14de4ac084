import { describe, expect, test } from '@jest/globals';
import { KubernetesElector, type KubernetesElectorOptions } from 'nestjs-lifecycle/electors/kubernetes';
import { InvalidOptionError } from '../../../../lib/core/errors.js';
import { resolveKubernetesOptions } from '../../../../lib/electors/kubernetes/kubernetes-elector-options.js';

const namespace = 'orders';
const url = 'https://10.0.0.1:6443';
const make = (options: object) => () => new KubernetesElector(options as KubernetesElectorOptions);
const kubeconfig = { getCurrentCluster: () => null, applyToHTTPSOptions: () => undefined };

describe('A KubernetesElector', () => {
  test.each<[string, object]>([
    ['a namespace only', {}],
    ['a URL', { url }],
    ['a URL without TLS', { url: 'http://127.0.0.1:8001' }],
    ['a URL, a token and a CA', { url, tokenFile: '/token', caFile: '/ca' }],
    ['a kubeconfig in a file', { kubeconfig: '/config', context: 'one' }],
    ['a KubeConfig object', { kubeconfig }],
    ['a namespace of Kubernetes', { url, leaseNamespace: 'kube-system' }],
    ['the shortest times', { url, timing: { leaseMs: 4000, renewMs: 1000, requestTimeoutMs: 600, stopBudgetMs: 100 } }],
  ])('can be made with %s, and connects to nothing before its first campaign', (_, options) => {
    expect(make({ namespace, ...options })).not.toThrow();
  });

  test.each<[string, object, RegExp]>([
    ['no namespace', { url }, /"namespace".*is undefined/],
    ['an option that is none', { namespace, uri: url }, /"uri".*no such option.*leaseNamespace/],
    ['another protocol', { namespace, url: 'ftp://a' }, /"url".*https:\/\/ or http:\/\//],
    ['no URL', { namespace, url: 'api' }, /"url".*is "api"/],
    ['a user in the URL', { namespace, url: 'https://me:secret@a' }, /"https:\/\/\*\*\*@a"/],
    ['two sources', { namespace, url, kubeconfig: '/config' }, /"url".*together with a kubeconfig/],
    ['a token without a URL', { namespace, tokenFile: '/token' }, /"tokenFile".*without "url"/],
    ['a CA without a URL', { namespace, caFile: '/ca' }, /"caFile".*without "url"/],
    [
      'a context beside an object',
      { namespace, kubeconfig, context: 'one' },
      /"context".*Set the context of that object/,
    ],
    [
      'a kubeconfig that is none',
      { namespace, kubeconfig: {} },
      /"kubeconfig".*a KubeConfig of @kubernetes\/client-node/,
    ],
    ['a namespace that is none', { namespace, leaseNamespace: 'A' }, /"leaseNamespace".*is "A"/],
    ['a name that is none', { namespace, leaseName: 'orders' }, /"leaseName".*a function/],
    ['fast times', { namespace, timing: 'fast' }, /"timing".*client-go compares whole seconds/],
    ['renewals that follow too closely', { namespace, timing: { renewMs: 999 } }, /"timing.renewMs".*at least 1000/],
    ['a lease that is too short', { namespace, timing: { leaseMs: 8000 } }, /8000 - 3500 - 1250 = 3250/],
  ])('cannot be made with %s', (_, options, text) => {
    expect(make(options)).toThrow(InvalidOptionError);
    expect(make(options)).toThrow(text);
  });

  test('has a lease of 15 s, renewed every 2 s', () => {
    const { timing } = resolveKubernetesOptions({ namespace }).lease;
    expect(timing).toMatchObject({ leaseMs: 15_000, renewMs: 2000, requestTimeoutMs: 3500, stopBudgetMs: 3500 });
    expect(timing).toMatchObject({ marginMs: 1500, deadlineMs: 10_000 });
  });

  test('names its Leases so that no two elections share one', () => {
    const nameOf = (name: string, election: string) => resolveKubernetesOptions({ namespace: name }).nameOf(election);
    expect(nameOf('a', 'b-c')).toBe('a.b-c');
    expect(nameOf('a-b', 'c')).toBe('a-b.c');
  });

  test('takes no name for a Lease that Kubernetes would refuse', () => {
    const { nameOf } = resolveKubernetesOptions({ namespace, leaseName: (election) => `Orders_${election}` });
    expect(() => nameOf('default')).toThrow(/"leaseName".*is "Orders_default".*the Lease of "default"/);
  });
});
