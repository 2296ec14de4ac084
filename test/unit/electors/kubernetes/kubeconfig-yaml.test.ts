import { describe, expect, test } from '@jest/globals';
import { parseKubeconfig } from '../../../../lib/electors/kubernetes/kubeconfig-yaml.js';

const KUBECTL = `apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: TUlJ
    server: https://10.0.0.1:6443
  name: one
- cluster:
    insecure-skip-tls-verify: true
    server: "https://[::1]:6443"
  name: 'it''s two'
contexts:
- context:
    cluster: one
    namespace: orders
    user: arn:aws:eks:eu-west-1:1:cluster/one
  name: one
current-context: one
kind: Config
preferences: {}
users:
- name: arn:aws:eks:eu-west-1:1:cluster/one # a comment
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1beta1
      args:
      - --region
      - eu-west-1
      - -c
      command: aws
      env:
      - name: AWS_PROFILE
        value: orders
      installHint: Install the plugin for use with kubectl by following
        https://example.com/install
      interactiveMode: IfAvailable
      provideClusterInfo: false
- name: nobody
  user: {}
- name: empty
  user:
`;

describe('A kubeconfig', () => {
  test('is read as kubectl writes it', () => {
    expect(parseKubeconfig(KUBECTL)).toEqual({
      apiVersion: 'v1',
      kind: 'Config',
      preferences: {},
      'current-context': 'one',
      clusters: [
        { name: 'one', cluster: { 'certificate-authority-data': 'TUlJ', server: 'https://10.0.0.1:6443' } },
        { name: "it's two", cluster: { 'insecure-skip-tls-verify': true, server: 'https://[::1]:6443' } },
      ],
      contexts: [
        {
          name: 'one',
          context: { cluster: 'one', namespace: 'orders', user: 'arn:aws:eks:eu-west-1:1:cluster/one' },
        },
      ],
      users: [
        {
          name: 'arn:aws:eks:eu-west-1:1:cluster/one',
          user: {
            exec: {
              apiVersion: 'client.authentication.k8s.io/v1beta1',
              args: ['--region', 'eu-west-1', '-c'],
              command: 'aws',
              env: [{ name: 'AWS_PROFILE', value: 'orders' }],
              installHint: 'Install the plugin for use with kubectl by following https://example.com/install',
              interactiveMode: 'IfAvailable',
              provideClusterInfo: false,
            },
          },
        },
        { name: 'nobody', user: {} },
        { name: 'empty', user: null },
      ],
    });
  });

  test('is read with lists that have more indent than their key, and after a line of dashes', () => {
    const text = '---\n# made by hand\nusers:\n  - name: a\n    user:\n      token: abc\n  -\n    name: b\nlist: []\n';
    expect(parseKubeconfig(text)).toEqual({ users: [{ name: 'a', user: { token: 'abc' } }, { name: 'b' }], list: [] });
  });

  test('is read as JSON', () => {
    expect(parseKubeconfig(' {"current-context": "one"}\n')).toEqual({ 'current-context': 'one' });
  });

  test.each([
    ['an anchor', 'a: &x 1'],
    ['an alias', 'a: *x'],
    ['a tag', 'a: !!str 1'],
    ['flow style', 'a: {b: 1}'],
    ['a list in flow style', 'a: [1, 2]'],
    ['a block scalar', 'a: |\n  text'],
    ['a folded block scalar', 'a: >-\n  text'],
    ['a second document', 'a: 1\n---\nb: 2'],
    ['a map in a scalar', 'a: b: c'],
    ['a merge key', '<<: *x'],
    ['less indent than where it began', '  a: 1\nb: 2'],
    ['more indent without a reason', 'a:\n  b: 1\n    c: 2'],
    ['a tab', 'a:\n\tb: 1'],
    ['a key that is there twice', 'a: 1\na: 2'],
    ['a quote that does not end', 'a: "b'],
    ['no key', 'just text'],
    ['nothing', '# empty\n'],
  ])('with %s is refused rather than misread', (_, text) => {
    expect(() => parseKubeconfig(text)).toThrow(/^line \d|^it is empty/);
  });
});
