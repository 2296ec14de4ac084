import { fileURLToPath } from 'node:url';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));

const swc = {
  swcrc: false,
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    // The same class fields and decorators that tsc emits for the published build.
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: true },
    keepClassNames: true,
  },
};

const project = (displayName, folder, { nestMajor = 12, ...rest } = {}) => ({
  displayName,
  rootDir: path('.'),
  roots: [path('lib'), path(`test/${folder}`)],
  testMatch: ['**/*.test.ts'],
  // Unit tests wait for nothing real; the others boot apps. Jest ignores a project's `testTimeout`.
  setupFilesAfterEnv: folder === 'unit' ? [] : [path('test/long-timeout.js')],
  testEnvironment: 'node',
  moduleFileExtensions: ['ts', 'js', 'mjs', 'cjs', 'json', 'node'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': ['@swc/jest', swc] },
  moduleNameMapper: {
    '^nestjs-lifecycle$': path('lib/index.ts'),
    '^nestjs-lifecycle/registry$': path('lib/registry/index.ts'),
    '^nestjs-lifecycle/testing$': path('lib/testing/index.ts'),
    '^nestjs-lifecycle/electors/([^/]+)$': path('lib/electors/$1/index.ts'),
    '^nestjs-lifecycle/metrics/([^/]+)$': path('lib/metrics/$1/index.ts'),
    '^nestjs-lifecycle/traces/([^/]+)$': path('lib/traces/$1/index.ts'),
  },
  resolver: path(nestMajor === 11 ? 'test/nest11/resolver.cjs' : 'test/resolver.cjs'),
  globals: { NEST_MAJOR: nestMajor },
  ...rest,
});

export default {
  // Never in the main process, as Jest does on two cores: modules of a suite are not freed when it is over, and some
  // eighty suites would need gigabytes. A worker that has grown is replaced by a new one.
  maxWorkers: 2,
  workerIdleMemoryLimit: '1GB',
  projects: [
    project('unit', 'unit'),
    project('contract', 'contract', { globalTeardown: path('test/contract/skipped-engines.mjs') }),
    project('e2e-nest12', 'e2e'),
    project('e2e-nest11', 'e2e', { nestMajor: 11 }),
    project('docs', 'docs'),
    project('api', 'api'),
    project('package', 'package', { globalSetup: path('test/package/pack.mjs') }),
  ],
};
